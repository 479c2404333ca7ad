/**
 * Runs in the form in which they are posted to a worker, and outcomes in that in which they come back: circuits as text
 * or bytes, observables and outcomes as arrays of numbers.
 *
 * Cloning a sum of 10,000 Pauli strings as objects costs each side some 100 ms, as arrays next to nothing. A worker
 * that is sent the same observables again, as for each run of a batch, gets the objects that it had.
 *
 * The outcomes of many small circuits come back packed in three objects to clone: numbers, counts and reports.
 * Receiving an outcome as objects takes the main thread longer than many a circuit takes to run; most of it is arrays
 * of a few numbers and a compilation report that is the same each time. A report is sent with the first outcome that
 * has it and is meant by its number after that.
 */
import {
  codeOfFactor,
  factorOfCode,
  type PauliFactor,
  type PauliSum,
  type PauliTerm,
} from '../../circuit/observable.ts';
import type { CompilationReport } from '../../compiler/compile.ts';
import type { Counts } from '../../engine/engine.ts';
import type { CircuitRun } from '../processor.ts';
import { isBatch } from '../schedule/scheduled-run.ts';
import { bytesOfCircuit, factsOfShape } from './sent-batch.ts';
import {
  inSharedMemory,
  isSameCircuit,
  type WrittenCircuit,
  writeCircuit,
} from './sent-circuit.ts';
import {
  type PackedOutcomes,
  type PostedRun,
  REUSES,
  type RunOutcome,
  type SentCircuit,
  type SentObservables,
  type SentRun,
} from './worker-messages.ts';

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

/** An outcome that has crossed. */
interface UnpackedOutcome {
  readonly id: number;
  readonly outcome: PackedOutcome;
  /** From its begin until the outcomes were sent, milliseconds. */
  readonly begunAgoMs: number;
}

/** Packed outcome. A field that `unpack` does not make does not compile. */
interface PackedOutcome extends Required<RunOutcome> {
  readonly outputs: {
    readonly countsByRow: readonly [Required<Counts>];
    readonly statePasses: readonly [number];
  };
}

/** Numbers of an outcome in `facts`; `add` writes them in the order in which `unpack` reads them. */
const NUM_FACTS = 12;
/** Reports that both sides remember. A report that is further back is sent again. */
const MAX_REPORTS = 64;
/** Counts of more words are sent in their own arrays, which costs less than a copy. */
const MAX_WORDS = 4096;

/** The worker's side. */
export class OutcomePacker {
  readonly #numbers = new WeakMap<CompilationReport, number>();
  #numSent = 0;
  #facts: number[] = [];
  #counts: number[] = [];
  #reports: CompilationReport[] = [];

  /** Whether nothing waits to be sent. */
  get isEmpty(): boolean {
    return this.#facts.length === 0;
  }

  /**
   * Adds the outcome of a circuit that came by itself, unless it is one to be sent by itself.
   *
   * @param beganAt - On the clock of `performance.now()`, like the `now` of `take`.
   */
  add(
    id: number,
    { outputs, compilation, reused, compileMs, executionMs, samplingMs = 0, ownMs }: RunOutcome,
    beganAt: number,
  ): boolean {
    if (compilation === undefined || reused === undefined) return false;
    const { countsByRow = [], statePasses = [], ...others } = outputs;
    for (const name in others) if (others[name as keyof typeof others] !== undefined) return false;
    const { numBits, wordsPerOutcome, outcomes, occurrences } = countsByRow[0]!;
    if (outcomes.length + occurrences.length > MAX_WORDS) return false;
    const report = this.#numberOf(compilation);
    this.#facts.push(id, beganAt, report, compileMs, statePasses[0]!);
    this.#facts.push(executionMs, samplingMs);
    this.#facts.push(numBits, wordsPerOutcome, occurrences.length, ownMs, REUSES.indexOf(reused));
    for (let i = 0; i < outcomes.length; i++) this.#counts.push(outcomes[i]!);
    for (let i = 0; i < occurrences.length; i++) this.#counts.push(occurrences[i]!);
    return true;
  }

  /** Takes the added outcomes. */
  take(now: number): PackedOutcomes {
    const facts = Float64Array.from(this.#facts);
    for (let at = 1; at < facts.length; at += NUM_FACTS) facts[at] = now - facts[at]!;
    const packed = { facts, counts: Uint32Array.from(this.#counts), reports: this.#reports };
    this.#facts = [];
    this.#counts = [];
    this.#reports = [];
    return packed;
  }

  #numberOf(report: CompilationReport): number {
    const known = this.#numbers.get(report);
    if (known !== undefined && known >= this.#numSent - MAX_REPORTS) return known;
    const number = this.#numSent++;
    this.#numbers.set(report, number);
    this.#reports.push(report);
    return number;
  }
}

/** The other side: one for each worker, because it remembers the reports of that worker. */
export class OutcomeUnpacker {
  /** By number, each in the place of the one that is no longer meant. */
  readonly #reports: CompilationReport[] = [];
  #numReceived = 0;

  /** The outcomes in the order in which they were added; each has arrays of its own. */
  unpack({ facts, counts, reports }: PackedOutcomes): readonly UnpackedOutcome[] {
    const firstNew = this.#numReceived;
    const unpacked: UnpackedOutcome[] = [];
    let word = 0;
    for (let at = 0; at < facts.length; at += NUM_FACTS) {
      const report = facts[at + 2]!;
      if (report === this.#numReceived) {
        this.#reports[report % MAX_REPORTS] = reports[report - firstNew]!;
        this.#numReceived++;
      }
      const wordsPerOutcome = facts[at + 8]!;
      const numOutcomes = facts[at + 9]!;
      const numWords = wordsPerOutcome * numOutcomes;
      const outcome: PackedOutcome = {
        outputs: {
          countsByRow: [
            {
              numBits: facts[at + 7]!,
              wordsPerOutcome,
              outcomes: counts.slice(word, word + numWords),
              occurrences: counts.slice(word + numWords, word + numWords + numOutcomes),
            },
          ],
          statePasses: [facts[at + 4]!],
        },
        compilation: this.#reports[report % MAX_REPORTS]!,
        reused: REUSES[facts[at + 11]!]!,
        compileMs: facts[at + 3]!,
        executionMs: facts[at + 5]!,
        samplingMs: facts[at + 6]!,
        ownMs: facts[at + 10]!,
      };
      word += numWords + numOutcomes;
      unpacked.push({ id: facts[at]!, begunAgoMs: facts[at + 1]!, outcome });
    }
    return unpacked;
  }
}
