/** Whether a matrix of an input is square. */
import type { Fault } from '../../../errors/coded-error.ts';

/** Rows of another length than there are rows. */
export function matrixFaults(
  matrix: readonly (readonly number[])[],
  path: string,
): readonly Fault[] {
  return matrix.flatMap((row, i) => {
    if (row.length === matrix.length) return [];
    const message = `The row has ${row.length} numbers, but there are ${matrix.length} rows; the matrix is square.`;
    return [{ path: `${path}[${i}]`, message }];
  });
}
