/** The task `simplify`: rewrites an expression in a simpler form. */
import { z } from 'zod';
import {
  EXPRESSION_LIMITS,
  expressionField,
  expressionTextFaults,
  MAX_SYMBOLIC_NODES,
} from '../../algorithms/expressions/expression-limits.ts';
import { procedure } from '../../procedures/procedure.ts';

const input = z.strictObject({
  expression: expressionField.describe(
    'Expression with numbers, variables, operators and functions: `2x + 3x`, `sin(x)^2 + cos(x)^2`',
  ),
});

/** The task `simplify`. */
export const simplify = procedure({
  name: 'simplify',
  description:
    'Simplifies an expression of real variables: collects like terms and powers, with exact fractions, and expands products if that is shorter. The result equals the expression wherever both are defined (x/x is 1). This is verified at random points; `verification` has their number and the largest relative difference.',
  input,
  check: ({ expression }) => expressionTextFaults(expression, 'expression'),
  limits: {
    deadline_ms: 10_000,
    max_expression_length: EXPRESSION_LIMITS.max_expression_length,
    max_depth: EXPRESSION_LIMITS.max_depth,
    max_nodes: MAX_SYMBOLIC_NODES,
  },
  example: { expression: '2x + 3x + sin(x)^2 + cos(x)^2' },
  feeds: { result: 'expression' },
  lateCheck: async (given) =>
    (await import('../../algorithms/expressions/symbolic.ts')).symbolicFaults(given),
  run: async (...call) => (await import('./run-simplify.ts')).runSimplify(...call),
});
