/**
 * How much a device is given before it is waited for: enough that it never idles, little enough
 * that a run which is cancelled, or whose device fails, soon hears of it. Devices differ a
 * thousandfold, so their rate is learned.
 *
 * A promise of the device's that is waited for turns the event loop without a rest, so most of the
 * time that a full window takes is slept before.
 */

/** Between two waits. */
const TARGET_MS = 25;
/** Until the first wait tells more, and never less. */
const MIN_LIMIT = 2 ** 20;
/** A window grows by this at most: short ones measure little but the way there and back. */
const GROWTH = 4;
/** The part of an expected time that is slept, and what waking up may take. */
const SLEPT = 0.95;
const WAKING_MS = 1;
/** Whoever waits less than this after sleeping has slept too long. */
const OVERSLEPT_MS = 0.5;
const OVERSLEPT_FACTOR = 4;

/** Counts work in units of any size, the same for all of a device's programs. */
export class WorkWindow {
  #limit = MIN_LIMIT;
  /** Learned; 0 at first. */
  #unitsPerMs = 0;
  #given = 0;
  #startedMs = 0;
  /** When the sleep for this window was over; undefined without one. */
  #wokeMs: number | undefined;

  /** Whether it is time to wait for what was given. */
  get isFull(): boolean {
    return this.#given >= this.#limit;
  }

  /** Notes work given to the device; true when it is time to wait for it. */
  add(units: number): boolean {
    this.#given += units;
    return this.isFull;
  }

  /** Sleeps for most of what the work takes that is submitted now; not at all for a little. */
  async sleep(): Promise<void> {
    this.#startedMs = performance.now();
    this.#wokeMs = undefined;
    if (!this.isFull || this.#unitsPerMs === 0) return;
    // However wrong the rate is, no sleep is longer than a window is meant to take.
    const expectedMs = Math.min(TARGET_MS, this.#given / this.#unitsPerMs);
    const restMs = expectedMs * SLEPT - WAKING_MS;
    if (restMs < WAKING_MS) return;
    await new Promise((resolve) => setTimeout(resolve, restMs));
    this.#wokeMs = performance.now();
  }

  /** Notes that all work given has been done. */
  settled(): void {
    // A window that was not full says nothing of whether it could be larger.
    if (this.isFull) this.#learn(performance.now());
    this.#given = 0;
  }

  /** Notes that something else waited for all work given, so that how long it took says nothing. */
  forget(): void {
    this.#given = 0;
  }

  #learn(nowMs: number): void {
    if (this.#wokeMs !== undefined && nowMs - this.#wokeMs < OVERSLEPT_MS) {
      // It may have been done long before: a rate that was learned while a driver compiled.
      this.#unitsPerMs *= OVERSLEPT_FACTOR;
    } else {
      this.#unitsPerMs = this.#given / Math.max(0.01, nowMs - this.#startedMs);
    }
    const wanted = this.#unitsPerMs * TARGET_MS;
    this.#limit = Math.max(MIN_LIMIT, Math.min(GROWTH * this.#limit, wanted));
  }
}
