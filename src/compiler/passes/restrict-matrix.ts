/** Restricts a matrix to targets that are in known basis states. */

import { insertZeroBits } from '../../math/basis-index.ts';
import { type ComplexMatrix, dimension } from '../../math/complex-matrix.ts';
import { NEGLIGIBLE } from './gate-facts.ts';

/**
 * Returns the matrix on the other targets while target number `target` reads `value`; undefined if the matrix
 * may change that value.
 */
export function restricted(
  matrix: ComplexMatrix,
  target: number,
  value: number,
): ComplexMatrix | undefined {
  const d = dimension(matrix);
  const half = d / 2;
  const flip = 1 << target;
  const out = new Float64Array(2 * half * half);
  for (let col = 0; col < half; col++) {
    const from = insertZeroBits(col, [target]) + value * flip;
    for (let row = 0; row < half; row++) {
      const to = insertZeroBits(row, [target]) + value * flip;
      const leak = 2 * ((to ^ flip) * d + from);
      if (!isNothing(matrix[leak]!, matrix[leak + 1]!)) return undefined;
      const i = 2 * (to * d + from);
      out.set(matrix.subarray(i, i + 2), 2 * (row * half + col));
    }
  }
  return out;
}

/** Image of a basis state and its phase, if the image is a single basis state. */
export function basisImage(
  matrix: ComplexMatrix,
  column: number,
): { readonly row: number; readonly phase: number } | undefined {
  const d = dimension(matrix);
  let image: { row: number; phase: number } | undefined;
  for (let row = 0; row < d; row++) {
    const i = 2 * (row * d + column);
    const [re, im] = [matrix[i]!, matrix[i + 1]!];
    if (isNothing(re, im)) continue;
    const phase = phaseOf(re, im);
    if (image !== undefined || phase === undefined) return undefined;
    image = { row, phase };
  }
  return image;
}

/** Angle of a number on the unit circle; undefined for any other number. */
export function phaseOf(re: number, im: number): number | undefined {
  return Math.abs(Math.hypot(re, im) - 1) < NEGLIGIBLE ? Math.atan2(im, re) : undefined;
}

function isNothing(re: number, im: number): boolean {
  return Math.abs(re) < NEGLIGIBLE && Math.abs(im) < NEGLIGIBLE;
}
