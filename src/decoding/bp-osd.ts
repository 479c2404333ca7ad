/**
 * Decoding by belief propagation and ordered statistics, which runs in WebAssembly: assembly/bp-osd.ts says how. Errors
 * may flip any number of detectors, and an error that is split counts as a whole.
 */
import { either, type Symptoms, whole } from '../compiler/clifford/symptoms.ts';
import type { Decoder, DecodingModel, NoDecoder } from './decoder.ts';
import { ImpossibleEventsError } from './errors.ts';
import { instantiate, PAGE_BYTES } from './wasm-modules.ts';

/** Most detectors: the sums of 10,000 take 25 MB. */
const MAX_DETECTORS = 10_000;
/** Iterations of belief propagation. */
const ITERATIONS = 20;
/** Errors that are tried beside the basis. */
const MOST_TRIED = 60;
/** Greatest logarithm of odds. */
const MOST_CERTAIN = 50;

/** Functions of the module; addresses are in bytes. */
interface Functions {
  readonly open: (header: number) => void;
  readonly decode: (iterations: number) => number;
}

/** Errors that flip the same, as one. */
interface Cause {
  readonly detectors: Symptoms;
  readonly observables: Symptoms;
  readonly probability: number;
}

/** A decoder of a model, or why the model has none. */
export function openBpOsd(model: DecodingModel): Decoder | NoDecoder {
  const { numDetectors, numObservables } = model;
  if (numDetectors > MAX_DETECTORS) {
    return {
      reason: `${numDetectors.toLocaleString('en')} detectors are more than the ${MAX_DETECTORS.toLocaleString('en')} that it takes`,
    };
  }
  const causes = causesOf(model);
  // What is likelier than not counts as having happened, so that every error is a change that is not likely.
  const likelyEvents = new Uint8Array(Math.ceil(numDetectors / 8));
  const likelyFlips = new Uint8Array(Math.ceil(numObservables / 8));
  for (const { detectors, observables, probability } of causes) {
    if (probability <= 1 / 2) continue;
    for (const each of detectors) toggle(likelyEvents, 0, each);
    for (const each of observables) toggle(likelyFlips, 0, each);
  }
  const errors = causes.filter(
    ({ detectors, probability: p }) => detectors.length > 0 && p > 0 && p < 1,
  );
  const [ofEvents, ofFlips] = [likelyEvents.length, likelyFlips.length];
  // Opened for the first shot, so that it costs nothing to ask whether a model has a decoder.
  let search: BpOsd | undefined;
  return {
    decode: (events, numShots, predictions) => {
      search ??= new BpOsd(numDetectors, errors);
      for (let shot = 0; shot < numShots; shot++) {
        predictions.set(likelyFlips, shot * ofFlips);
        const found = search.errorsOf(events.subarray(shot * ofEvents), likelyEvents);
        if (found === undefined) throw new ImpossibleEventsError(shot);
        for (const error of found) {
          for (const each of errors[error]!.observables) toggle(predictions, shot * ofFlips, each);
        }
      }
    },
  };
}

function toggle(bytes: Uint8Array, at: number, bit: number): void {
  bytes[at + (bit >> 3)]! ^= 1 << (bit & 7);
}

/** Errors by what they flip as a whole. */
function causesOf({ numDetectors, errors }: DecodingModel): readonly Cause[] {
  const probabilities = new Map<string, { readonly flips: Symptoms; probability: number }>();
  for (const { symptoms, probability } of errors) {
    const flips = whole(symptoms);
    const key = flips.join();
    const known = probabilities.get(key);
    if (known === undefined) probabilities.set(key, { flips, probability });
    else known.probability = either(known.probability, probability);
  }
  return [...probabilities.values()].map(({ flips, probability }) => ({
    detectors: flips.filter((each) => each < numDetectors),
    observables: flips.filter((each) => each >= numDetectors).map((each) => each - numDetectors),
    probability,
  }));
}

