/**
 * Eigenvalues and eigenvectors of a Hermitian matrix, by Jacobi rotations: each makes one pair of entries off the
 * diagonal 0. Meant for matrices of up to 64 rows.
 *
 * @see Golub, Van Loan, "Matrix Computations", section 8.5 (Jacobi methods).
 */
import { type ComplexMatrix, dimension, identity } from './complex-matrix.ts';

/** Entries off the diagonal below this, relative to the largest entry, are rounding errors. */
const NEGLIGIBLE = 1e-16;
/** Convergence is quadratic; more than a dozen sweeps are rare. */
const MAX_SWEEPS = 60;

/** Eigenvalues of a matrix, and a unitary whose columns are its eigenvectors in the same order. */
export interface Eigenvectors {
  readonly values: Float64Array;
  readonly vectors: ComplexMatrix;
}

/** Diagonalises a Hermitian matrix. */
export function hermitianEigenvectors(matrix: ComplexMatrix): Eigenvectors {
  const d = dimension(matrix);
  const work = matrix.slice();
  const vectors = identity(d);
  const largest = matrix.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let hasRotated = false;
    for (let p = 0; p < d; p++) {
      for (let q = p + 1; q < d; q++) {
        if (rotatePlane(work, vectors, d, p, q, NEGLIGIBLE * largest)) hasRotated = true;
      }
    }
    if (!hasRotated) break;
  }
  return { values: Float64Array.from({ length: d }, (_, i) => work[2 * i * (d + 1)]!), vectors };
}

/** Makes the entry (p, q) 0; false where it is negligible already. */
function rotatePlane(
  matrix: ComplexMatrix,
  vectors: ComplexMatrix,
  d: number,
  p: number,
  q: number,
  negligible: number,
): boolean {
  const at = 2 * (p * d + q);
  const [re, im] = [matrix[at]!, matrix[at + 1]!];
  const size = Math.hypot(re, im);
  if (size <= negligible) return false;
  // The phase makes the entry real; the angle then is that of a real symmetric matrix.
  const phase = [re / size, im / size] as const;
  const difference = matrix[2 * p * (d + 1)]! - matrix[2 * q * (d + 1)]!;
  const angle = Math.atan2(2 * size, difference) / 2;
  const mix = { c: Math.cos(angle), s: Math.sin(angle) };
  for (let k = 0; k < d; k++) {
    const conjugate = [phase[0], -phase[1]] as const;
    mixEntries(matrix, k * d + p, k * d + q, conjugate, mix);
    mixEntries(vectors, k * d + p, k * d + q, conjugate, mix);
  }
  for (let k = 0; k < d; k++) mixEntries(matrix, p * d + k, q * d + k, phase, mix);
  return true;
}

/** Replaces entries x, y by c·x + s·φ·y and c·φ·y − s·x. */
function mixEntries(
  m: ComplexMatrix,
  i: number,
  j: number,
  [re, im]: readonly [number, number],
  { c, s }: { readonly c: number; readonly s: number },
): void {
  const [xRe, xIm] = [m[2 * i]!, m[2 * i + 1]!];
  const yRe = re * m[2 * j]! - im * m[2 * j + 1]!;
  const yIm = re * m[2 * j + 1]! + im * m[2 * j]!;
  m[2 * i] = c * xRe + s * yRe;
  m[2 * i + 1] = c * xIm + s * yIm;
  m[2 * j] = c * yRe - s * xRe;
  m[2 * j + 1] = c * yIm - s * xIm;
}
