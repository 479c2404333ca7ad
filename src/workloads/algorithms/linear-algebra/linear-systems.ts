/**
 * Dense complex matrices of any shape, and linear systems, inverses and determinants of square ones. The square
 * matrices of src/math/complex-matrix.ts are those of gates.
 *
 * Systems are solved by mathjs's LU decomposition with partial
 * pivoting. Its functions `det` and `inv` are not used: products inside `det` leave the range of doubles
 * where the determinant does not, and `inv` of two rows divides by a determinant that underflows.
 */
import type { Matrix } from 'mathjs';
import { createMath, isComplex } from '../mathjs.ts';

/** A matrix; `data` has length 2·rows·columns. */
export interface DenseMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float64Array;
}

/** An entry as JSON has it: a real number, or [re, im]. */
export type Entry = number | readonly [number, number];

/** From rows of one length. */
export function fromRows(entries: readonly (readonly Entry[])[]): DenseMatrix {
  const pairs = entries.flat().flatMap((entry) => (typeof entry === 'number' ? [entry, 0] : entry));
  return {
    rows: entries.length,
    columns: entries[0]?.length ?? 0,
    data: Float64Array.from(pairs),
  };
}

/** Whether no entry has an imaginary part. */
export function isRealMatrix({ data }: DenseMatrix): boolean {
  for (let i = 1; i < data.length; i += 2) if (data[i] !== 0) return false;
  return true;
}

/** Whether it equals its conjugate transpose, entry by entry and exactly. */
export function isHermitian({ rows, columns, data }: DenseMatrix): boolean {
  if (rows !== columns) return false;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column <= row; column++) {
      const [at, other] = [2 * (row * columns + column), 2 * (column * columns + row)];
      if (data[at] !== data[other] || data[at + 1] !== -data[other + 1]!) return false;
    }
  }
  return true;
}

/** The root of the sum of squared moduli. */
export function frobeniusNorm({ data }: DenseMatrix): number {
  // Scaled, so that squares of large entries do not overflow.
  const largest = data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return 0;
  return largest * Math.sqrt(data.reduce((sum, value) => sum + (value / largest) ** 2, 0));
}

/**
 * The mathjs of matrices. By default mathjs takes every number below 1e-15 for zero, whatever the scale of
 * the matrix, skips it as a pivot and gives a wrong determinant. Here only 0 is 0.
 */
export const matrixMath = createMath({ relTol: Number.MIN_VALUE, absTol: 0 });

/** A number as [re, im]. */
type Pair = readonly [number, number];

/** The rows of a matrix divided by a power of two, in another order, as L·U. */
interface Decomposition {
  readonly lup: ReturnType<typeof matrixMath.lup>;
  /** U's diagonal. */
  readonly pivots: readonly Pair[];
  readonly scale: number;
}

/** Smallest exponent of two whose inverse is a double. */
const LEAST_EXPONENT = -1000;
/** mathjs compares complex numbers and divides by them through their squares, which lose digits below 1e-307. */
const LEAST_COMPLEX_PIVOT = 1e-150;

/** A matrix of mathjs; real numbers in it are plain ones, whose comparisons and divisions are exact. */
export function matrixOf(rows: readonly (readonly Entry[])[]): Matrix {
  const { complex, matrix } = matrixMath;
  return matrix(
    rows.map((row) =>
      row.map((entry) => {
        const [re, im] = typeof entry === 'number' ? [entry, 0] : entry;
        return im === 0 ? re : complex(re, im);
      }),
    ),
  );
}

/** The entries of a matrix of mathjs. */
export function entriesOf(matrix: Matrix): Pair[][] {
  return matrix.toArray().map((row) => [row].flat().map(pairOf));
}

/** A number of mathjs; −0 becomes 0. */
export function pairOf(value: unknown): Pair {
  if (typeof value === 'number') return [value + 0, 0];
  if (isComplex(value)) return [value.re + 0, value.im + 0];
  throw new Error('unreachable: the entries are doubles');
}

