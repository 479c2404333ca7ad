/** Most bits of an index: tables of 2^20 entries. */
const MAX_INDEX_BITS = 40;

/**
 * Moves the bits of an index: the image of an index is the OR of the images of its set bits.
 *
 * Relabelled qubits and measured bits are both such maps. Two tables of about 2^(n/2) entries map any index
 * of n bits in two look-ups; a loop over the bits would take n steps an amplitude.
 */
export class BitImages {
  /** Image of each bit of an index, bit 0 first. */
  readonly images: readonly number[];
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  readonly #lowMask: number;
  readonly #numLow: number;

  /** @param images - Image of each bit of an index, as 32-bit words; `images` alone may be read of more than 40. */
  constructor(images: readonly number[]) {
    this.images = images;
    const mapped = images.length > MAX_INDEX_BITS ? [] : images;
    this.#numLow = (mapped.length + 1) >>> 1;
    this.#lowMask = 2 ** this.#numLow - 1;
    this.#low = tableOf(mapped.slice(0, this.#numLow));
    this.#high = tableOf(mapped.slice(this.#numLow));
  }

  /** Image of an index below 2^32, as a signed 32-bit word. */
  at(index: number): number {
    return this.#low[index & this.#lowMask]! | this.#high[index >>> this.#numLow]!;
  }

  /**
   * Image of an index of any width, as a signed 32-bit word. Slower: it avoids bitwise operators, which drop
   * all above 32 bits.
   */
  atWide(index: number): number {
    const high = Math.floor(index / (this.#lowMask + 1));
    return this.#low[index - high * (this.#lowMask + 1)]! | this.#high[high]!;
  }
}

/** Images of all 2^images.length indices. */
function tableOf(images: readonly number[]): Int32Array {
  const table = new Int32Array(2 ** images.length);
  for (const [q, image] of images.entries()) {
    const half = 2 ** q;
    for (let i = 0; i < half; i++) table[half + i] = table[i]! | image;
  }
  return table;
}
