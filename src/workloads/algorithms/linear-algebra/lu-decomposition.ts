/**
 * Gaussian elimination with partial pivoting: P·A = L·U of a square complex matrix.
 *
 * @see Golub & Van Loan, Matrix Computations, section 3.4.
 */
import { type DenseMatrix, identity, oneNorm } from './dense-matrix.ts';

/** L below the diagonal, whose ones are not stored, and U on and above it. */
export interface LuDecomposition {
  readonly size: number;
  readonly data: Float64Array;
  /** Row i of P·A is row `order[i]` of A. */
  readonly order: readonly number[];
  /** Sign of the permutation: 1 or −1. */
  readonly sign: number;
}

/** Decomposes; a matrix without an inverse has a zero on U's diagonal, or nearly so. */
export function luOf(matrix: DenseMatrix): LuDecomposition {
  const size = matrix.rows;
  const data = matrix.data.slice();
  const order = Array.from({ length: size }, (_, i) => i);
  let sign = 1;
  for (let k = 0; k < size; k++) {
    const pivot = pivotRow(data, size, k);
    if (pivot !== k) {
      swapRows(data, size, pivot, k);
      [order[pivot], order[k]] = [order[k]!, order[pivot]!];
      sign = -sign;
    }
    eliminate(data, size, k);
  }
  return { size, data, order, sign };
}

/** The row at or below the diagonal whose entry in column k is largest. */
function pivotRow(data: Float64Array, size: number, k: number): number {
  let pivot = k;
  let largest = -1;
  for (let row = k; row < size; row++) {
    const at = 2 * (row * size + k);
    const modulus = Math.hypot(data[at]!, data[at + 1]!);
    if (modulus > largest) {
      largest = modulus;
      pivot = row;
    }
  }
  return pivot;
}

function swapRows(data: Float64Array, size: number, a: number, b: number): void {
  const rowA = data.slice(2 * a * size, 2 * (a + 1) * size);
  data.copyWithin(2 * a * size, 2 * b * size, 2 * (b + 1) * size);
  data.set(rowA, 2 * b * size);
}

function eliminate(data: Float64Array, size: number, k: number): void {
  const diagonal = 2 * (k * size + k);
  const pivotRe = data[diagonal]!;
  const pivotIm = data[diagonal + 1]!;
  if (pivotRe === 0 && pivotIm === 0) return;
  for (let row = k + 1; row < size; row++) {
    const at = 2 * (row * size + k);
    const [re, im] = divide(data[at]!, data[at + 1]!, pivotRe, pivotIm);
    data[at] = re;
    data[at + 1] = im;
    if (re === 0 && im === 0) continue;
    for (let column = k + 1; column < size; column++) {
      const from = 2 * (k * size + column);
      const to = 2 * (row * size + column);
      data[to]! -= re * data[from]! - im * data[from + 1]!;
      data[to + 1]! -= re * data[from + 1]! + im * data[from]!;
    }
  }
}

/** A quotient of complex numbers by Smith's method: no square that could overflow. */
export function divide(re: number, im: number, byRe: number, byIm: number): [number, number] {
  if (Math.abs(byRe) >= Math.abs(byIm)) {
    const ratio = byIm / byRe;
    const scale = byRe + byIm * ratio;
    return [(re + im * ratio) / scale, (im - re * ratio) / scale];
  }
  const ratio = byRe / byIm;
  const scale = byRe * ratio + byIm;
  return [(re * ratio + im) / scale, (im * ratio - re) / scale];
}

/** The determinant, [re, im]; infinite or zero where it leaves the range of doubles. */
export function determinantOf({ size, data, sign }: LuDecomposition): [number, number] {
  let re = sign;
  let im = 0;
  for (let k = 0; k < size; k++) {
    const at = 2 * (k * size + k);
    [re, im] = [re * data[at]! - im * data[at + 1]!, re * data[at + 1]! + im * data[at]!];
  }
  return [re, im];
}

/** Whether U has an exact zero on its diagonal. */
function isExactlySingular({ size, data }: LuDecomposition): boolean {
  for (let k = 0; k < size; k++) {
    const at = 2 * (k * size + k);
    if (data[at] === 0 && data[at + 1] === 0) return true;
  }
  return false;
}

/** X with A·X = B; A is not exactly singular. */
export function solveWith({ size, data, order }: LuDecomposition, b: DenseMatrix): DenseMatrix {
  const width = b.columns;
  const x = new Float64Array(b.data.length);
  for (const [i, row] of order.entries()) {
    x.set(b.data.subarray(2 * row * width, 2 * (row + 1) * width), 2 * i * width);
  }
  for (let row = 0; row < size; row++) {
    for (let k = 0; k < row; k++) subtractRow(x, width, row, k, data, 2 * (row * size + k));
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let k = row + 1; k < size; k++) {
      subtractRow(x, width, row, k, data, 2 * (row * size + k));
    }
    const diagonal = 2 * (row * size + row);
    for (let column = 0; column < width; column++) {
      const at = 2 * (row * width + column);
      [x[at], x[at + 1]] = divide(x[at]!, x[at + 1]!, data[diagonal]!, data[diagonal + 1]!);
    }
  }
  return { rows: size, columns: width, data: x };
}

/** Row `row` of x minus the factor at `at` times row `from` of it. */
function subtractRow(
  x: Float64Array,
  width: number,
  row: number,
  from: number,
  factors: Float64Array,
  at: number,
): void {
  const re = factors[at]!;
  const im = factors[at + 1]!;
  for (let column = 0; column < width; column++) {
    const source = 2 * (from * width + column);
    const target = 2 * (row * width + column);
    x[target]! -= re * x[source]! - im * x[source + 1]!;
    x[target + 1]! -= re * x[source + 1]! + im * x[source]!;
  }
}

/** An inverse, and how much errors of the matrix may grow in it. */
export interface Inverse {
  readonly inverse: DenseMatrix;
  /** ‖A‖·‖A⁻¹‖ in the one-norm; 1 or more. */
  readonly conditionNumber: number;
}

/** The inverse; undefined where the matrix has none to the precision of doubles. */
export function inverseOf(matrix: DenseMatrix, lu = luOf(matrix)): Inverse | undefined {
  if (isExactlySingular(lu)) return undefined;
  const inverse = solveWith(lu, identity(matrix.rows));
  const conditionNumber = oneNorm(matrix) * oneNorm(inverse);
  // Rounding errors of the elimination are as large as the matrix's distance from a singular one.
  const isSingular = !(conditionNumber * Number.EPSILON * matrix.rows < 1);
  return isSingular ? undefined : { inverse, conditionNumber };
}
