/** Matrices as text: a row on each line, with spaces or commas between the entries. */
import type { MatrixRows } from '../live-state/messages.ts';
import { type Complex, readComplex, writeComplex } from './complex-expression.ts';

/** Writes a matrix so that it can be read. */
export function writeMatrix(matrix: MatrixRows): string {
  return matrix
    .map((row) => row.map(([re = 0, im = 0]) => writeComplex([re, im])).join('  '))
    .join('\n');
}

/**
 * Reads a square matrix. Where a row has commas or semicolons, they separate its entries, which may then contain spaces.
 *
 * @returns Undefined if an entry is no number, or if the rows have another length than there are rows.
 */
export function readMatrix(text: string): MatrixRows | undefined {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => entriesOf(line).map(readComplex));
  const whole = rows.flatMap((row) => {
    const read = row.filter((entry): entry is Complex => entry !== undefined);
    return row.length === rows.length && read.length === row.length ? [read] : [];
  });
  return whole.length === rows.length ? whole : undefined;
}

function entriesOf(line: string): readonly string[] {
  const isSeparated = /[,;]/.test(line);
  const entries = line
    .trim()
    .replace(/[,;]$/, '')
    .split(isSeparated ? /[,;]/ : /\s+/);
  return entries.map((entry) => entry.trim());
}

/** The matrix on one more qubit, the most significant one, on which it does nothing. */
export function withOneMoreQubit(matrix: MatrixRows): MatrixRows {
  const zeros = matrix.map((): Complex => [0, 0]);
  return [...matrix.map((row) => [...row, ...zeros]), ...matrix.map((row) => [...zeros, ...row])];
}

/** What the matrix does where the most significant qubit stays 0, or the identity if it does not stay. */
export function withoutLastQubit(matrix: MatrixRows): MatrixRows {
  const size = matrix.length / 2;
  const stays = matrix.every((row, i) =>
    row.every(([re, im], j) => i < size === j < size || (re === 0 && im === 0)),
  );
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j): Complex => {
      return stays ? (matrix[i]?.[j] ?? [0, 0]) : [i === j ? 1 : 0, 0];
    }),
  );
}
