/** Solves small dense systems whose matrix is symmetric and positive definite. */

/** Below this fraction of its diagonal entry a pivot is rounding. */
const NEGLIGIBLE = 1e-13;

/**
 * The x of matrix · x = right.
 *
 * @param matrix - Row-major, n·n; its lower triangle is read.
 * @param right - Length n.
 * @throws {RangeError} if the matrix is not positive definite, or too close to singular to tell.
 * @see Golub & Van Loan, "Matrix Computations", section 4.2.
 */
export function choleskySolve(matrix: Float64Array, right: ArrayLike<number>): Float64Array {
  const n = right.length;
  const lower = factor(matrix, n);
  const x = Float64Array.from(right);
  for (let row = 0; row < n; row++) {
    for (let k = 0; k < row; k++) x[row]! -= lower[row * n + k]! * x[k]!;
    x[row]! /= lower[row * n + row]!;
  }
  for (let row = n - 1; row >= 0; row--) {
    for (let k = row + 1; k < n; k++) x[row]! -= lower[k * n + row]! * x[k]!;
    x[row]! /= lower[row * n + row]!;
  }
  return x;
}

/** The lower triangular L of matrix = L·Lᵀ. */
function factor(matrix: Float64Array, n: number): Float64Array {
  const lower = new Float64Array(n * n);
  for (let row = 0; row < n; row++) {
    for (let col = 0; col <= row; col++) {
      let rest = matrix[row * n + col]!;
      for (let k = 0; k < col; k++) rest -= lower[row * n + k]! * lower[col * n + k]!;
      if (row > col) {
        lower[row * n + col] = rest / lower[col * n + col]!;
      } else if (rest > NEGLIGIBLE * matrix[row * n + row]!) {
        lower[row * n + row] = Math.sqrt(rest);
      } else {
        throw new RangeError(`The matrix is singular: row ${row} depends on those before it.`);
      }
    }
  }
  return lower;
}
