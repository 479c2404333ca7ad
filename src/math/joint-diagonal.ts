/**
 * Diagonalises commuting real symmetric matrices together.
 *
 * One after the other would fail where the first has equal eigenvalues: its eigenvectors are then any basis
 * of their space, and only the other matrices tell which. Jacobi rotations over all matrices have no such
 * case.
 *
 * @see Cardoso, Souloumiac, "Jacobi angles for simultaneous diagonalization", SIAM J. Matrix Anal. Appl. 17,
 *   161 (1996).
 */

/** Off-diagonal entries below this, next to entries of size 1, are rounding errors. */
const NEGLIGIBLE = 1e-15;
/** Convergence is quadratic; more than a dozen sweeps are rare. */
const MAX_SWEEPS = 60;

/**
 * Returns an orthogonal matrix whose columns are eigenvectors of all the matrices.
 *
 * @param matrices - Real, symmetric, commuting; row-major, length d².
 * @returns Row-major, length d².
 */
export function jointEigenvectors(matrices: readonly Float64Array[], d: number): Float64Array {
  const work = matrices.map((matrix) => matrix.slice());
  const vectors = new Float64Array(d * d);
  for (let i = 0; i < d; i++) vectors[i * d + i] = 1;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let hasRotated = false;
    for (let p = 0; p < d; p++) {
      for (let q = p + 1; q < d; q++) {
        if (rotatePlane(work, vectors, d, p, q)) hasRotated = true;
      }
    }
    if (!hasRotated) break;
  }
  return vectors;
}

/**
 * Rotates the plane (p, q) by the angle that leaves least off the diagonals; false where that is negligible
 * already.
 */
function rotatePlane(
  matrices: readonly Float64Array[],
  vectors: Float64Array,
  d: number,
  p: number,
  q: number,
): boolean {
  let [on, off, largest] = [0, 0, 0];
  for (const matrix of matrices) {
    const difference = matrix[p * d + p]! - matrix[q * d + q]!;
    const twice = matrix[p * d + q]! + matrix[q * d + p]!;
    on += difference * difference - twice * twice;
    off += 2 * difference * twice;
    largest = Math.max(largest, Math.abs(twice));
  }
  if (largest < NEGLIGIBLE) return false;
  const angle = Math.atan2(off, on) / 4;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  for (const matrix of [...matrices, vectors]) mixColumns(matrix, d, p, q, c, s);
  for (const matrix of matrices) mixRows(matrix, d, p, q, c, s);
  return true;
}

function mixColumns(m: Float64Array, d: number, p: number, q: number, c: number, s: number): void {
  for (let row = 0; row < d; row++) {
    const [x, y] = [m[row * d + p]!, m[row * d + q]!];
    m[row * d + p] = c * x + s * y;
    m[row * d + q] = c * y - s * x;
  }
}

function mixRows(m: Float64Array, d: number, p: number, q: number, c: number, s: number): void {
  for (let col = 0; col < d; col++) {
    const [x, y] = [m[p * d + col]!, m[q * d + col]!];
    m[p * d + col] = c * x + s * y;
    m[q * d + col] = c * y - s * x;
  }
}
