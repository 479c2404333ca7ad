/** The task `matrix`: arithmetic of dense matrices. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import { procedure } from '../../procedures/procedure.ts';
import {
  MATRIX_OPERATIONS,
  MAX_MATRIX_SIZE,
  type MatrixRows,
  matrixField,
  raggedFaults,
  squareFaults,
} from './matrix-input.ts';
import type { MatrixInput } from './run-matrix.ts';

const MAX_MATRICES = 8;
const MAX_RESULT_ENTRIES = 16_384;
const MAX_EXPONENT = 1000;

const input = z.strictObject({
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

/** The task `matrix`. */
export const matrix = procedure({
  name: 'matrix',
  description:
    'Sums, products, Kronecker products, transposes, traces, determinants, inverses, powers and exponentials of real or complex matrices, and solutions of linear systems. `result` is a matrix, or a number for trace and determinant; inverses and solutions come with their residual and condition number. A singular matrix is refused where its inverse is needed, and an exponential where the one-norm is above 1e10: rounding leaves too few digits.',
  input,
  check: inputFaults,
  limits: {
    deadline_ms: 10_000,
    max_matrices: MAX_MATRICES,
    max_size: MAX_MATRIX_SIZE,
    max_result_entries: MAX_RESULT_ENTRIES,
    max_exponent: MAX_EXPONENT,
  },
  example: {
    operation: 'solve',
    matrices: [
      [
        [2, 1],
        [1, 3],
      ],
      [[3], [5]],
    ],
  },
  run: async (...call) => (await import('./run-matrix.ts')).runMatrix(...call),
});

function inputFaults(parsed: MatrixInput): readonly Fault[] {
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