function decompose(matrix: Matrix): Decomposition {
  const largest = Math.max(...entriesOf(matrix).flat(2).map(Math.abs));
  const exponent = Math.max(LEAST_EXPONENT, Math.floor(Math.log2(largest)));
  // By a power of two, which changes no digit.
  const lup = matrixMath.lup(matrixMath.multiply(matrix, 2 ** -exponent));
  const upper = entriesOf(matrixMath.matrix(lup.U));
  return { lup, pivots: upper.map((row, i) => row[i] ?? [0, 0]), scale: 2 ** exponent };
}

/**
 * The determinant; infinite or zero where it leaves the range of doubles. Undefined where a pivot of a complex
 * matrix is too small beside its largest entry.
 */
export function determinantOf(matrix: Matrix): Pair | undefined {
  const { lup, pivots, scale } = decompose(matrix);
  const isReal = entriesOf(matrix).every((row) => row.every(([, im]) => im === 0));
  const lower = entriesOf(matrixMath.matrix(lup.L));
  let product: Pair = [signOf(lup.p), 0];
  for (const [k, [re, im]] of pivots.entries()) {
    // Zero is the right pivot of a column that is zero.
    const isColumnZero = lower.slice(k + 1).every((row) => row[k]?.every((part) => part === 0));
    const isZero = re === 0 && im === 0 && isColumnZero;
    if (!isReal && !isZero && Math.hypot(re, im) < LEAST_COMPLEX_PIVOT) return undefined;
    const [a, b] = [re * scale, im * scale];
    product = [product[0] * a - product[1] * b, product[0] * b + product[1] * a];
  }
  return product;
}

/** The sign of a permutation: 1 or −1. */
function signOf(permutation: readonly number[]): number {
  const places = [...permutation];
  let sign = 1;
  for (let i = 0; i < places.length; i++) {
    for (let at = places[i]!; at !== i; at = places[i]!) {
      [places[i], places[at]] = [places[at]!, at];
      sign = -sign;
    }
  }
  return sign;
}

/** The solution of a linear system, and how much errors of the matrix may grow in it. */
interface Solution {
  readonly solution: Matrix;
  /** ‖A‖·‖A⁻¹‖ in the one-norm; 1 or more. */
  readonly conditionNumber: number;
}

/**
 * X of A·X = B, which is A⁻¹ where no B is given. Undefined where A has no inverse to the precision of
 * doubles.
 */
export function solve(a: Matrix, b?: Matrix): Solution | undefined {
  const decomposition = decompose(a);
  const { pivots } = decomposition;
  if (pivots.some(([re, im]) => re === 0 && im === 0)) return undefined;
  const inverse = solveWith(decomposition, identity(pivots.length));
  const conditionNumber = oneNorm(a) * oneNorm(inverse);
  // Rounding errors of the elimination are as large as the matrix's distance from a singular one.
  if (!(conditionNumber * Number.EPSILON * pivots.length < 1)) return undefined;
  return { solution: b ? solveWith(decomposition, b) : inverse, conditionNumber };
}

/** Ones on the diagonal. */
export function identity(size: number): Matrix {
  return matrixMath.diag(matrixMath.matrix(Array.from({ length: size }, () => 1)));
}

function solveWith({ lup, scale }: Decomposition, b: Matrix): Matrix {
  const { column, lusolve, matrixFromColumns, multiply } = matrixMath;
  const [, width = 0] = b.size();
  const columns = Array.from({ length: width }, (_, k) => lusolve(lup, column(b, k)));
  return multiply(matrixFromColumns(...columns), 1 / scale);
}

/** The largest sum of moduli in a column. mathjs's `norm` squares complex entries, which may underflow. */
export function oneNorm(matrix: Matrix): number {
  const columns = entriesOf(matrixMath.transpose(matrix));
  const sums = columns.map((column) =>
    column.reduce((sum, [re, im]) => sum + Math.hypot(re, im), 0),
  );
  return Math.max(...sums);
}
