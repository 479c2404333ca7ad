/**
 * Health monitor: whether a processor would run a request, by the outcome of its last self-test. The test
 * is repeated on a schedule, at once after a failure, and with growing delays while it fails.
 *
 * A self-test runs on the engines of requests, ahead of the queue, and so may have to wait until a
 * running circuit has ended. Meanwhile:
 * - The last outcome stands, with the time it was found, as long as there are signs of life: a
 *   circuit finished or progressed, or an engine opened, within `stallMs`.
 * - Without one for that long, with the self-test still waiting, the processor is not available.
 * - A self-test that has started and has not ended after `limitMs` has failed.
 *
 * An engine that passes its self-tests and still fails under circuits is put in quarantine: it is tested
 * at once after its first fault, and after a growing delay after each further one, so that an unstable
 * engine does not take one circuit after the other down.
 */
import type { Availability } from './processor.ts';

/** The shortest delay of a self-test after one that failed again; it doubles up to `longestRetryMs`. */
const FIRST_RETRY_MS = 1000;
/** Faults within this time count together, and the more there are the longer is the quarantine. */
const FAULT_MEMORY_MS = 600_000;
const LONGEST_QUARANTINE_MS = 60_000;

/** Options of a monitor. Durations in milliseconds. */
export interface HealthMonitorOptions {
  /** Runs the self-test; resolves to the fault of the answer, undefined if there is none. */
  readonly selfTest: (onStarted: () => void, signal: AbortSignal) => Promise<string | undefined>;
  /** When there was the last sign of life, on the clock of `performance.now()`. */
  readonly lastSignOfLife: () => number;
  readonly onChange: (availability: Availability) => void;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Between self-tests; default 30 s. */
  readonly intervalMs?: number;
  /** The longest delay of a self-test after one that failed; default `intervalMs`. */
  readonly longestRetryMs?: number;
  /** A started self-test's time; default 10 s. */
  readonly limitMs?: number;
  /** A waiting self-test's time without a sign of life; default 60 s. */
  readonly stallMs?: number;
  /** Noun for the work whose progress is a sign of life, for messages; default `circuit`. */
  readonly work?: string;
}

