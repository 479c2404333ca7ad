/**
 * Whether a processor would run a request: the outcome of the last self-test, which is repeated on
 * a schedule, at once after a failure, and with growing delays while it fails.
 *
 * A self-test takes the same way as requests, ahead of the queue, and so may have to wait until a
 * circuit under way is through. What is said meanwhile:
 * - The last outcome stands, with the time it was found, as long as there are signs of life: a
 *   circuit finished or progressed, or an engine opened, within `stallMs`.
 * - Without one for that long, with the self-test still waiting, the processor is not available.
 * - A self-test that has started and is not through after `limitMs` has failed.
 */
import type { Availability } from './processor.ts';

/** Delays of the self-tests after one that failed; the last one is the schedule's interval. */
const FIRST_RETRY_MS = 1000;

/** How a monitor works. Durations in milliseconds. */
export interface HealthMonitorOptions {
  /** Runs the self-test; resolves to what is wrong with the answer, undefined when nothing is. */
  readonly selfTest: (onStarted: () => void, signal: AbortSignal) => Promise<string | undefined>;
  /** When there was the last sign of life, on the clock of `performance.now()`. */
  readonly lastSignOfLife: () => number;
  readonly onChange: (availability: Availability) => void;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Between self-tests; default 30 s. */
  readonly intervalMs?: number;
  /** A started self-test's time; default 10 s. */
  readonly limitMs?: number;
  /** A waiting self-test's time without a sign of life; default 60 s. */
  readonly stallMs?: number;
}

/** Keeps the outcome of a repeated self-test. */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #intervalMs: number;
  readonly #limitMs: number;
  readonly #stallMs: number;
  readonly #closing = new AbortController();
  #outcome: Availability;
  #numFailures = 0;
  #nextTimer: NodeJS.Timeout | undefined;
  #nextAt: number | undefined;
  #underWay: Promise<void> | undefined;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
    this.#intervalMs = options.intervalMs ?? 30_000;
    this.#limitMs = options.limitMs ?? 10_000;
    this.#stallMs = options.stallMs ?? 60_000;
    this.#outcome = {
      available: false,
      reason: 'The first self-test is not through yet.',
      checkedAt: options.now(),
    };
  }

  /** The last outcome; while it is bad, with the seconds until the next self-test. */
  get availability(): Availability {
    const { available, reason, checkedAt } = this.#outcome;
    if (available || reason === undefined) return { available, checkedAt };
    if (this.#nextAt === undefined) return { available, reason, checkedAt };
    const untilNextMs = this.#nextAt - performance.now();
    return {
      available,
      reason,
      checkedAt,
      retryAfterS: Math.max(1, Math.ceil(untilNextMs / 1000)),
    };
  }

  /** Runs the self-test now, or joins the one under way, and schedules the next. */
  check(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    this.#underWay ??= this.#checkOnce().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** Says at once what happened since the last self-test, and runs the next one now. */
  fail(reason: string): void {
    if (this.#closing.signal.aborted) return;
    this.#conclude(reason);
    void this.check();
  }

  /** Stops; the last outcome stands. */
  close(): void {
    clearTimeout(this.#nextTimer);
    this.#closing.abort();
  }

  async #checkOnce(): Promise<void> {
    clearTimeout(this.#nextTimer);
    this.#nextAt = undefined;
    const reason = await this.#runSelfTest();
    if (this.#closing.signal.aborted) return;
    this.#conclude(reason);
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
        `No circuit has finished or progressed for ${this.#stallMs} ms, and the self-test waits.`,
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
    const delayMs = this.#delayMs();
    this.#nextAt = performance.now() + delayMs;
    this.#nextTimer = setTimeout(() => void this.check(), delayMs).unref();
  }

  /** Once at once after a first failure, which may have been bad luck; then doubling. */
  #delayMs(): number {
    if (this.#numFailures === 0) return this.#intervalMs;
    if (this.#numFailures === 1) return 0;
    return Math.min(this.#intervalMs, FIRST_RETRY_MS * 2 ** (this.#numFailures - 2));
  }
}

/** An error's message, and that of its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
