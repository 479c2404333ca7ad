/**
 * What the runs of an agent or of the TPU fleet amount to: how many ended how, how fast they end now,
 * and how long they take.
 *
 * The rate is taken over a window that moves along in buckets of a sixtieth, so that memory does not
 * grow with the runs. What is divided by is the time that the buckets in hand really cover: the time
 * since the start as long as that is shorter than the window, but never less than one bucket, lest a
 * first run after a millisecond reads as a thousand a second.
 */

const NUM_BUCKETS = 60;
const DEFAULT_WINDOW_MS = 60_000;
/** Runs whose durations are kept. */
const NUM_DURATIONS = 256;

/** Outcome of a run. */
export type RunOutcome = 'completed' | 'failed' | 'cancelled';

/** Statistics at the time `measuredAt`. */
export interface RunStatisticsSnapshot {
  /** Since the start; so are `failed` and `cancelled`. */
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Runs that were completed within the window, a second. */
  readonly completedPerS: number;
  /** Their units of work, a second. */
  readonly unitsPerS: number;
  /** Seconds that both rates were taken over. */
  readonly windowS: number;
  /** Milliseconds since 1970 UTC. */
  readonly measuredAt: number;
  /** Median duration of the last 256 completed runs, milliseconds; null before the first. */
  readonly p50Ms: number | null;
  /** Duration that 95 of 100 of them do not exceed. */
  readonly p95Ms: number | null;
}

/** Clocks and window of the statistics. */
export interface RunStatisticsOptions {
  /** Milliseconds since 1970 UTC, for `measuredAt` alone: it jumps when the machine's clock is set. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back; `performance.now()` unless given. */
  readonly elapsedMs?: () => number;
  /** Milliseconds, above 0; 60,000 unless given. */
  readonly windowMs?: number;
}

/** Counts runs and tells their rate. */
export class RunStatistics {
  readonly #now: () => number;
  readonly #elapsedMs: () => number;
  readonly #bucketMs: number;
  readonly #completions = new Float64Array(NUM_BUCKETS);
  readonly #units = new Float64Array(NUM_BUCKETS);
  readonly #durations = new Float64Array(NUM_DURATIONS);
  readonly #totals: Record<RunOutcome, number> = { completed: 0, failed: 0, cancelled: 0 };
  /** When the window began to fill, on the clock of `elapsedMs`. */
  readonly #startedAt: number;
  /** The newest bucket, counted from `#startedAt`. */
  #bucket = 0;

  /** @throws {RangeError} if the window is not a length of time. */
  constructor({
    now,
    elapsedMs = () => performance.now(),
    windowMs = DEFAULT_WINDOW_MS,
  }: RunStatisticsOptions) {
    if (!(windowMs > 0 && Number.isFinite(windowMs))) {
      throw new RangeError(`${windowMs} ms is no window.`);
    }
    this.#now = now;
    this.#bucketMs = windowMs / NUM_BUCKETS;
    this.#elapsedMs = elapsedMs;
    this.#startedAt = elapsedMs();
  }

  /**
   * A run has ended.
   *
   * @param durationMs - From its start to its end, without waits in queues.
   * @param units - Of work that it did; only those of completed runs count.
   */
  finished(outcome: RunOutcome, durationMs: number, units: number): void {
    this.#advance();
    const numCompleted = this.#totals.completed;
    this.#totals[outcome]++;
    if (outcome !== 'completed') return;
    const place = this.#bucket % NUM_BUCKETS;
    this.#completions[place]! += 1;
    this.#units[place]! += units;
    this.#durations[numCompleted % NUM_DURATIONS] = durationMs;
  }

  /** The statistics now. */
  snapshot(): RunStatisticsSnapshot {
    const windowS = this.#coveredMs(this.#advance()) / 1000;
    const durations = this.#durations.slice(0, this.#totals.completed).sort();
    return {
      ...this.#totals,
      completedPerS: sum(this.#completions) / windowS,
      unitsPerS: sum(this.#units) / windowS,
      windowS,
      measuredAt: this.#now(),
      p50Ms: nearestRank(durations, 0.5),
      p95Ms: nearestRank(durations, 0.95),
    };
  }

  /** Clears the buckets that time has passed; gives the time, on the clock of `elapsedMs`. */
  #advance(): number {
    const now = this.#elapsedMs();
    const bucket = Math.floor((now - this.#startedAt) / this.#bucketMs);
    const numPassed = Math.min(bucket - this.#bucket, NUM_BUCKETS);
    for (let passed = 0; passed < numPassed; passed++) {
      this.#completions[(bucket - passed) % NUM_BUCKETS] = 0;
      this.#units[(bucket - passed) % NUM_BUCKETS] = 0;
    }
    this.#bucket = bucket;
    return now;
  }

  /** Time that the buckets cover: the newest up to now, the others in full. Milliseconds. */
  #coveredMs(now: number): number {
    const firstBucket = Math.max(0, this.#bucket - NUM_BUCKETS + 1);
    return Math.max(this.#bucketMs, now - this.#startedAt - firstBucket * this.#bucketMs);
  }
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The smallest value that so many parts of all do not exceed; null of none. */
function nearestRank(sorted: Float64Array, part: number): number | null {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? null;
}
