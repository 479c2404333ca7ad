/**
 * Complex matrices of any shape, row-major, interleaved re, im: what callers multiply and invert. The
 * square ones of src/math/complex-matrix.ts are those of gates.
 */

/** A matrix; `data` has length 2·rows·columns. */
export interface DenseMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float64Array;
}

/** An entry as JSON has it: a real number, or [re, im]. */
export type Entry = number | readonly [number, number];

/** All zeros. */
function zeros(rows: number, columns: number): DenseMatrix {
  return { rows, columns, data: new Float64Array(2 * rows * columns) };
}

/** Ones on the diagonal. */
export function identity(size: number): DenseMatrix {
  const out = zeros(size, size);
  for (let i = 0; i < size; i++) out.data[2 * (i * size + i)] = 1;
  return out;
}

/** From rows of one length. */
export function fromRows(entries: readonly (readonly Entry[])[]): DenseMatrix {
  const out = zeros(entries.length, entries[0]?.length ?? 0);
  for (const [i, entry] of entries.flat().entries()) {
    const [re, im] = typeof entry === 'number' ? [entry, 0] : entry;
    out.data[2 * i] = re;
    out.data[2 * i + 1] = im;
  }
  return out;
}

/** Converts a matrix to rows of numbers, or of [re, im]; −0 becomes 0. */
export function toRows({ rows, columns, data }: DenseMatrix, isReal: boolean): Entry[][] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => {
      const at = 2 * (row * columns + column);
      return isReal ? data[at]! + 0 : [data[at]! + 0, data[at + 1]! + 0];
    }),
  );
}

/** Whether no entry has an imaginary part. */
export function isRealMatrix({ data }: DenseMatrix): boolean {
  for (let i = 1; i < data.length; i += 2) if (data[i] !== 0) return false;
  return true;
}

/** Whether it equals its conjugate transpose, entry by entry and exactly. */
export function isHermitian(matrix: DenseMatrix): boolean {
  const { rows, columns, data } = matrix;
  if (rows !== columns) return false;
  const other = adjoint(matrix).data;
  // Not by text: −0 equals 0.
  return data.every((value, i) => value === other[i]);
}

/** a + factor·b, of one shape; the factor is real. */
export function addScaled(a: DenseMatrix, b: DenseMatrix, factor: number): DenseMatrix {
  return { ...a, data: a.data.map((value, i) => value + factor * b.data[i]!) };
}

/** Every entry times a real factor. */
function scaled(a: DenseMatrix, factor: number): DenseMatrix {
  return { ...a, data: a.data.map((value) => value * factor) };
}

/** The product; as many columns of `a` as rows of `b`. */
export function product(a: DenseMatrix, b: DenseMatrix): DenseMatrix {
  const out = zeros(a.rows, b.columns);
  for (let row = 0; row < a.rows; row++) {
    for (let k = 0; k < a.columns; k++) {
      const at = 2 * (row * a.columns + k);
      const re = a.data[at]!;
      const im = a.data[at + 1]!;
      for (let column = 0; column < b.columns; column++) {
        const from = 2 * (k * b.columns + column);
        const to = 2 * (row * b.columns + column);
        out.data[to]! += re * b.data[from]! - im * b.data[from + 1]!;
        out.data[to + 1]! += re * b.data[from + 1]! + im * b.data[from]!;
      }
    }
  }
  return out;
}

/** Rows become columns. */
export function transpose({ rows, columns, data }: DenseMatrix): DenseMatrix {
  const out = zeros(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const from = 2 * (row * columns + column);
      const to = 2 * (column * rows + row);
      out.data[to] = data[from]!;
      out.data[to + 1] = data[from + 1]!;
    }
  }
  return out;
}

/** The conjugate transpose. */
export function adjoint(matrix: DenseMatrix): DenseMatrix {
  const out = transpose(matrix);
  for (let i = 1; i < out.data.length; i += 2) out.data[i]! *= -1;
  return out;
}

/** The Kronecker product: each entry of `a` times all of `b`. */
export function kronecker(a: DenseMatrix, b: DenseMatrix): DenseMatrix {
  const out = zeros(a.rows * b.rows, a.columns * b.columns);
  for (let row = 0; row < out.rows; row++) {
    for (let column = 0; column < out.columns; column++) {
      const i = 2 * (Math.floor(row / b.rows) * a.columns + Math.floor(column / b.columns));
      const j = 2 * ((row % b.rows) * b.columns + (column % b.columns));
      const to = 2 * (row * out.columns + column);
      out.data[to] = a.data[i]! * b.data[j]! - a.data[i + 1]! * b.data[j + 1]!;
      out.data[to + 1] = a.data[i]! * b.data[j + 1]! + a.data[i + 1]! * b.data[j]!;
    }
  }
  return out;
}

/** The sum of the diagonal, [re, im]. */
export function trace({ columns, rows, data }: DenseMatrix): [number, number] {
  const sum: [number, number] = [0, 0];
  for (let i = 0; i < rows; i++) {
    sum[0] += data[2 * (i * columns + i)]!;
    sum[1] += data[2 * (i * columns + i) + 1]!;
  }
  return sum;
}

/** The largest sum of moduli in a column. */
export function oneNorm({ rows, columns, data }: DenseMatrix): number {
  let largest = 0;
  for (let column = 0; column < columns; column++) {
    let sum = 0;
    for (let row = 0; row < rows; row++) {
      const at = 2 * (row * columns + column);
      sum += Math.hypot(data[at]!, data[at + 1]!);
    }
    largest = Math.max(largest, sum);
  }
  return largest;
}

/** The root of the sum of squared moduli. */
export function frobeniusNorm({ data }: DenseMatrix): number {
  // Scaled, so that squares of large entries do not overflow.
  const largest = data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return 0;
  return largest * Math.sqrt(data.reduce((sum, value) => sum + (value / largest) ** 2, 0));
}

/** Whether every entry is finite. */
export function isFiniteMatrix({ data }: DenseMatrix): boolean {
  return data.every(Number.isFinite);
}

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
