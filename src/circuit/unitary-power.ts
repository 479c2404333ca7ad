/**
 * Powers of small unitaries, by their eigenvalues.
 *
 * A unitary U commutes with its adjoint, so the Hermitian matrices (U + U†)/2 and (U − U†)/2i share
 * eigenvectors, and so does any real combination of them. Jacobi rotations diagonalise one combination,
 * chosen so that no two eigenvalues of a real circuit coincide in it. They are slow for large matrices, but
 * exact to rounding, and keep a diagonal matrix exactly diagonal.
 */
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  identity,
  multiply,
} from '../math/complex-matrix.ts';

/** Off-diagonal entries below this, next to entries of size 1, are rounding errors. */
const NEGLIGIBLE = 1e-15;
/** Jacobi rotations converge quadratically; more than a dozen sweeps are rare. */
const MAX_SWEEPS = 40;

/**
 * Returns the principal power: eigenvalues e^{iθ} with −π < θ ≤ π become e^{i·exponent·θ}.
 *
 * @param unitary - At most 64 rows.
 */
export function principalPower(unitary: ComplexMatrix, exponent: number): ComplexMatrix {
  const d = dimension(unitary);
  const vectors = eigenvectorsOfUnitary(unitary);
  const values = multiply(multiply(adjoint(vectors), unitary), vectors);
  const powers = new Float64Array(2 * d * d);
  for (let i = 0; i < d; i++) {
    const at = 2 * (i * d + i);
    // Rounding must not move an eigenvalue of −1 across the branch cut.
    const angle = Math.atan2(values[at + 1]!, values[at]!);
    const theta = angle < -Math.PI + 1e-9 ? angle + 2 * Math.PI : angle;
    powers[at] = Math.cos(exponent * theta);
    powers[at + 1] = Math.sin(exponent * theta);
  }
  return multiply(multiply(vectors, powers), adjoint(vectors));
}

/**
 * Returns eigenvectors of a unitary, as columns.
 *
 * Two eigenvalues that are mirror images about the direction e^{0.737i} coincide in the combination and are
 * separated badly; multiply the unitary by some phase where that may happen.
 *
 * @param unitary - At most 64 rows.
 */
export function eigenvectorsOfUnitary(unitary: ComplexMatrix): ComplexMatrix {
  const d = dimension(unitary);
  const dagger = adjoint(unitary);
  const [a, b] = [Math.cos(0.737), Math.sin(0.737)];
  // a·(U + U†)/2 + b·(U − U†)/2i
  const hermitian = unitary.map((_, k) => {
    const other = k % 2 === 0 ? k + 1 : k - 1;
    const sign = k % 2 === 0 ? 1 : -1;
    return (a * (unitary[k]! + dagger[k]!) + sign * b * (unitary[other]! - dagger[other]!)) / 2;
  });
  const vectors = identity(d);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let hasRotated = false;
    for (let p = 0; p < d; p++) {
      for (let q = p + 1; q < d; q++) {
        if (jacobiStep(hermitian, vectors, d, p, q)) hasRotated = true;
      }
    }
    if (!hasRotated) break;
  }
  return vectors;
}

/** Clears entry (p, q) by one Jacobi rotation; false where it is negligible already. */
function jacobiStep(
  matrix: ComplexMatrix,
  vectors: ComplexMatrix,
  d: number,
  p: number,
  q: number,
) {
  const at = 2 * (p * d + q);
  const size = Math.hypot(matrix[at]!, matrix[at + 1]!);
  if (size < NEGLIGIBLE) return false;
  const [re, im] = [matrix[at]! / size, matrix[at + 1]! / size];
  const difference = matrix[2 * (q * d + q)]! - matrix[2 * (p * d + p)]!;
  const angle = Math.atan2(2 * size, difference) / 2;
  const turnBy = angle > Math.PI / 4 ? angle - Math.PI / 2 : angle;
  const [c, s] = [Math.cos(turnBy), Math.sin(turnBy)];
  // Columns p, q become c·p − s·e^{−iφ}·q and s·e^{iφ}·p + c·q; then the rows likewise.
  for (const target of [matrix, vectors]) {
    for (let row = 0; row < d; row++) {
      const [i, j] = [2 * (row * d + p), 2 * (row * d + q)];
      mix(target, i, j, c, s, re, im);
    }
  }
  for (let col = 0; col < d; col++) {
    mix(matrix, 2 * (p * d + col), 2 * (q * d + col), c, s, re, -im);
  }
  return true;
}

/** Maps the entries (x, y) at i and j to (c·x − s·e^{−iφ}·y, s·e^{iφ}·x + c·y), where e^{iφ} = re + i·im. */
function mix(m: ComplexMatrix, i: number, j: number, c: number, s: number, re: number, im: number) {
  const [xr, xi, yr, yi] = [m[i]!, m[i + 1]!, m[j]!, m[j + 1]!];
  m[i] = c * xr - s * (re * yr + im * yi);
  m[i + 1] = c * xi - s * (re * yi - im * yr);
  m[j] = s * (re * xr - im * xi) + c * yr;
  m[j + 1] = s * (re * xi + im * xr) + c * yi;
}
