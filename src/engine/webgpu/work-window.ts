/**
 * How much a device is given before it is waited for: enough that it never idles, little enough
 * that a run which is cancelled, or whose device fails, soon hears of it. Devices differ a
 * thousandfold, so the amount is learned.
 */

/** Between two waits. */
const TARGET_MS = 20;
const FIRST_LIMIT = 2 ** 20;

/** Counts work in units of any size, the same for all of a device's programs. */
export class WorkWindow {
  #limit = FIRST_LIMIT;
  #given = 0;
  #startedMs = 0;

  /** Notes work given to the device; true when it is time to wait for it. */
  add(units: number): boolean {
    if (this.#given === 0) this.#startedMs = performance.now();
    this.#given += units;
    return this.#given >= this.#limit;
  }

  /** Notes that all work given has been done. */
  settled(): void {
    const tookMs = performance.now() - this.#startedMs;
    // A window that was not full says nothing of whether it could be larger.
    if (this.#given >= this.#limit && tookMs < TARGET_MS / 2) this.#limit *= 2;
    if (tookMs > 2 * TARGET_MS && this.#limit > 1) this.#limit /= 2;
    this.forget();
  }

  /** Notes that something else waited for all work given, so that how long it took says nothing. */
  forget(): void {
    this.#given = 0;
  }
}
