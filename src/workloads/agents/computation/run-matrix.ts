/** Does the arithmetic of matrices. */

import {
  addScaled,
  adjoint,
  type DenseMatrix,
  frobeniusNorm,
  fromRows,
  identity,
  isFiniteMatrix,
  isRealMatrix,
  kronecker,
  product,
  toRows,
  trace,
  transpose,
} from '../../algorithms/linear-algebra/dense-matrix.ts';
import {
  determinantOf,
  inverseOf,
  luOf,
  solveWith,
} from '../../algorithms/linear-algebra/lu-decomposition.ts';
import { exponentialOf, powerOf } from '../../algorithms/linear-algebra/matrix-functions.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { Json, JsonObject } from '../../procedures/json.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { MatrixInput } from './matrix.ts';

/** A result, and what is said of how good it is. */
interface Computed {
  readonly result: DenseMatrix | readonly [number, number];
  readonly quality?: JsonObject;
}

/** Runs `matrix`. */
export const runMatrix: RunProcedure<MatrixInput> = async (input) => {
  const matrices = input.matrices.map(fromRows);
  // What real matrices give is real, and is written without imaginary parts.
  const isReal = matrices.every(isRealMatrix);
  const { result, quality = {} } = compute(input, matrices);
  return {
    operation: input.operation,
    result: isPair(result) ? numberOf(result, isReal) : rowsOf(result, isReal),
    ...(isPair(result) ? {} : { rows: result.rows, columns: result.columns }),
    entries: isReal ? 'real' : 'complex',
    ...quality,
  };
};

function compute({ operation, exponent = 1 }: MatrixInput, matrices: DenseMatrix[]): Computed {
  const first = matrices[0]!;
  switch (operation) {
    case 'add':
      return { result: matrices.reduce((a, b) => addScaled(a, b, 1)) };
    case 'subtract':
      return { result: matrices.reduce((a, b) => addScaled(a, b, -1)) };
    case 'multiply':
      return { result: matrices.reduce(product) };
    case 'kronecker':
      return { result: matrices.reduce(kronecker) };
    case 'transpose':
      return { result: transpose(first) };
    case 'adjoint':
      return { result: adjoint(first) };
    case 'trace':
      return { result: trace(first) };
    case 'determinant':
      return { result: determinantOf(luOf(first)) };
    case 'inverse':
      return inverse(first);
    case 'solve':
      return solve(first, matrices[1]!);
    case 'power':
      return power(first, exponent);
    case 'exponential':
      return { result: exponentialOf(first) };
  }
}

function inverse(a: DenseMatrix): Computed {
  const { inverse: result, conditionNumber } = invertible(a);
  const residual = frobeniusNorm(addScaled(product(a, result), identity(a.rows), -1));
  return { result, quality: { residual, condition_number: conditionNumber } };
}

function solve(a: DenseMatrix, b: DenseMatrix): Computed {
  const lu = luOf(a);
  const { conditionNumber } = invertible(a, lu);
  const result = solveWith(lu, b);
  const residual = frobeniusNorm(addScaled(product(a, result), b, -1));
  return { result, quality: { residual, condition_number: conditionNumber } };
}

function power(a: DenseMatrix, exponent: number): Computed {
  if (exponent >= 0) return { result: powerOf(a, exponent) };
  const { inverse: base, conditionNumber } = invertible(a);
  return { result: powerOf(base, -exponent), quality: { condition_number: conditionNumber } };
}

function invertible(a: DenseMatrix, lu = luOf(a)) {
  const found = inverseOf(a, lu);
  if (found !== undefined) return found;
  const message = 'The matrix is singular to the precision of doubles: it has no inverse.';
  throw new ProcedureInputError([{ path: 'matrices[0]', message }]);
}

function isPair(result: Computed['result']): result is readonly [number, number] {
  return Array.isArray(result);
}

function numberOf([re, im]: readonly [number, number], isReal: boolean): Json {
  if (!Number.isFinite(re) || !Number.isFinite(im)) tooLarge();
  return isReal ? re + 0 : [re + 0, im + 0];
}

function rowsOf(result: DenseMatrix, isReal: boolean): Json {
  if (!isFiniteMatrix(result)) tooLarge();
  return toRows(result, isReal);
}

function tooLarge(): never {
  const message = 'An entry of the result is larger than a double can hold.';
  throw new ProcedureInputError([{ path: 'matrices', message }]);
}
