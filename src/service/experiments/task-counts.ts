/**
 * Counts of one task, and when it ends.
 *
 * Chunks of shots are counted in their order, and after each the limits are looked at. Chunks that were computed beyond
 * the end are left out, so that the counts do not depend on how many ran at the same time.
 */
import { CHUNK_SHOTS, type Tally } from '../../fleet/error-counting.ts';
import { type ErrorRate, errorRate, type ShotCounts } from './error-rate.ts';

/** When a task ends: at the first limit that is reached. */
export interface StopRule {
  readonly maxShots: number;
  readonly maxErrors?: number;
  /** Half the interval's length, as a part of the rate. */
  readonly relativeError?: number;
}

/** Counts of the first chunks of a task. */
export interface CountedChunks extends ShotCounts {
  /** Milliseconds of sampling and decoding. */
  readonly ms: number;
  readonly numChunks: number;
}

/** Before the first chunk. */
export const NONE: CountedChunks = { shots: 0, errors: 0, discards: 0, ms: 0, numChunks: 0 };

/** Counts the chunks of a task. */
export class TaskCounts {
  readonly #rule: StopRule;
  #counted: CountedChunks;
  #fraction = 0;
  /** Tallies of later chunks by their index, until those before them are there. */
  readonly #ahead = new Map<number, Tally>();

  /** @param counted - Chunks that were counted before a restart. */
  constructor(rule: StopRule, counted: CountedChunks = NONE) {
    this.#rule = rule;
    this.#counted = counted;
    this.#fraction = fractionDone(rule, counted);
  }

  get counted(): CountedChunks {
    return this.#counted;
  }

  /** Part of the way to the nearest limit, in [0, 1]. */
  get fraction(): number {
    return this.#fraction;
  }

  get isDone(): boolean {
    return this.#fraction >= 1;
  }

  /** Chunks until the limit of shots. */
  get mostChunks(): number {
    return Math.ceil(this.#rule.maxShots / CHUNK_SHOTS);
  }

  /** Chunks after which the task is expected to end, by its rate so far. */
  get expectedChunks(): number {
    const { numChunks } = this.#counted;
    if (this.#fraction === 0) return this.mostChunks;
    return Math.min(this.mostChunks, Math.ceil(numChunks / this.#fraction));
  }

  /** Adds the tally of a chunk. */
  add(chunk: number, tally: Tally): void {
    this.#ahead.set(chunk, tally);
    while (!this.isDone) {
      const { shots, errors, discards, ms, numChunks } = this.#counted;
      const next = this.#ahead.get(numChunks);
      if (next === undefined) return;
      this.#ahead.delete(numChunks);
      this.#counted = {
        shots: shots + next.shots,
        errors: errors + next.errors,
        discards: discards + next.discards,
        ms: ms + next.ms,
        numChunks: numChunks + 1,
      };
      this.#fraction = fractionDone(this.#rule, this.#counted);
    }
    this.#ahead.clear();
  }
}

function fractionDone(
  { maxShots, maxErrors = Number.POSITIVE_INFINITY, relativeError }: StopRule,
  counts: ShotCounts,
): number {
  const { shots, errors } = counts;
  const ofErrors =
    relativeError === undefined ? 0 : precisionReached(relativeError, errorRate(counts));
  return Math.min(1, Math.max(shots / maxShots, errors / maxErrors, ofErrors));
}

/** The wanted relative error as a part of the present one, squared: it falls with the root of the shots. */
export function precisionReached(wanted: number, found: ErrorRate | undefined): number {
  if (found === undefined || found.rate === 0) return 0;
  const { rate, low, high } = found;
  return ((2 * wanted * rate) / (high - low)) ** 2;
}
