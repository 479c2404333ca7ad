/**
 * Sums of a list of numbers with the signs that Pauli strings give them: Σ (−1)^|x & mask| · values[x] for each mask.
 *
 * A sum takes as many additions as there are values. The fast Walsh–Hadamard transform has the sums of all masks for as
 * many as log2(values) of them take, so it serves more masks than that.
 */
import { hasOddParity } from '../math/basis-index.ts';

/** Values of a block share the sign of their high bits; signs of the low ones are written out once. */
const BLOCK_BITS = 6;

/**
 * @param values - As many as a power of two; may be overwritten.
 * @returns A sum for each mask.
 */
export function signedSums(values: Float64Array, masks: readonly number[]): Float64Array {
  if (masks.length > Math.log2(values.length)) {
    transform(values);
    return Float64Array.from(masks, (mask) => values[mask]!);
  }
  const sums = new Float64Array(masks.length);
  const signs = new Float64Array(Math.min(values.length, 2 ** BLOCK_BITS));
  for (let i = 0; i < sums.length; i++) sums[i] = signedSum(values, masks[i]!, signs);
  return sums;
}

/** @param signs - Overwritten; its length is that of a block. */
function signedSum(values: Float64Array, mask: number, signs: Float64Array): number {
  for (let x = 0; x < signs.length; x++) signs[x] = hasOddParity(x & mask) ? -1 : 1;
  let sum = 0;
  for (let from = 0; from < values.length; from += signs.length) {
    let ofBlock = 0;
    for (let x = 0; x < signs.length; x++) ofBlock += signs[x]! * values[from + x]!;
    sum += hasOddParity(from & mask) ? -ofBlock : ofBlock;
  }
  return sum;
}

/** The fast Walsh–Hadamard transform, in place. */
function transform(values: Float64Array): void {
  for (let stride = 1; stride < values.length; stride *= 2) {
    for (let from = 0; from < values.length; from += 2 * stride) {
      for (let x = from; x < from + stride; x++) {
        const [a, b] = [values[x]!, values[x + stride]!];
        values[x] = a + b;
        values[x + stride] = a - b;
      }
    }
  }
}
