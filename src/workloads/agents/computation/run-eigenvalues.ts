/** Runs the task `eigenvalues`. */
import {
  frobeniusNorm,
  fromRows,
  isHermitian,
} from '../../algorithms/linear-algebra/dense-matrix.ts';
import { type Eigenpair, eigenpairsOf } from '../../algorithms/linear-algebra/eigenpairs.ts';
import { matrixOf, solve } from '../../algorithms/linear-algebra/linear-systems.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { MatrixRows } from './matrix-input.ts';

/** Parsed input. */
export interface EigenvaluesInput {
  readonly matrix: MatrixRows;
  readonly vectors: boolean;
}

/** Runs `eigenvalues`. */
export const runEigenvalues: RunProcedure<EigenvaluesInput> = async (input) => {
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
};

function vectorFields(pairs: readonly Eigenpair[]) {
  const vectors = pairs.map(({ vector }) =>
    Array.from({ length: vector.length / 2 }, (_, i): [number, number] => [
      vector[2 * i]! + 0,
      vector[2 * i + 1]! + 0,
    ]),
  );
  // Rows rather than columns: linear independence is the same.
  const inverse = solve(matrixOf(vectors));
  return {
    vectors,
    vectors_independent: inverse !== undefined,
    ...(inverse && { vectors_condition_number: inverse.conditionNumber }),
  };
}
