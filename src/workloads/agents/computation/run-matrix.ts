/** Runs the tasks `matrix` and `eigenvalues`. */
import type { Matrix } from 'mathjs';
import { type Eigenpair, eigenpairsOf } from '../../algorithms/linear-algebra/eigenpairs.ts';
import {
  determinantOf,
  entriesOf,
  frobeniusNorm,
  fromRows,
  identity,
  isHermitian,
  matrixMath,
  matrixOf,
  oneNorm,
  pairOf,
  solve,
} from '../../algorithms/linear-algebra/linear-systems.ts';
import { isMatrix } from '../../algorithms/mathjs.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { Json, JsonObject } from '../../procedures/json.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { EigenvaluesInput, MatrixInput } from './matrix-input.ts';

/** A result, a matrix or [re, im], and figures on its accuracy. */
interface Computed {
  readonly result: Matrix | readonly [number, number];
  readonly quality?: JsonObject;
}

/** Runs `matrix`. */
export const runMatrix: RunProcedure<MatrixInput> = async (input) => {
  // Real matrices give real results, which are written without imaginary parts.
  const isReal = input.matrices.flat(2).every((entry) => typeof entry === 'number' || !entry[1]);
  const { result, quality = {} } = compute(input, input.matrices.map(matrixOf));
  return {
    operation: input.operation,
    ...('size' in result ? matrixFields(result, isReal) : { result: entryOf(result, isReal) }),
    entries: isReal ? 'real' : 'complex',
    ...quality,
  };
};

function compute({ operation, exponent = 1 }: MatrixInput, matrices: readonly Matrix[]): Computed {
  const { add, ctranspose, kron, matrix, multiply, subtract, trace, transpose } = matrixMath;
  const [first, second] = matrices;
  if (first === undefined) throw new Error('unreachable: there is a matrix');
  switch (operation) {
    case 'add':
      return { result: matrices.reduce((a, b) => add(a, b)) };
    case 'subtract':
      return { result: matrices.reduce((a, b) => subtract(a, b)) };
    case 'multiply':
      return { result: matrices.reduce((a, b) => multiply(a, b)) };
    case 'kronecker':
      return { result: matrices.reduce((a, b) => kron(a, b)) };
    case 'transpose':
      return { result: transpose(first) };
    case 'adjoint':
      return { result: matrix(ctranspose(first)) };
    case 'trace':
      return { result: pairOf(trace(first)) };
    case 'determinant':
      return { result: determinantOf(first) ?? imprecise() };
    case 'inverse':
      return solved(first);
    case 'solve':
      return solved(first, second);
    case 'power':
      if (exponent >= 0) return { result: powerOf(first, exponent) };
      return inverted(first, -exponent);
    case 'exponential':
      return { result: exponentialOf(first) };
  }
}

function solved(a: Matrix, b?: Matrix): Computed {
  const { solution, conditionNumber } = solve(a, b) ?? singular();
  const difference = matrixMath.subtract(
    matrixMath.multiply(a, solution),
    b ?? identity(a.size()[0] ?? 0),
  );
  const residual = frobeniusNorm(fromRows(entriesOf(difference)));
  return { result: solution, quality: { residual, condition_number: conditionNumber } };
}

function inverted(a: Matrix, exponent: number): Computed {
  const { solution, conditionNumber } = solve(a) ?? singular();
  return { result: powerOf(solution, exponent), quality: { condition_number: conditionNumber } };
}

function powerOf(a: Matrix, exponent: number): Matrix {
  const power = matrixMath.pow(a, exponent);
  if (!isMatrix(power)) throw new Error('unreachable: a power of a matrix is a matrix');
  return power;
}

/** Errors of an exponential grow by the norm: above this one, fewer than six digits are right. */
const MAX_EXPONENTIAL_NORM = 1e10;

/** mathjs finds no parameters for a large norm: the matrix is halved, and the result is squared as often. */
function exponentialOf(a: Matrix): Matrix {
  const { expm, multiply } = matrixMath;
  const norm = oneNorm(a);
  if (norm > MAX_EXPONENTIAL_NORM) {
    refuse(
      'matrices[0]',
      `A column has entries of ${norm.toExponential(1)} in all; above ${MAX_EXPONENTIAL_NORM.toExponential()} the exponential has too few right digits.`,
    );
  }
  const numHalvings = Math.max(0, Math.ceil(Math.log2(norm)));
  let result = expm(multiply(a, 2 ** -numHalvings));
  for (let k = 0; k < numHalvings; k++) result = multiply(result, result);
  return result;
}

function matrixFields(matrix: Matrix, isReal: boolean): JsonObject {
  const [rows = 0, columns = 0] = matrix.size();
  const result = entriesOf(matrix).map((row) => row.map((pair) => entryOf(pair, isReal)));
  return { result, rows, columns };
}

function entryOf([re, im]: readonly [number, number], isReal: boolean): Json {
  if (!Number.isFinite(re) || !Number.isFinite(im)) {
    refuse('matrices', 'An entry of the result is larger than a double can hold.');
  }
  return isReal ? re : [re, im];
}

function singular(): never {
  return refuse(
    'matrices[0]',
    'The matrix is singular to the precision of doubles: it has no inverse.',
  );
}

function imprecise(): never {
  return refuse(
    'matrices[0]',
    'A pivot of the elimination is too small beside the largest entry for a determinant of full precision.',
  );
}

function refuse(path: string, message: string): never {
  throw new ProcedureInputError([{ path, message }]);
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
