/** Rolling run times of recent circuits, and what they say about a wait. */

/** Circuits remembered. */
const WINDOW = 64;

/** Below this, elapsed time over progress is mostly the time it took to begin. */
const MIN_FRACTION = 0.02;

/** A circuit under way. */
export interface UnderWay {
  readonly startedAt: number;
  /** Fraction done in [0, 1], as last reported. */
  readonly fraction: number;
}

/** The run times of the last circuits. Milliseconds throughout. */
export class RunTimes {
  readonly #window: number[] = [];
  #next = 0;
  #sum = 0;

  add(runMs: number): void {
    this.#sum += runMs - (this.#window[this.#next] ?? 0);
    this.#window[this.#next] = runMs;
    this.#next = (this.#next + 1) % WINDOW;
  }

  /** Mean of the window; 0 before the first circuit. */
  get meanMs(): number {
    return this.#window.length === 0 ? 0 : this.#sum / this.#window.length;
  }

  /**
   * Until a circuit that queues now would start: the work ahead of it, shared by all threads.
   *
   * A circuit under way is taken to go on at the rate of its reported progress, one without any to
   * take the mean; a waiting one to take the mean.
   */
  expectedWaitMs(
    underWay: readonly UnderWay[],
    numWaiting: number,
    numThreads: number,
    now: number,
  ): number {
    if (underWay.length + numWaiting < numThreads) return 0;
    const meanMs = this.meanMs;
    const remaining = underWay.map((run) => remainingMs(run, meanMs, now));
    // With nobody ahead in the queue the first thread to become free decides.
    if (numWaiting === 0) return Math.min(...remaining);
    const ahead = remaining.reduce((sum, ms) => sum + ms, 0) + numWaiting * meanMs;
    return ahead / numThreads;
  }
}

function remainingMs({ startedAt, fraction }: UnderWay, meanMs: number, now: number): number {
  const elapsedMs = now - startedAt;
  if (fraction >= MIN_FRACTION) return (elapsedMs * (1 - fraction)) / fraction;
  return Math.max(0, meanMs - elapsedMs);
}
