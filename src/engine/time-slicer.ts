/**
 * Lets long work pause: engines run in worker threads that must hear a cancel message, and a
 * thread hears nothing until its event loop turns.
 *
 * Work is counted in units and the clock is read once in a while, so a small circuit never pauses
 * and pays an addition. The alternative, awaiting after every kernel, costs small circuits more
 * than their arithmetic.
 */

/** Work between two pauses. */
const PAUSE_INTERVAL_MS = 10;

/** The most units to do at a stretch; a unit is about one amplitude's update, 2 to 5 ns. */
export const UNITS_PER_CHUNK = 2 ** 16;

/** Counts work, and pauses it about every 10 ms. */
export class TimeSlicer {
  readonly #signal: AbortSignal;
  readonly #onPause: () => void;
  #units = 0;
  #nextPause = performance.now() + PAUSE_INTERVAL_MS;

  /** @param onPause - Called before each pause. */
  constructor(signal: AbortSignal, onPause: () => void) {
    this.#signal = signal;
    this.#onPause = onPause;
  }

  /** Notes work done; true when it is time to `pause`. */
  spend(units: number): boolean {
    this.#units += units;
    if (this.#units < UNITS_PER_CHUNK) return false;
    this.#units = 0;
    return performance.now() >= this.#nextPause;
  }

  /**
   * Lets the event loop turn once.
   *
   * @throws the signal's reason, if it has aborted.
   */
  async pause(): Promise<void> {
    this.#onPause();
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#nextPause = performance.now() + PAUSE_INTERVAL_MS;
  }
}

/**
 * Resolves when the event loop has turned: what else waits for it has had its chance.
 *
 * Node's setImmediate costs a microsecond or two. A browser has no such thing; of what it has, a
 * message to oneself takes its place behind what already waits, where timeouts are stretched to 4 ms
 * and `scheduler.yield` goes ahead of others' messages.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') {
      setImmediate(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