/** Finds the errors of one shot after the other. */
class BpOsd {
  readonly #numDetectors: number;
  readonly #functions: Functions;
  readonly #events: Uint8Array;
  readonly #found: Int32Array;

  constructor(numDetectors: number, errors: readonly Cause[]) {
    this.#numDetectors = numDetectors;
    const numErrors = errors.length;
    const numFlips = errors.reduce((count, { detectors }) => count + detectors.length, 0);
    const rowBytes = 16 * Math.ceil(numDetectors / 128);
    let end = 0;
    const take = (numBytes: number) => {
      const at = end;
      end += 16 * Math.ceil(numBytes / 16);
      return at;
    };
    const words = (count: number) => take(4 * count);
    const header = words(25);
    const places = {
      detectorStarts: words(numDetectors + 1),
      errorsOf: words(numFlips),
      messages: words(numFlips),
      errorStarts: words(numErrors + 1),
      detectorsOf: words(numFlips),
      priors: words(numErrors),
      beliefs: words(numErrors),
      events: take(numDetectors),
      found: words(numErrors),
      heap: words(numErrors),
      sumAt: words(numDetectors),
      sums: take(numDetectors * rowBytes),
      parts: take(numDetectors * rowBytes),
      basis: words(numDetectors),
      weights: words(numDetectors),
      tried: words(MOST_TRIED),
      triedParts: take(MOST_TRIED * rowBytes),
      gains: words(MOST_TRIED),
      isIn: take(MOST_TRIED),
      row: take(rowBytes),
      rowParts: take(rowBytes),
    };
    const memory = new WebAssembly.Memory({ initial: 1 + Math.ceil(end / PAGE_BYTES) });
    const ints = new Int32Array(memory.buffer);
    const floats = new Float32Array(memory.buffer);
    // The order of fields in the module.
    ints.set([numDetectors, numErrors, rowBytes, MOST_TRIED, ...Object.values(places)], header / 4);
    const byDetector = Array.from({ length: numDetectors }, (): number[] => []);
    let next = 0;
    for (const [error, { detectors, probability }] of errors.entries()) {
      ints[places.errorStarts / 4 + error] = next;
      for (const detector of detectors) {
        ints[places.detectorsOf / 4 + next++] = detector;
        byDetector[detector]!.push(error);
      }
      const certainty = Math.abs(Math.log1p(-probability) - Math.log(probability));
      floats[places.priors / 4 + error] = Math.min(MOST_CERTAIN, certainty);
    }
    ints[places.errorStarts / 4 + numErrors] = next;
    next = 0;
    for (const [detector, itsErrors] of byDetector.entries()) {
      ints[places.detectorStarts / 4 + detector] = next;
      ints.set(itsErrors, places.errorsOf / 4 + next);
      next += itsErrors.length;
    }
    ints[places.detectorStarts / 4 + numDetectors] = next;
    this.#events = new Uint8Array(memory.buffer, places.events, numDetectors);
    this.#found = new Int32Array(memory.buffer, places.found, numErrors);
    this.#functions = instantiate<Functions>('bp-osd', memory);
    this.#functions.open(header);
  }

  /**
   * Numbers of errors that make the difference between two sets of events; undefined if there are none. A view that the
   * next shot overwrites.
   */
  errorsOf(events: Uint8Array, likelyEvents: Uint8Array): Int32Array | undefined {
    let isEmpty = true;
    for (let i = 0; i < this.#numDetectors; i++) {
      const bit = ((events[i >> 3]! ^ likelyEvents[i >> 3]!) >> (i & 7)) & 1;
      this.#events[i] = bit;
      if (bit === 1) isEmpty = false;
    }
    if (isEmpty) return this.#found.subarray(0, 0);
    const count = this.#functions.decode(ITERATIONS);
    return count < 0 ? undefined : this.#found.subarray(0, count);
  }
}
