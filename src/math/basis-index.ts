/**
 * Basis indices and their labels. Qubit 0 is the least significant bit of an index and the rightmost
 * character of a label: X on qubit 0 of 3 gives index 1, label "001".
 */

/** Number of ones among the bits of a 32-bit index. */
export function numOnes(index: number): number {
  let count = 0;
  for (let rest = index; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Label of a basis index: `width` characters, bit 0 rightmost. Exact up to 53 bits. */
export function basisLabel(index: number, width: number): string {
  return width === 0 ? '' : index.toString(2).padStart(width, '0');
}

/**
 * Label of an outcome of any width, bit 0 of its first word rightmost.
 *
 * @param words - 32-bit words, least significant first; the outcome is `numWords` of them from `offset` on.
 */
export function outcomeLabel(
  words: Uint32Array,
  offset: number,
  numWords: number,
  numBits: number,
): string {
  let label = '';
  for (let i = 0; i < numWords; i++) {
    const width = Math.min(32, numBits - 32 * i);
    label = basisLabel(words[offset + i]!, width) + label;
  }
  return label;
}

/**
 * Inserts a zero bit into an index at each of the positions.
 *
 * Uses arithmetic instead of shifts, so that indices past 2^31 stay exact.
 *
 * @param positions - Ascending.
 */
export function insertZeroBits(index: number, positions: readonly number[]): number {
  let out = index;
  for (const position of positions) {
    const low = 2 ** position;
    const below = out % low;
    out = (out - below) * 2 + below;
  }
  return out;
}

/**
 * Sum of the images of the bits that are set in an index of up to 53 bits.
 *
 * @param images - By bit.
 */
export function sumOfBits(index: number, images: readonly number[]): number {
  let [sum, rest] = [0, index];
  for (let bit = 0; rest > 0; bit++) {
    if (rest % 2 === 1) sum += images[bit]!;
    rest = Math.floor(rest / 2);
  }
  return sum;
}

/** Whether an odd number of the 32 bits is set. */
export function hasOddParity(bits: number): boolean {
  return paritySign(bits) < 0;
}

/** −1 if an odd number of the 32 bits is set, otherwise 1. Without a branch, which would be mispredicted. */
export function paritySign(bits: number): number {
  let folded = bits ^ (bits >>> 16);
  folded ^= folded >>> 8;
  folded ^= folded >>> 4;
  // Bit i of the constant is the parity of i.
  return 1 - 2 * ((0x6996 >>> (folded & 15)) & 1);
}
