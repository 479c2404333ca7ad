/** Tasks of the computation agent whose code is loaded when one runs: descriptions, limits and examples. */
import {
  EXPRESSION_LIMITS,
  expressionTextFaults,
  MAX_SYMBOLIC_NODES,
} from '../../algorithms/expressions/expression-limits.ts';
import { procedure } from '../../procedures/procedure.ts';
import {
  derivativeFaults,
  derivativeInput,
  evaluateFaults,
  evaluateInput,
  MAX_DIGITS,
  MAX_ORDER,
  MAX_VARIABLES,
  simplifyInput,
} from './expression-input.ts';
import {
  eigenvaluesFaults,
  eigenvaluesInput,
  MAX_EXPONENT,
  MAX_MATRICES,
  MAX_MATRIX_SIZE,
  MAX_RESULT_ENTRIES,
  matrixFaults,
  matrixInput,
} from './matrix-input.ts';

/** The task `evaluate`. */
export const evaluate = procedure({
  name: 'evaluate',
  // An alias, because the specification can be read as "a computation task carries `expression`".
  aliases: ['computation'],
  description:
    'Evaluates an expression with numbers, complex numbers, matrices, units and functions that it defines. The result has the value as JSON (`result`; exact types are strings), its `type`, and a readable `text`. `computation` is another name of this task.',
  input: evaluateInput,
  check: evaluateFaults,
  limits: {
    deadline_ms: 5000,
    ...EXPRESSION_LIMITS,
    max_variables: MAX_VARIABLES,
    max_digits: MAX_DIGITS,
  },
  example: { expression: 'sqrt(x^2 + 4^2)', scope: { x: 3 } },
  lateCheck: async (given) => (await import('./run-evaluate.ts')).evaluationFaults(given),
  run: async (...call) => (await import('./run-evaluate.ts')).runEvaluate(...call),
});

/** Limits of tasks that rewrite expressions. */
const SYMBOLIC_LIMITS = {
  deadline_ms: 10_000,
  max_expression_length: EXPRESSION_LIMITS.max_expression_length,
  max_depth: EXPRESSION_LIMITS.max_depth,
  max_nodes: MAX_SYMBOLIC_NODES,
} as const;

/** The task `derivative`. */
export const derivative = procedure({
  name: 'derivative',
  description:
    'Differentiates an expression and simplifies the derivative. It is compared with difference quotients at random points, real ones if possible; a contradiction is an error. `result` is an expression; `verification` has the number of points, the largest relative difference and the domain of the values; `verified` is false if no point could be compared.',
  input: derivativeInput,
  check: derivativeFaults,
  limits: { ...SYMBOLIC_LIMITS, max_order: MAX_ORDER },
  example: { expression: 'x^2 * sin(x)', variable: 'x' },
  feeds: { result: 'expression' },
  lateCheck: async (given) =>
    (await import('../../algorithms/expressions/symbolic.ts')).symbolicFaults(given),
  run: async (...call) => (await import('./run-symbolic.ts')).runDerivative(...call),
});

/** The task `simplify`. */
export const simplify = procedure({
  name: 'simplify',
  description:
    'Simplifies an expression of real variables: collects like terms and powers, with exact fractions, and expands products if that is shorter. The result equals the expression wherever both are defined (x/x is 1). This is verified at random points; `verification` has their number and the largest relative difference.',
  input: simplifyInput,
  check: ({ expression }) => expressionTextFaults(expression, 'expression'),
  limits: SYMBOLIC_LIMITS,
  example: { expression: '2x + 3x + sin(x)^2 + cos(x)^2' },
  feeds: { result: 'expression' },
  lateCheck: async (given) =>
    (await import('../../algorithms/expressions/symbolic.ts')).symbolicFaults(given),
  run: async (...call) => (await import('./run-symbolic.ts')).runSimplify(...call),
});

/** The task `eigenvalues`. */
export const eigenvalues = procedure({
  name: 'eigenvalues',
  description:
    'All eigenvalues of a real or complex square matrix by its Schur decomposition, in ascending order, with unit eigenvectors, the residual of each pair, and whether the vectors are independent: those of a defective matrix are not.',
  input: eigenvaluesInput,
  check: eigenvaluesFaults,
  limits: { deadline_ms: 10_000, max_size: MAX_MATRIX_SIZE },
  example: {
    matrix: [
      [0, [0, -1]],
      [[0, 1], 0],
    ],
  },
  run: async (...call) => (await import('./run-matrix.ts')).runEigenvalues(...call),
});

/** The task `matrix`. */
export const matrix = procedure({
  name: 'matrix',
  description:
    'Sums, products, Kronecker products, transposes, traces, determinants, inverses, powers and exponentials of real or complex matrices, and solutions of linear systems. `result` is a matrix, or a number for trace and determinant; inverses and solutions come with their residual and condition number. A singular matrix is refused where its inverse is needed, and an exponential where the one-norm is above 1e10: rounding leaves too few digits.',
  input: matrixInput,
  check: matrixFaults,
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
