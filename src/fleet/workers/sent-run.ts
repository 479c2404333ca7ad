/**
 * Runs in the form in which they are posted to a worker: circuits as text or bytes, observables as arrays of numbers.
 *
 * Cloning a sum of 10,000 Pauli strings as objects costs each side some 100 ms, as arrays next to nothing. A worker that
 * is sent the same observables again, as for each run of a batch, gets the objects that it had.
 */
import {
  codeOfFactor,
  factorOfCode,
  type PauliFactor,
  type PauliSum,
  type PauliTerm,
} from '../../circuit/observable.ts';
import type { CircuitRun } from '../processor.ts';
import { isBatch } from '../schedule/scheduled-run.ts';
import { bytesOfCircuit, factsOfShape } from './sent-batch.ts';
import {
  inSharedMemory,
  isSameCircuit,
  type WrittenCircuit,
  writeCircuit,
} from './sent-circuit.ts';
import type { PostedRun, SentCircuit, SentObservables, SentRun } from './worker-messages.ts';

const known = new WeakMap<readonly PauliSum[], SentObservables>();

/** Observables as arrays in memory that threads share; made once. */
export function sentObservables(sums: readonly PauliSum[]): SentObservables {
  let sent = known.get(sums);
  if (sent === undefined) {
    sent = packed(sums);
    known.set(sums, sent);
  }
  return sent;
}

function packed(sums: readonly PauliSum[]): SentObservables {
  const terms = sums.flat();
  let numTerms = 0;
  let numFactors = 0;
  const sumEnds = Uint32Array.from(sums, ({ length }) => {
    numTerms += length;
    return numTerms;
  });
  const termEnds = Uint32Array.from(terms, ({ factors }) => {
    numFactors += factors.length;
    return numFactors;
  });
  const factors = new Uint32Array(numFactors);
  let at = 0;
  for (const term of terms) {
    for (const factor of term.factors) factors[at++] = codeOfFactor(factor);
  }
  return {
    sumEnds: inSharedMemory(sumEnds),
    coefficients: inSharedMemory(Float64Array.from(terms, ({ coefficient }) => coefficient)),
    termEnds: inSharedMemory(termEnds),
    factors: inSharedMemory(factors),
  };
}

/** The observables as objects. The arrays may be views of a longer message. */
export function readObservables(sent: SentObservables): readonly PauliSum[] {
  const { sumEnds, coefficients, termEnds, factors } = sent;
  let [term, at] = [0, 0];
  const sums = Array.from(sumEnds, (sumEnd) => {
    // A field that is not sent does not compile.
    const terms: Required<PauliTerm>[] = [];
    for (; term < sumEnd; term++) {
      const own: PauliFactor[] = [];
      for (; at < termEnds[term]!; at++) {
        own.push(factorOfCode(factors[at]!));
      }
      terms.push({ coefficient: coefficients[term]!, factors: own });
    }
    return terms;
  });
  known.set(sums, {
    sumEnds: inSharedMemory(sumEnds),
    coefficients: inSharedMemory(coefficients),
    termEnds: inSharedMemory(termEnds),
    factors: inSharedMemory(factors),
  });
  return sums;
}

/** Sets of observables that a worker remembers. */
const MAX_READ = 4;

/** The observables that were read last, for those who are sent the same ones again. */
export class ReadObservables {
  /** In the order of use, the oldest first. */
  readonly #read: { readonly sent: SentObservables; readonly sums: readonly PauliSum[] }[] = [];

  /** The observables as objects: the same objects for the same observables. */
  of(sent: SentObservables): readonly PauliSum[] {
    const place = this.#read.findLastIndex((each) => isSame(each.sent, sent));
    const [entry = { sent, sums: readObservables(sent) }] =
      place < 0 ? [] : this.#read.splice(place, 1);
    this.#read.push(entry);
    if (this.#read.length > MAX_READ) this.#read.shift();
    return entry.sums;
  }
}

function isSame(a: SentObservables, b: SentObservables): boolean {
  return (
    isSameList(a.sumEnds, b.sumEnds) &&
    isSameList(a.coefficients, b.coefficients) &&
    isSameList(a.termEnds, b.termEnds) &&
    isSameList(a.factors, b.factors)
  );
}

function isSameList(a: Uint32Array | Float64Array, b: Uint32Array | Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

/** The circuits of a list, of which the same one is cloned once. */
export class PostedCircuits {
  /** The last of each shape. */
  readonly #written = new Map<string, WrittenCircuit>();

  /** The circuit of a run in the form that is sent: as text where possible. */
  of({ circuit, request }: Pick<CircuitRun, 'circuit' | 'request'>): SentCircuit {
    if (isBatch(request)) return factsOfShape(circuit).sent;
    const bytes = bytesOfCircuit(circuit);
    if (bytes !== undefined) return bytes;
    const own = writeCircuit(circuit);
    if (own === undefined) return circuit;
    const other = this.#written.get(own.shape);
    if (other !== undefined && isSameCircuit(own, other)) return other;
    this.#written.set(own.shape, own);
    return own;
  }
}

/** A run in the form in which it is posted to a worker. */
export function postedRun(run: SentRun): PostedRun {
  if (run.request.observables === undefined) return run;
  const { observables, ...request } = run.request;
  return { ...run, request, observables: sentObservables(observables) };
}

/** A posted run as its worker runs it. */
export function receivedRun(posted: PostedRun, known: ReadObservables): SentRun {
  if (posted.observables === undefined) return posted;
  const { observables, ...run } = posted;
  return { ...run, request: { ...run.request, observables: known.of(observables) } };
}
