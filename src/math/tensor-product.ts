/** Tensor products of two one-qubit matrices, and their factors. */
import type { ComplexMatrix } from './complex-matrix.ts';

/**
 * Returns the matrix that applies `low` to bit 0 of an index and `high` to bit 1.
 *
 * @param high - Two rows.
 * @param low - Two rows.
 * @returns Four rows.
 */
export function tensorProduct(high: ComplexMatrix, low: ComplexMatrix): ComplexMatrix {
  const out = new Float64Array(32);
  for (let row = 0; row < 4; row++) {
    for (let col = 0; col < 4; col++) {
      const h = 2 * (2 * (row >> 1) + (col >> 1));
      const l = 2 * (2 * (row & 1) + (col & 1));
      const i = 2 * (4 * row + col);
      out[i] = high[h]! * low[l]! - high[h + 1]! * low[l + 1]!;
      out[i + 1] = high[h]! * low[l + 1]! + high[h + 1]! * low[l]!;
    }
  }
  return out;
}

/** Factors of a two-qubit unitary that is a tensor product: `high` acts on bit 1, `low` on bit 0. */
export interface TensorFactors {
  readonly high: ComplexMatrix;
  /** Its determinant is 1. */
  readonly low: ComplexMatrix;
}

/** Splits a tensor product of unitaries into its factors. Any other matrix gives a meaningless result. */
export function tensorFactors(product: ComplexMatrix): TensorFactors {
  // Every nonzero block is the low factor times a number; the largest block loses least precision.
  let best = new Float64Array(8);
  for (const high of [0, 1, 2, 3]) {
    const block = blockOf(product, high >> 1, high & 1);
    if (Math.hypot(...block) > Math.hypot(...best)) best = block;
  }
  const low = ofDeterminantOne(best);
  const high = new Float64Array(8);
  for (let row = 0; row < 2; row++) {
    for (let col = 0; col < 2; col++) {
      const block = blockOf(product, row, col);
      let [re, im] = [0, 0];
      // tr(low† · block) / 2
      for (let i = 0; i < 8; i += 2) {
        re += low[i]! * block[i]! + low[i + 1]! * block[i + 1]!;
        im += low[i]! * block[i + 1]! - low[i + 1]! * block[i]!;
      }
      high[2 * (2 * row + col)] = re / 2;
      high[2 * (2 * row + col) + 1] = im / 2;
    }
  }
  return { high, low };
}

function blockOf(matrix: ComplexMatrix, row: number, col: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(8);
  for (let r = 0; r < 2; r++) {
    const from = 2 * (4 * (2 * row + r) + 2 * col);
    out.set(matrix.subarray(from, from + 4), 4 * r);
  }
  return out;
}

/** Divides a one-qubit unitary by a square root of its determinant. */
export function ofDeterminantOne(m: ComplexMatrix): ComplexMatrix {
  const re = m[0]! * m[6]! - m[1]! * m[7]! - m[2]! * m[4]! + m[3]! * m[5]!;
  const im = m[0]! * m[7]! + m[1]! * m[6]! - m[2]! * m[5]! - m[3]! * m[4]!;
  const size = Math.sqrt(Math.hypot(re, im));
  const angle = Math.atan2(im, re) / 2;
  const [c, s] = [Math.cos(angle) / size, Math.sin(angle) / size];
  const out = new Float64Array(8);
  for (let i = 0; i < 8; i += 2) {
    out[i] = c * m[i]! + s * m[i + 1]!;
    out[i + 1] = c * m[i + 1]! - s * m[i]!;
  }
  return out;
}
