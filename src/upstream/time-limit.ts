/**
 * A signal that aborts after a time, together with another signal, or on request.
 *
 * Not `AbortSignal.any` over `AbortSignal.timeout`: the timer of that cannot be cleared, and would
 * outlive each of thousands of short requests by half a minute.
 */
export class TimeLimit implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal;
  #isOver = false;

  constructor(limitMs: number, outer: AbortSignal) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.abort();
    }, limitMs).unref();
    outer.addEventListener('abort', this.abort);
    if (outer.aborted) this.abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time was up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborts before the time is up. */
  readonly abort = (): void => this.#controller.abort();

  /** Stops watching the time and the other signal. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.abort);
  }
}
