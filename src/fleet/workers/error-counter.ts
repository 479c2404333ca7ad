/** Runs that count errors: samples the shots of each chunk, has them decoded, and counts. */
import { compileStabilizer } from '../../compiler/clifford/compile-stabilizer.ts';
import {
  countErrors,
  type DetectedShots,
  type ErrorCounts,
  type Postselection,
} from '../../decoding/count-errors.ts';
import type { Decoder } from '../../decoding/decoder.ts';
import { Decoders } from '../../decoding/decoders.ts';
import { NotDecodableError } from '../../decoding/errors.ts';
import { FaultStrata } from '../../decoding/fault-strata.ts';
import type { Counts, Engine, RunResult } from '../../engine/engine.ts';
import { parityBytes, tableOfColumns, writeParities } from '../../math/bit-matrix.ts';
import { partSeed } from '../../math/philox.ts';
import {
  chunksOf,
  declaredIn,
  type ErrorCounting,
  TALLY_LENGTH,
  writeTally,
} from '../error-counting.ts';
import type { CircuitRequest } from '../schedule/scheduled-run.ts';
import type { CircuitPreparation, PreparedCircuit } from './prepared-circuits.ts';
import { RecentlyUsed } from './recently-used.ts';
import { circuitOf, methodOfSent } from './sent-circuit.ts';
import { OwnTime } from './shape-batches.ts';
import type { RunOutcome, SentCircuit, SentRun } from './worker-messages.ts';

/** Circuits with their decoders that a worker keeps. */
const MAX_KEPT = 4;

/** A circuit that is ready to be sampled, and the decoder of its detection events. */
interface Prepared {
  readonly key: string;
  readonly circuit: PreparedCircuit;
  readonly decoder: Decoder | undefined;
  /** Where a run had strata of faults. */
  readonly faults: FaultStrata | undefined;
}

/** A run that counts errors. */
export interface CountingRun extends SentRun {
  readonly request: CircuitRequest & Required<Pick<CircuitRequest, 'errorCounting' | 'shotRange'>>;
}

/** Whether a run counts errors. */
export function countsErrors(run: SentRun): run is CountingRun {
  const { errorCounting, shotRange } = run.request;
  return errorCounting !== undefined && shotRange !== undefined;
}

/** Counts errors on one engine. */
export class ErrorCounter {
  readonly #engine: Engine;
  readonly #preparation: CircuitPreparation;
  readonly #kept = new RecentlyUsed<Prepared>(MAX_KEPT);
  readonly #decoders = new Decoders();

  constructor(engine: Engine, preparation: CircuitPreparation) {
    this.#engine = engine;
    this.#preparation = preparation;
  }

  /** @throws what the compiler, the decoder and the engine throw, the signal's reason among it. */
  async run(
    run: CountingRun,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<RunOutcome> {
    const startedAt = performance.now();
    const ownTime = new OwnTime(this.#engine);
    const prepared = await this.#prepared(run);
    const compileMs = performance.now() - startedAt;
    const { errorCounting, shotRange, strata, seed = 0 } = run.request;
    const { detectors, observables } = errorCounting.parities;
    const chunks = chunksOf(shotRange, strata);
    const tallies = new Float64Array(TALLY_LENGTH * chunks.length);
    let isDone = false;
    try {
      let from = performance.now();
      for (const [k, { index, shots, stratum }] of chunks.entries()) {
        const request = { shots, seed: partSeed(seed, index), parities: [detectors, observables] };
        const detected =
          stratum === undefined
            ? detectedShots(
                await prepared.circuit.executable.run(request, signal),
                errorCounting,
                shots,
              )
            : prepared.faults!.shots(stratum, request.seed);
        const counts = await decoded(detected, prepared.decoder, errorCounting, signal);
        const now = performance.now();
        writeTally(tallies, k, { shots, ...counts, ms: now - from });
        from = now;
        onProgress((k + 1) / chunks.length);
      }
      isDone = true;
    } finally {
      // A circuit that failed is compiled anew the next time.
      const dropped = isDone ? this.#kept.keep(prepared) : [prepared];
      for (const { circuit } of dropped) await circuit.executable[Symbol.asyncDispose]();
    }
    const executionMs = performance.now() - startedAt - compileMs;
    const { report: compilation, reused } = prepared.circuit;
    const { elapsedMs: ownMs } = ownTime;
    return { outputs: { tallies }, compilation, reused, compileMs, executionMs, ownMs };
  }

  async #prepared({ circuit, request }: CountingRun): Promise<Prepared> {
    const { key } = request.errorCounting;
    const kept = this.#kept.take((entry) => entry.key === key);
    if (kept !== undefined) return { ...kept, circuit: { ...kept.circuit, reused: 'program' } };
    const method = methodOfSent(circuit, request);
    // Stabilizer runs take it as objects, so that it is read and compiled once for the decoder and for them.
    const read = method === 'stabilizer' ? circuitOf(circuit) : circuit;
    const decoder = this.#decoderOf(read, request.errorCounting);
    const faults = request.strata && this.#faultsOf(read, request.errorCounting);
    const prepared = await this.#preparation.prepare(read, { ...request, method }, false);
    return { key, circuit: prepared, decoder, faults };
  }

  #faultsOf(circuit: SentCircuit, counting: ErrorCounting): FaultStrata {
    const program = compileStabilizer(circuitOf(circuit));
    if ('kind' in program) throw new Error(`unreachable: ${program.operation} has no error model`);
    const errors = this.#decoders.errorsOf(program, declaredIn(counting), 'exact');
    if ('reason' in errors) throw new Error(`unreachable: no faults, for ${errors.reason}`);
    return new FaultStrata(errors);
  }

