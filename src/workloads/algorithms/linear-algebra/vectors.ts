/**
 * Products, lengths and projections of vectors, real ones and complex ones as interleaved re, im, and small systems
 * whose matrix is symmetric and positive definite.
 */

/** Σ a_i·b_i. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Euclidean length. */
export function norm(vector: Float64Array): number {
  return Math.sqrt(dot(vector, vector));
}

/** a − b. */
export function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((x, i) => x - b[i]!);
}

/** ⟨a|b⟩ of two complex vectors. */
export function innerProduct(a: Float64Array, b: Float64Array): readonly [re: number, im: number] {
  let im = 0;
  for (let i = 0; i < a.length; i += 2) im += a[i]! * b[i + 1]! - a[i + 1]! * b[i]!;
  return [dot(a, b), im];
}

/** vector −= unit·⟨unit|vector⟩, in place; both complex, `unit` of length 1. */
export function removeProjection(vector: Float64Array, unit: Float64Array): void {
  const [re, im] = innerProduct(unit, vector);
  for (let i = 0; i < vector.length; i += 2) {
    const [x, y] = [unit[i]!, unit[i + 1]!];
    vector[i]! -= x * re - y * im;
    vector[i + 1]! -= x * im + y * re;
  }
}

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
