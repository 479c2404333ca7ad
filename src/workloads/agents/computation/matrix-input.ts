/** The form of matrices in inputs. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';

/** Rows and columns of a matrix in an input. */
export const MAX_MATRIX_SIZE = 64;

/** Products of some ten entries of that size stay finite. */
const MAX_ENTRY = 1e30;

const real = z.number().min(-MAX_ENTRY).max(MAX_ENTRY);

/** Rows of real numbers, or of [re, im]. */
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
/** A matrix of good form; its rows may differ in length. */
export type MatrixRows = z.output<typeof matrixField>;

/** Rows that differ in length. */
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
