/** A deadline that can be paused. */

/** A deadline that can be paused; its clock runs from construction. */
export class StopClock {
  readonly #onOver: () => void;
  /** Milliseconds left at `#since`, or while paused. */
  #leftMs: number;
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** @param onOver - Called once the clock has run for `limitMs` milliseconds. */
  constructor(limitMs: number, onOver: () => void) {
    this.#leftMs = limitMs;
    this.#onOver = onOver;
    this.resume();
  }

  /** Stops the clock. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#since;
  }

  /** Restarts the clock. */
  resume(): void {
    if (this.#timer !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onOver, Math.max(0, this.#leftMs));
  }
}