  /**
   * Opens the decoder of a circuit; undefined where none is asked for.
   *
   * @throws {NotDecodableError} if it cannot decode the circuit's errors.
   */
  #decoderOf(
    circuit: SentCircuit,
    { decoder: name, ...counting }: ErrorCounting,
  ): Decoder | undefined {
    if (name === 'none') return undefined;
    const program = compileStabilizer(circuitOf(circuit));
    if ('kind' in program) throw new Error(`unreachable: ${program.operation} has no error model`);
    const decoder = this.#decoders.open(name, program, declaredIn(counting));
    if ('reason' in decoder) throw new NotDecodableError(name, decoder.reason);
    return decoder;
  }
}

/** Shots that are decoded between two looks at the clock. */
const SHOTS_AT_ONCE = 32;
/** Messages are heard this often while shots are decoded, milliseconds. */
const HEAR_EVERY_MS = 20;

/**
 * Counts errors a few shots at a time, so that a worker whose decoder is slow hears messages.
 *
 * @throws the signal's reason.
 */
async function decoded(
  { numShots, events, flips, probabilities }: DetectedShots,
  decoder: Decoder | undefined,
  postselection: Postselection,
  signal: AbortSignal,
): Promise<ErrorCounts> {
  const [ofEvents, ofFlips] = [events.length / numShots, flips.length / numShots];
  let [errors, discards, errorProbability] = [0, 0, 0];
  let heardAt = performance.now();
  for (let from = 0; from < numShots; from += SHOTS_AT_ONCE) {
    const to = Math.min(numShots, from + SHOTS_AT_ONCE);
    const some = {
      numShots: to - from,
      events: events.subarray(from * ofEvents, to * ofEvents),
      flips: flips.subarray(from * ofFlips, to * ofFlips),
      probabilities: probabilities?.subarray(from, to),
    };
    const counts = countErrors(some, decoder, postselection);
    errors += counts.errors;
    discards += counts.discards;
    errorProbability += counts.errorProbability;
    if (performance.now() - heardAt < HEAR_EVERY_MS) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    heardAt = performance.now();
  }
  return { errors, discards, errorProbability };
}

/** Detection events and flips of observables, from parities or else from counts. */
function detectedShots(
  { counts, parities }: RunResult,
  { parities: lists }: ErrorCounting,
  numShots: number,
): DetectedShots {
  if (parities !== undefined) {
    const [events, flips] = parities;
    return { numShots, events: events!, flips: flips! };
  }
  const table = tableOfColumns(outcomesOfShots(counts), counts.wordsPerOutcome);
  const [events, flips] = [lists.detectors, lists.observables].map((each) => {
    const out = new Uint8Array(numShots * parityBytes(each));
    writeParities(table, each, numShots, out);
    return out;
  });
  return { numShots, events: events!, flips: flips! };
}

/** The outcome of each shot; equal ones come together. */
function outcomesOfShots({ outcomes, occurrences, wordsPerOutcome }: Counts): Uint32Array {
  const numShots = occurrences.reduce((sum, count) => sum + count, 0);
  const all = new Uint32Array(numShots * wordsPerOutcome);
  let at = 0;
  for (const [i, count] of occurrences.entries()) {
    const outcome = outcomes.subarray(i * wordsPerOutcome, (i + 1) * wordsPerOutcome);
    for (let k = 0; k < count; k++, at += wordsPerOutcome) all.set(outcome, at);
  }
  return all;
}
