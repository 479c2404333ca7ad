/** Schema of matrices in inputs. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';

/** Most rows and columns of a matrix in an input. */
export const MAX_MATRIX_SIZE = 64;

/** Largest absolute value of an entry; products of some ten such entries stay finite. */
const MAX_ENTRY = 1e30;

const real = z.number().min(-MAX_ENTRY).max(MAX_ENTRY);

/** Schema of a matrix: rows of real numbers, or of [re, im]. */
export const matrixField = z
  .array(
    z
      .array(z.union([real, z.tuple([real, real])]))
      .min(1)
      .max(MAX_MATRIX_SIZE),
  )
  .min(1)
  .max(MAX_MATRIX_SIZE)
  .describe('Rows; an entry is a number or [re, im]');
/** A parsed matrix; its rows may differ in length. */
export type MatrixRows = z.output<typeof matrixField>;

/** Operations of the task `matrix`. */
export const MATRIX_OPERATIONS = [
  'add',
  'subtract',
  'multiply',
  'kronecker',
  'transpose',
  'adjoint',
  'trace',
  'determinant',
  'inverse',
  'solve',
  'power',
  'exponential',
] as const;

/** Faults of rows that differ in length. */
export function raggedFaults(rows: MatrixRows, path: string): readonly Fault[] {
  const columns = rows[0]?.length ?? 0;
  return rows.flatMap((row, i) =>
    row.length === columns
      ? []
      : [
          {
            path: `${path}[${i}]`,
            message: `${row.length} entries; the rows before have ${columns}.`,
          },
        ],
  );
}

/** Fault of a matrix that is not square. */
export function squareFaults(rows: MatrixRows, path: string): readonly Fault[] {
  const columns = rows[0]?.length ?? 0;
  if (rows.length === columns) return [];
  const message = `${rows.length} rows and ${columns} columns; a square matrix is needed.`;
  return [{ path, message }];
}
