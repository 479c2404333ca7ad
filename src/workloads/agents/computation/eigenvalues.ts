/** The task `eigenvalues`: eigenvalues and eigenvectors of a square matrix. */
import { z } from 'zod';
import { procedure } from '../../procedures/procedure.ts';
import { MAX_MATRIX_SIZE, matrixField, raggedFaults, squareFaults } from './matrix-input.ts';

const input = z.strictObject({
  matrix: matrixField.describe('Square matrix: rows of numbers or [re, im]'),
  vectors: z.boolean().default(true).describe('Whether eigenvectors are returned; default true'),
});

/** The task `eigenvalues`. */
export const eigenvalues = procedure({
  name: 'eigenvalues',
  description:
    'All eigenvalues of a real or complex square matrix by its Schur decomposition, in ascending order, with unit eigenvectors, the residual of each pair, and whether the vectors are independent: those of a defective matrix are not.',
  input,
  check: ({ matrix }) => [...raggedFaults(matrix, 'matrix'), ...squareFaults(matrix, 'matrix')],
  limits: { deadline_ms: 10_000, max_size: MAX_MATRIX_SIZE },
  example: {
    matrix: [
      [0, [0, -1]],
      [[0, 1], 0],
    ],
  },
  run: async (...call) => (await import('./run-eigenvalues.ts')).runEigenvalues(...call),
});
