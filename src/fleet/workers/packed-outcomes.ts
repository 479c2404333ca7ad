/**
 * Packed outcomes: the outcomes of many small circuits in three objects to clone, numbers, counts and
 * reports.
 *
 * Receiving an outcome as objects takes the main thread longer than many a circuit takes to run; most of
 * it is arrays of a few numbers and a compilation report that is the same each time. A report is
 * sent with the first outcome that has it and is meant by its number after that.
 */
import type { CompilationReport } from '../../compiler/compile.ts';
import type { Counts } from '../../engine/engine.ts';
import { type PackedOutcomes, REUSES, type RunOutcome } from './worker-messages.ts';

/** An outcome that has crossed. */
interface UnpackedOutcome {
  readonly id: number;
  readonly outcome: PackedOutcome;
  /** From its begin until the outcomes were sent, milliseconds. */
  readonly begunAgoMs: number;
}

/** What is packed. A field that `unpack` does not make does not compile. */
interface PackedOutcome extends Required<RunOutcome> {
  readonly outputs: {
    readonly countsByRow: readonly [Required<Counts>];
    readonly statePasses: readonly [number];
  };
}

/** Numbers of an outcome in `facts`; `add` writes them in the order in which `unpack` reads them. */
const NUM_FACTS = 12;
/** Reports that both sides remember. A report that is more than so many back is sent again. */
const MAX_REPORTS = 64;
/** Beyond so many words a copy costs more than an array of one's own. */
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

  /** Takes what was added. */
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

/** The other side: one for each worker, because it remembers what that worker sent. */
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
