/** A deadline whose clock may stand still. */

/** The clock; it runs from the start. */
export class StopClock {
  readonly #onOver: () => void;
  /** At `#since`, or while it stands still. */
  #leftMs: number;
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** @param onOver - Called once it has run for `limitMs`. */
  constructor(limitMs: number, onOver: () => void) {
    this.#leftMs = limitMs;
    this.#onOver = onOver;
    this.resume();
  }

  /** Stands still from now on. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#since;
  }

  /** Runs on. */
  resume(): void {
    if (this.#timer !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onOver, Math.max(0, this.#leftMs));
  }
}