/** Keeps the outcome of a repeated self-test. */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #intervalMs: number;
  readonly #longestRetryMs: number;
  readonly #limitMs: number;
  readonly #stallMs: number;
  readonly #closing = new AbortController();
  #outcome: Availability;
  #numFailures = 0;
  #nextTimer: NodeJS.Timeout | undefined;
  /** Start of the next self-test, on the clock of `performance.now()`; undefined while none is scheduled. */
  #nextAt: number | undefined;
  #underWay: Promise<void> | undefined;
  /** When there were faults, on the clock of `performance.now()`. */
  #faults: readonly number[] = [];
  #quarantineEndsAt = 0;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
    this.#intervalMs = options.intervalMs ?? 30_000;
    this.#longestRetryMs = options.longestRetryMs ?? this.#intervalMs;
    this.#limitMs = options.limitMs ?? 10_000;
    this.#stallMs = options.stallMs ?? 60_000;
    this.#outcome = {
      available: false,
      reason: 'The first self-test is not through yet.',
      checkedAt: options.now(),
    };
  }

  /**
   * The last outcome; while it is bad, with the seconds until the next self-test. They are 1 while a self-test
   * is under way, and before the first one.
   */
  get availability(): Availability {
    const { available, reason, checkedAt } = this.#outcome;
    if (available || reason === undefined) return { available, checkedAt };
    const untilNextMs = this.#nextAt === undefined ? 0 : this.#nextAt - performance.now();
    return {
      available,
      reason,
      checkedAt,
      retryAfterS: Math.max(1, Math.ceil(untilNextMs / 1000)),
    };
  }

  /** Runs the self-test now, unless in quarantine, or joins the one under way; schedules the next. */
  check(): Promise<void> {
    if (this.#closing.signal.aborted || performance.now() < this.#quarantineEndsAt) {
      return Promise.resolve();
    }
    return this.#checkNow();
  }

  /** Records a fault since the last self-test at once, and runs the next one in due time. */
  fail(reason: string): void {
    if (this.#closing.signal.aborted) return;
    const now = performance.now();
    this.#faults = [...this.#faults.filter((at) => now - at < FAULT_MEMORY_MS), now];
    const quarantineMs = quarantineAfter(this.#faults.length);
    this.#quarantineEndsAt = now + quarantineMs;
    if (quarantineMs > 0) this.#scheduleIn(quarantineMs);
    this.#conclude(reason);
    void this.check();
  }

  /** Stops; the last outcome stands. */
  close(): void {
    clearTimeout(this.#nextTimer);
    this.#closing.abort();
  }

  #checkNow(): Promise<void> {
    this.#underWay ??= this.#checkOnce().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #checkOnce(): Promise<void> {
    clearTimeout(this.#nextTimer);
    this.#nextAt = undefined;
    const reason = await this.#runSelfTest();
    if (this.#closing.signal.aborted) return;
    // A fault while the self-test was under way has the last word.
    const isInQuarantine = performance.now() < this.#quarantineEndsAt;
    if (!isInQuarantine || reason !== undefined) this.#conclude(reason);
    this.#numFailures = reason === undefined ? 0 : this.#numFailures + 1;
    this.#schedule();
  }

  /** Resolves to why the self-test failed. */
  async #runSelfTest(): Promise<string | undefined> {
    const limit = new AbortController();
    const signal = AbortSignal.any([limit.signal, this.#closing.signal]);
    const watch = this.#watchForStall();
    let limitTimer: NodeJS.Timeout | undefined;
    const onStarted = () => {
      clearInterval(watch);
      // Once more where it starts over: it has its time from then.
      clearTimeout(limitTimer);
      limitTimer = setTimeout(() => limit.abort(), this.#limitMs);
    };
    try {
      return await this.#options.selfTest(onStarted, signal);
    } catch (error) {
      if (limit.signal.aborted) return `The self-test was not through after ${this.#limitMs} ms.`;
      return `The self-test failed: ${messageOf(error)}`;
    } finally {
      clearInterval(watch);
      clearTimeout(limitTimer);
    }
  }

  /** While the self-test waits for a thread. */
  #watchForStall(): NodeJS.Timeout {
    const begun = performance.now();
    return setInterval(() => {
      const lastSign = Math.max(begun, this.#options.lastSignOfLife());
      if (performance.now() - lastSign < this.#stallMs) return;
      this.#conclude(
        `No ${this.#options.work ?? 'circuit'} has finished or progressed for ${this.#stallMs} ms, and the self-test waits.`,
      );
    }, this.#stallMs / 4).unref();
  }

  #conclude(reason: string | undefined): void {
    const checkedAt = this.#options.now();
    this.#outcome =
      reason === undefined
        ? { available: true, checkedAt }
        : { available: false, reason, checkedAt };
    this.#options.onChange(this.#outcome);
  }

  #schedule(): void {
    this.#scheduleIn(Math.max(this.#delayMs(), this.#quarantineEndsAt - performance.now()));
  }

  #scheduleIn(delayMs: number): void {
    clearTimeout(this.#nextTimer);
    this.#nextAt = performance.now() + delayMs;
    this.#nextTimer = setTimeout(() => void this.#checkNow(), delayMs).unref();
  }

  /** Once at once after a first failure, which may have been bad luck; then doubling. */
  #delayMs(): number {
    if (this.#numFailures === 0) return this.#intervalMs;
    if (this.#numFailures === 1) return 0;
    return Math.min(this.#longestRetryMs, FIRST_RETRY_MS * 2 ** (this.#numFailures - 2));
  }
}

/** Milliseconds: none after the first fault, then doubling from a second on. */
function quarantineAfter(numFaults: number): number {
  if (numFaults <= 1) return 0;
  return Math.min(LONGEST_QUARANTINE_MS, FIRST_RETRY_MS * 2 ** (numFaults - 2));
}

/** An error's message, and that of its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
