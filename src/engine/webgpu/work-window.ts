/**
 * How much a device is given before it is waited for: enough that it never idles, little enough
 * that a run which is cancelled, or whose device fails, soon hears of it. Devices differ a
 * thousandfold, so their rate is learned.
 */

/** Between two waits. */
const TARGET_MS = 50;
/** Until the first wait tells more, and never less. */
const MIN_LIMIT = 2 ** 20;
/** A window grows by this at most: short ones measure little but the way there and back. */
const GROWTH = 8;

/** Counts work in units of any size, the same for all of a device's programs. */
export class WorkWindow {
  #limit = MIN_LIMIT;
  #unitsPerMs = 0;
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

  /** Notes that what was given is submitted. @returns How long it takes at least; 0 when unknown. */
  submitted(): number {
    this.#startedMs = performance.now();
    // A rate that was learned while a driver compiled may be a thousand times too low.
    return this.#unitsPerMs === 0 ? 0 : Math.min(TARGET_MS, this.#given / this.#unitsPerMs);
  }

  /** Notes that all work given has been done. */
  settled(): void {
    const tookMs = Math.max(0.01, performance.now() - this.#startedMs);
    // A window that was not full says nothing of whether it could be larger.
    if (this.isFull) {
      const rate = this.#given / tookMs;
      this.#unitsPerMs = this.#unitsPerMs === 0 ? rate : (this.#unitsPerMs + rate) / 2;
      const wanted = this.#unitsPerMs * TARGET_MS;
      this.#limit = Math.max(MIN_LIMIT, Math.min(GROWTH * this.#limit, wanted));
    }
    this.#given = 0;
  }

  /** Notes that something else waited for all work given, so that how long it took says nothing. */
  forget(): void {
    this.#given = 0;
  }
}
