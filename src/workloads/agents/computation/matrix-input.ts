/** Inputs of the tasks on dense matrices (`matrix`, `eigenvalues`), their limits and their faults. */
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
const MATRIX_OPERATIONS = [
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
function raggedFaults(rows: MatrixRows, path: string): readonly Fault[] {
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
function squareFaults(rows: MatrixRows, path: string): readonly Fault[] {
  const columns = rows[0]?.length ?? 0;
  if (rows.length === columns) return [];
  const message = `${rows.length} rows and ${columns} columns; a square matrix is needed.`;
  return [{ path, message }];
}

/** Input of `eigenvalues`. */
export const eigenvaluesInput = z.strictObject({
  matrix: matrixField.describe('Square matrix: rows of numbers or [re, im]'),
  vectors: z.boolean().default(true).describe('Whether eigenvectors are returned; default true'),
});
/** Parsed input. */
export type EigenvaluesInput = z.output<typeof eigenvaluesInput>;

/** Faults of an input. */
export function eigenvaluesFaults({ matrix }: EigenvaluesInput): readonly Fault[] {
  return [...raggedFaults(matrix, 'matrix'), ...squareFaults(matrix, 'matrix')];
}

export const MAX_MATRICES = 8;
export const MAX_RESULT_ENTRIES = 16_384;
export const MAX_EXPONENT = 1000;

/** Input of `matrix`. */
export const matrixInput = z.strictObject({
  operation: z
    .enum(MATRIX_OPERATIONS)
    .describe(
      'add, subtract, multiply and kronecker take two or more matrices, combined from the left; solve takes A and B and finds X with A X = B; the others take one',
    ),
  matrices: z
    .array(matrixField)
    .min(1)
    .max(MAX_MATRICES)
    .describe('Matrices in order; each is a list of rows of numbers or [re, im]'),
  exponent: z
    .int()
    .min(-MAX_EXPONENT)
    .max(MAX_EXPONENT)
    .optional()
    .describe('Exponent of power; a negative one uses the inverse'),
});
/** Parsed input. */
export type MatrixInput = z.output<typeof matrixInput>;

/** Faults of an input. */
export function matrixFaults(parsed: MatrixInput): readonly Fault[] {
  const { operation, matrices, exponent } = parsed;
  const faults: Fault[] = [];
  for (const [i, rows] of matrices.entries()) faults.push(...raggedFaults(rows, `matrices[${i}]`));
  if ((exponent === undefined) === (operation === 'power')) {
    const message =
      operation === 'power' ? 'Required: the power to raise to.' : 'Only taken with power.';
    faults.push({ path: 'exponent', message });
  }
  if (faults.length > 0) return faults;
  switch (operation) {
    case 'add':
    case 'subtract':
      return [...several(parsed), ...unlikeFaults(matrices)];
    case 'multiply':
      return [...several(parsed), ...chainFaults(matrices)];
    case 'kronecker':
      return [...several(parsed), ...kroneckerFaults(matrices)];
    case 'solve':
      return solveFaults(matrices);
    case 'transpose':
    case 'adjoint':
      return single(parsed);
    case 'trace':
    case 'determinant':
    case 'inverse':
    case 'power':
    case 'exponential':
      return [...single(parsed), ...squareFaults(matrices[0]!, 'matrices[0]')];
  }
}

function single({ operation, matrices }: MatrixInput): readonly Fault[] {
  if (matrices.length === 1) return [];
  return [{ path: 'matrices', message: `${operation} takes one matrix, not ${matrices.length}.` }];
}

function several({ operation, matrices }: MatrixInput): readonly Fault[] {
  if (matrices.length > 1) return [];
  return [{ path: 'matrices', message: `${operation} takes two matrices or more.` }];
}

function shapeOf(rows: MatrixRows): string {
  return `${rows.length} × ${rows[0]?.length ?? 0}`;
}

function unlikeFaults(matrices: readonly MatrixRows[]): readonly Fault[] {
  const shape = shapeOf(matrices[0]!);
  return matrices.flatMap((rows, i) =>
    shapeOf(rows) === shape
      ? []
      : [{ path: `matrices[${i}]`, message: `${shapeOf(rows)}; the first one is ${shape}.` }],
  );
}

function chainFaults(matrices: readonly MatrixRows[]): readonly Fault[] {
  return matrices.flatMap((rows, i) => {
    const columns = matrices[i - 1]?.[0]?.length ?? rows.length;
    if (rows.length === columns) return [];
    const message = `${rows.length} rows; the matrix before has ${columns} columns.`;
    return [{ path: `matrices[${i}]`, message }];
  });
}

function kroneckerFaults(matrices: readonly MatrixRows[]): readonly Fault[] {
  const entries = matrices.reduce((count, rows) => count * rows.length * rows[0]!.length, 1);
  if (entries <= MAX_RESULT_ENTRIES) return [];
  const message = `The product has ${entries} entries; the limit max_result_entries is ${MAX_RESULT_ENTRIES}.`;
  return [{ path: 'matrices', message }];
}

function solveFaults(matrices: readonly MatrixRows[]): readonly Fault[] {
  const [a, b] = matrices;
  if (a === undefined || b === undefined || matrices.length !== 2) {
    return [{ path: 'matrices', message: `solve takes two matrices, not ${matrices.length}.` }];
  }
  const faults = squareFaults(a, 'matrices[0]');
  if (faults.length > 0 || b.length === a.length) return faults;
  return [{ path: 'matrices[1]', message: `${b.length} rows; the first matrix has ${a.length}.` }];
}
