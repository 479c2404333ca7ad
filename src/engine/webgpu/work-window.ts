/**
 * Learns how much work to give a device before waiting for it: enough that it never idles, little
 * enough that a cancelled or failed run is noticed soon. Devices differ a thousandfold in speed.
 */

/** Target time between two waits. */
const TARGET_MS = 50;
/** Initial and smallest window, in work units. */
const MIN_LIMIT = 2 ** 20;
/** Largest growth of a window at a time: a short window measures mostly the round trip. */
const GROWTH = 4;

/**
 * Learned window of work in flight. Units may be of any size, but the same for all programs of a
 * device.
 */
export class WorkWindow {
  #limit = MIN_LIMIT;
  #given = 0;
  #startedMs = 0;

  /** Whether the window is full and the device should be waited for. */
  get isFull(): boolean {
    return this.#given >= this.#limit;
  }

  /** Adds work given to the device. Returns true if the window is full. */
  add(units: number): boolean {
    this.#given += units;
    return this.isFull;
  }

  /** Starts the measurement: the work given has been submitted. */
  submitted(): void {
    this.#startedMs = performance.now();
  }

  /** Ends the measurement: all work given has been done. */
  settled(): void {
    // A window that was not full says nothing about larger ones.
    if (this.isFull) {
      const unitsPerMs = this.#given / Math.max(0.01, performance.now() - this.#startedMs);
      const wanted = unitsPerMs * TARGET_MS;
      this.#limit = Math.max(MIN_LIMIT, Math.min(GROWTH * this.#limit, wanted));
    }
    this.#given = 0;
  }

  /** Discards the measurement, because something else waited for the work given. */
  forget(): void {
    this.#given = 0;
  }
}
