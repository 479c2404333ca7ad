/** The task `evaluate`: the value of an expression. */
import { EXPRESSION_LIMITS } from '../../algorithms/expressions/expression-limits.ts';
import { procedure } from '../../procedures/procedure.ts';
import { evaluateFaults, evaluateInput, MAX_DIGITS, MAX_VARIABLES } from './evaluate-input.ts';

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
