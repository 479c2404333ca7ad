/**
 * Cooperative time slicing: long work yields to the event loop about every 10 ms.
 *
 * Engines run in worker threads, and a thread receives a cancel message only when its event loop
 * turns. Work is counted in units and the clock is read rarely, so a small circuit never yields and
 * pays one addition. Awaiting after every kernel instead would cost a small circuit more than its
 * arithmetic.
 */

/** Time between two pauses. */
const PAUSE_INTERVAL_MS = 10;

/** Most units to do without calling `spend`. A unit is about one amplitude's update, 2 to 5 ns. */
export const UNITS_PER_CHUNK = 2 ** 16;

/** Counts work and tells when to pause. */
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

  /** Adds work done. Returns true when it is time to `pause`. */
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
 * Resolves after one turn of the event loop, when other pending events have been handled.
 *
 * Node's setImmediate costs a microsecond or two. Browsers do not have it. There, a message to
 * oneself is queued behind pending events; timeouts are at least 4 ms, and `scheduler.yield`
 * goes ahead of other messages.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const setImmediate: ((resolve: () => void) => void) | undefined = Reflect.get(
      globalThis,
      'setImmediate',
    );
    if (setImmediate !== undefined) {
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
