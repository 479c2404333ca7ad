/** Powers and exponentials of square complex matrices. */
import { addScaled, type DenseMatrix, identity, oneNorm, product, scaled } from './dense-matrix.ts';

/** The matrix to a power of zero or more, by repeated squaring. */
export function powerOf(matrix: DenseMatrix, exponent: number): DenseMatrix {
  let result = identity(matrix.rows);
  let square = matrix;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = product(result, square);
    if (rest > 1) square = product(square, square);
  }
  return result;
}

/** Terms of the series: of a matrix of norm 1/2 the next one is below rounding. */
const NUM_TERMS = 16;

/**
 * The exponential: the series of a matrix halved until its norm is at most 1/2, squared as often.
 *
 * @see Golub & Van Loan, Matrix Computations, section 9.3.1.
 */
export function exponentialOf(matrix: DenseMatrix): DenseMatrix {
  const norm = oneNorm(matrix);
  const numHalvings = norm <= 0.5 ? 0 : Math.ceil(Math.log2(norm)) + 1;
  const small = scaled(matrix, 2 ** -numHalvings);
  let term = identity(matrix.rows);
  let sum = term;
  for (let k = 1; k <= NUM_TERMS; k++) {
    term = scaled(product(term, small), 1 / k);
    sum = addScaled(sum, term, 1);
  }
  for (let k = 0; k < numHalvings; k++) sum = product(sum, sum);
  return sum;
}
