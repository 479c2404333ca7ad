/**
 * Complex matrices of any shape, row-major, interleaved re, im, whose eigenvalues callers ask for. The
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
