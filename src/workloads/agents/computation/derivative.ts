/** The task `derivative`: differentiates an expression with respect to one of its variables. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import {
  ALLOWED_CONSTANTS,
  ALLOWED_FUNCTIONS,
} from '../../algorithms/expressions/allowed-names.ts';
import {
  EXPRESSION_LIMITS,
  expressionField,
  expressionTextFaults,
  isVariableName,
  MAX_SYMBOLIC_NODES,
} from '../../algorithms/expressions/expression-limits.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { DerivativeInput } from './run-derivative.ts';

const MAX_ORDER = 4;

const input = z.strictObject({
  expression: expressionField.describe(
    'Expression to differentiate: `x^2 * sin(x)`; every other variable is a constant',
  ),
  variable: z.string().min(1).max(64).describe('Variable of differentiation: `x`'),
  order: z.int().min(1).max(MAX_ORDER).default(1).describe('Order of the derivative; default 1'),
});
/** The task `derivative`. */
export const derivative = procedure({
  name: 'derivative',
  description:
    'Differentiates an expression and simplifies the derivative. It is compared with difference quotients at random points, real ones if possible; a contradiction is an error. `result` is an expression; `verification` has the number of points, the largest relative difference and the domain of the values; `verified` is false if no point could be compared.',
  input,
  check: inputFaults,
  limits: {
    deadline_ms: 10_000,
    max_expression_length: EXPRESSION_LIMITS.max_expression_length,
    max_depth: EXPRESSION_LIMITS.max_depth,
    max_nodes: MAX_SYMBOLIC_NODES,
    max_order: MAX_ORDER,
  },
  example: { expression: 'x^2 * sin(x)', variable: 'x' },
  feeds: { result: 'expression' },
  lateCheck: async (given) =>
    (await import('../../algorithms/expressions/symbolic.ts')).symbolicFaults(given),
  run: async (...call) => (await import('./run-derivative.ts')).runDerivative(...call),
});

function inputFaults({ expression, variable }: DerivativeInput): readonly Fault[] {
  const faults = [...expressionTextFaults(expression, 'expression')];
  const path = 'variable';
  if (!isVariableName(variable)) {
    const message = 'A variable is called by a letter, then letters, digits and underscores.';
    faults.push({ path, message });
  } else if (ALLOWED_CONSTANTS.has(variable) || ALLOWED_FUNCTIONS.has(variable)) {
    faults.push({ path, message: `${variable} is a constant or a function.` });
  }
  return faults;
}
