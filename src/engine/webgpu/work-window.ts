/**
 * How much a device is given before it is waited for: enough that it never idles, little enough
 * that a run which is cancelled, or whose device fails, soon hears of it. Devices differ a
 * thousandfold, so the amount is learned.
 */

/** Between two waits. */
const TARGET_MS = 25;
/** Until the first wait tells more, and never less. */
const MIN_LIMIT = 2 ** 20;
/** A window grows by this at most: short ones measure little but the way there and back. */
const GROWTH = 4;

/** Counts work in units of any size, the same for all of a device's programs. */
export class WorkWindow {
  #limit = MIN_LIMIT;
  #given = 0;
  #startedMs = 0;

  /** Whether it is time to wait for what was given. */
  get isFull(): boolean {
    return this.#given >= this.#limit;
  }

  /** Notes work given to the device; true when it is time to wait for it. */
  add(units: number): boolean {
    this.#given += units;
    return this.isFull;
  }

  /** Notes that what was given is on its way. */
  submitted(): void {
    this.#startedMs = performance.now();
  }

  /** Notes that all work given has been done. */
  settled(): void {
    // A window that was not full says nothing of whether it could be larger.
    if (this.isFull) {
      const unitsPerMs = this.#given / Math.max(0.01, performance.now() - this.#startedMs);
      const wanted = unitsPerMs * TARGET_MS;
      this.#limit = Math.max(MIN_LIMIT, Math.min(GROWTH * this.#limit, wanted));
    }
    this.#given = 0;
  }

  /** Notes that something else waited for all work given, so that how long it took says nothing. */
  forget(): void {
    this.#given = 0;
  }
}
