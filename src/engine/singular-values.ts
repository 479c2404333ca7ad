/** Singular values of a 2×2 matrix, so that kernels for unitaries can apply one that is not unitary. */

/** Row-major, interleaved re, im: eight numbers. */
export type SmallMatrix = Float64Array;

/** M = left · diag(values) · right, with unitary factors. */
export interface SingularFactors {
  readonly left: SmallMatrix;
  readonly values: readonly [number, number];
  readonly right: SmallMatrix;
}

/** Columns whose product is below this, relative to their lengths, are orthogonal within rounding. */
const ORTHOGONAL = 1e-15;

/** A ratio of the two values below which the smaller one is rounding, or not much more. */
const SINGULAR = 1e-6;

/**
 * Factors a matrix that is not zero by one-sided Jacobi rotations, which keep small singular values to full relative
 * precision. Where the columns are orthogonal, as those of a unitary after a diagonal, the right factor is exactly the
 * identity. The values are in any order, but if one of them nearly vanishes it is the second.
 *
 * @see Demmel & Veselić, "Jacobi's method is more accurate than QR", 1992.
 */
export function singularFactors(matrix: SmallMatrix): SingularFactors {
  // M·w = u: columns of u are made orthogonal, and w follows.
  let u: SmallMatrix = matrix.slice();
  let w: SmallMatrix = Float64Array.of(1, 0, 0, 0, 0, 0, 1, 0);
  for (let round = 0; round < 3; round++) {
    const first = columnLength(u, 0);
    const second = columnLength(u, 1);
    const [re, im] = columnProduct(u);
    const size = Math.hypot(re, im);
    if (size <= ORTHOGONAL * first * second) break;
    const angle = Math.atan2(2 * size, (first - second) * (first + second)) / 2;
    for (const columns of [u, w]) {
      rotateColumns(columns, re / size, im / size, Math.cos(angle), Math.sin(angle));
    }
  }
  if (columnLength(u, 0) < SINGULAR * columnLength(u, 1)) [u, w] = [swapped(u), swapped(w)];
  const first = columnLength(u, 0);
  const second = columnLength(u, 1);
  divideColumn(u, 0, first);
  if (second < SINGULAR * first) completeColumns(u);
  else divideColumn(u, 1, second);
  // The adjoint of w.
  const right = Float64Array.of(w[0]!, -w[1]!, w[4]!, -w[5]!, w[2]!, -w[3]!, w[6]!, -w[7]!);
  return { left: u, values: [first, second], right };
}

const swapped = (m: SmallMatrix): SmallMatrix =>
  Float64Array.of(m[2]!, m[3]!, m[0]!, m[1]!, m[6]!, m[7]!, m[4]!, m[5]!);

function divideColumn(m: SmallMatrix, column: 0 | 1, by: number): void {
  for (const row of [0, 4]) {
    m[row + 2 * column]! /= by;
    m[row + 2 * column + 1]! /= by;
  }
}

/** Puts the unit vector orthogonal to the first column in place of the second, with the phase nearest to it. */
function completeColumns(m: SmallMatrix): void {
  const [ar, ai, br, bi] = [m[0]!, m[1]!, m[4]!, m[5]!];
  // (−conj(b), conj(a)) and its product with the second column.
  const re = -br * m[2]! + bi * m[3]! + ar * m[6]! - ai * m[7]!;
  const im = -br * m[3]! - bi * m[2]! + ar * m[7]! + ai * m[6]!;
  const size = Math.hypot(re, im);
  const [c, s] = size === 0 ? [1, 0] : [re / size, im / size];
  m[2] = -br * c - bi * s;
  m[3] = bi * c - br * s;
  m[6] = ar * c + ai * s;
  m[7] = -ai * c + ar * s;
}

function columnLength(m: SmallMatrix, column: 0 | 1): number {
  const at = 2 * column;
  return Math.hypot(m[at]!, m[at + 1]!, m[at + 4]!, m[at + 5]!);
}

/** ⟨first column|second column⟩. */
function columnProduct(m: SmallMatrix): readonly [re: number, im: number] {
  let [re, im] = [0, 0];
  for (const at of [0, 4]) {
    re += m[at]! * m[at + 2]! + m[at + 1]! * m[at + 3]!;
    im += m[at]! * m[at + 3]! - m[at + 1]! * m[at + 2]!;
  }
  return [re, im];
}

/** Mixes the columns; (re, im) is the phase of their product. */
function rotateColumns(m: SmallMatrix, re: number, im: number, c: number, s: number): void {
  for (const at of [0, 4]) {
    const [ar, ai] = [m[at]!, m[at + 1]!];
    // The second column without the phase, so that the product is real.
    const br = m[at + 2]! * re + m[at + 3]! * im;
    const bi = m[at + 3]! * re - m[at + 2]! * im;
    m[at] = c * ar + s * br;
    m[at + 1] = c * ai + s * bi;
    m[at + 2] = c * br - s * ar;
    m[at + 3] = c * bi - s * ai;
  }
}
