/**
 * Statistics of the runs of an agent or of the TPU fleet: counts by outcome, current rate, and durations.
 *
 * The rate covers a sliding window of 60 buckets, so memory does not grow with the runs. The divisor is
 * the time that the buckets really cover: the time since the start while that is shorter than the window,
 * but at least one bucket, so that a first run after a millisecond does not read as a thousand per
 * second.
 */

const NUM_BUCKETS = 60;
const DEFAULT_WINDOW_MS = 60_000;
/** Number of recent runs whose durations are kept. */
const NUM_DURATIONS = 256;

/** Outcome of a run. */
export type RunOutcome = 'completed' | 'failed' | 'cancelled';

/** Statistics at the time `measuredAt`. */
export interface RunStatisticsSnapshot {
  /** Completed runs since the start; `failed` and `cancelled` count from the start, too. */
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Runs completed within the window, per second. */
  readonly completedPerS: number;
  /** Units of work of those runs, per second. */
  readonly unitsPerS: number;
  /** Time that both rates cover, seconds. */
  readonly windowS: number;
  /** Milliseconds since 1970 UTC. */
  readonly measuredAt: number;
  /** Median duration of the last 256 completed runs, milliseconds; null before the first. */
  readonly p50Ms: number | null;
  /** 95th percentile of those durations, milliseconds. */
  readonly p95Ms: number | null;
}

/** Clocks and window of the statistics. */
export interface RunStatisticsOptions {
  /**
   * Wall clock, milliseconds since 1970 UTC; used for `measuredAt` alone, because it jumps when it is
   * set.
   */
  readonly now: () => number;
  /** Monotonic clock, milliseconds; `performance.now()` unless given. */
  readonly elapsedMs?: () => number;
  /** Length of the window, milliseconds above 0; 60,000 unless given. */
  readonly windowMs?: number;
}

/** Counts runs and computes their rate and durations. */
export class RunStatistics {
  readonly #now: () => number;
  readonly #elapsedMs: () => number;
  readonly #bucketMs: number;
  readonly #completions = new Float64Array(NUM_BUCKETS);
  readonly #units = new Float64Array(NUM_BUCKETS);
  readonly #durations = new Float64Array(NUM_DURATIONS);
  readonly #totals: Record<RunOutcome, number> = { completed: 0, failed: 0, cancelled: 0 };
  /** Start of the first window, on the clock of `elapsedMs`. */
  readonly #startedAt: number;
  /** Number of the newest bucket since `#startedAt`. */
  #bucket = 0;

  /** @throws {RangeError} if the window is not a positive finite number. */
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
   * Records a run that ended.
   *
   * @param durationMs - From start to end, without waits in queues.
   * @param units - Units of work done; counted for completed runs only.
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

  /** Clears the buckets that have expired; returns the time on the clock of `elapsedMs`. */
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

  /** Time that the buckets cover, milliseconds: the newest until now, the others in full. */
  #coveredMs(now: number): number {
    const firstBucket = Math.max(0, this.#bucket - NUM_BUCKETS + 1);
    return Math.max(this.#bucketMs, now - this.#startedAt - firstBucket * this.#bucketMs);
  }
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Quantile by nearest rank: the smallest value that at least this part of all do not exceed; null without
 * values.
 */
function nearestRank(sorted: Float64Array, part: number): number | null {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? null;
}
