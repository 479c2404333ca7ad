/** The task `eigenvalues`: eigenvalues and eigenvectors of a square matrix. */
import { z } from 'zod';
import {
  frobeniusNorm,
  fromRows,
  isHermitian,
} from '../../algorithms/linear-algebra/dense-matrix.ts';
import { type Eigenpair, eigenpairsOf } from '../../algorithms/linear-algebra/eigenpairs.ts';
import { inverseOf } from '../../algorithms/linear-algebra/lu-decomposition.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import { MAX_MATRIX_SIZE, matrixField, raggedFaults, squareFaults } from './matrix-input.ts';

const input = z.strictObject({
  matrix: matrixField.describe('Square matrix: rows of numbers or [re, im]'),
  vectors: z.boolean().default(true).describe('Whether eigenvectors are returned; default true'),
});
type EigenvaluesInput = z.output<typeof input>;

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
  run: runEigenvalues,
});

async function runEigenvalues(input: EigenvaluesInput): Promise<JsonObject> {
  const matrix = fromRows(input.matrix);
  const pairs = eigenpairsOf(matrix);
  if (pairs === undefined) {
    const message = 'The iteration for its eigenvalues did not converge.';
    throw new ProcedureInputError([{ path: 'matrix', message }]);
  }
  const hermitian = isHermitian(matrix);
  const residuals = pairs.map(({ residual }) => residual);
  const norm = frobeniusNorm(matrix);
  const worst = Math.max(...residuals);
  return {
    // The eigenvalues of a Hermitian matrix are real.
    values: pairs.map(({ value }) => (hermitian ? value[0] : [...value])),
    hermitian,
    ...(input.vectors ? vectorFields(pairs) : {}),
    residuals,
    max_relative_residual: norm === 0 ? worst : worst / norm,
    method: 'schur',
  };
}

function vectorFields(pairs: readonly Eigenpair[]) {
  const vectors = pairs.map(({ vector }) =>
    Array.from({ length: vector.length / 2 }, (_, i): [number, number] => [
      vector[2 * i]! + 0,
      vector[2 * i + 1]! + 0,
    ]),
  );
  // Rows rather than columns: linear independence is the same.
  const inverse = inverseOf(fromRows(vectors));
  return {
    vectors,
    vectors_independent: inverse !== undefined,
    ...(inverse && { vectors_condition_number: inverse.conditionNumber }),
  };
}
