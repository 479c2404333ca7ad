/**
 * Moves the bits of an index: the image of an index is the OR of its set bits' own images.
 *
 * Relabelled qubits and measured bits are both such maps. Two tables of about 2^(n/2) entries
 * answer any index of n bits; a loop over the bits would cost n steps an amplitude.
 */
export class BitImages {
  /** images[q] is the image of bit q. */
  readonly images: readonly number[];
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  readonly #lowMask: number;
  readonly #numLow: number;

  /** @param images - images[q] is the image of bit q, a 32-bit word; at most 40 of them. */
  constructor(images: readonly number[]) {
    this.images = images;
    this.#numLow = (images.length + 1) >>> 1;
    this.#lowMask = 2 ** this.#numLow - 1;
    this.#low = tableOf(images.slice(0, this.#numLow));
    this.#high = tableOf(images.slice(this.#numLow));
  }

  /** The image of an index below 2^32, as a signed 32-bit word. */
  at(index: number): number {
    return this.#low[index & this.#lowMask]! | this.#high[index >>> this.#numLow]!;
  }

  /** The same for an index of any width: bitwise operators would cut off all above 32 bits. */
  atWide(index: number): number {
    const high = Math.floor(index / (this.#lowMask + 1));
    return this.#low[index - high * (this.#lowMask + 1)]! | this.#high[high]!;
  }
}

/** The images of all 2^images.length indices. */
function tableOf(images: readonly number[]): Int32Array {
  const table = new Int32Array(2 ** images.length);
  for (const [q, image] of images.entries()) {
    const half = 2 ** q;
    for (let i = 0; i < half; i++) table[half + i] = table[i]! | image;
  }
  return table;
}
