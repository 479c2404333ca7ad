/**
 * How many circuits go to the device at a time: enough that it does not wait for the host, few enough
 * that a cancelled run soon ends and no submit takes a device long. Devices differ a thousandfold, so
 * the amount is learned.
 */

/** What a piece should take. */
const TARGET_MS = 20;
const FIRST_UNITS = 2 ** 22;
const MIN_UNITS = 2 ** 16;

/** Learns in units of any size, the same for all batches of a shape. */
export class PieceSize {
  #units: number;

  constructor(firstUnits: number = FIRST_UNITS) {
    this.#units = firstUnits;
  }

  /** Circuits of the next piece, at least one. */
  circuits(unitsOfOne: number): number {
    return Math.max(1, Math.floor(this.#units / unitsOfOne));
  }

  /** Notes how long a piece took the device. */
  took(units: number, ms: number): void {
    // A piece that was not full says nothing of whether it could be larger.
    if (units > this.#units / 2 && ms < TARGET_MS / 2) this.#units *= 2;
    if (ms > 2 * TARGET_MS && this.#units > MIN_UNITS) this.#units /= 2;
  }
}
