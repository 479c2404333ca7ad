/**
 * Learns how many circuits to send to a device at a time: enough that the device does not wait for
 * the host, few enough that a cancelled run ends soon and no submit takes long. Devices differ a
 * thousandfold in speed.
 */

/** Target duration of a piece. */
const TARGET_MS = 20;
const FIRST_UNITS = 2 ** 22;
const MIN_UNITS = 2 ** 16;

/** Learned size of pieces, in work units. */
export class PieceSize {
  #units: number;

  constructor(firstUnits: number = FIRST_UNITS) {
    this.#units = firstUnits;
  }

  /** Number of circuits of the next piece, at least one. */
  circuits(unitsOfOne: number): number {
    return Math.max(1, Math.floor(this.#units / unitsOfOne));
  }

  /** Records how long a piece took. */
  took(units: number, ms: number): void {
    // A piece far below the size says nothing about larger ones.
    if (units > this.#units / 2 && ms < TARGET_MS / 2) this.#units *= 2;
    if (ms > 2 * TARGET_MS && this.#units > MIN_UNITS) this.#units /= 2;
  }
}
