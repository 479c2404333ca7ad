/** The computation agent: tasks on expressions, matrices and circuits. */
import type { Agent } from '../agent.ts';
import { derivative } from './derivative.ts';
import { eigenvalues } from './eigenvalues.ts';
import { evaluate } from './evaluate.ts';
import { expectation } from './expectation.ts';
import { matrix } from './matrix.ts';
import { simplify } from './simplify.ts';
import { simulate } from './simulate.ts';

/** The computation agent. */
export const computationAgent: Agent = {
  id: 'computation',
  name: 'Computation Agent',
  kind: 'Computation',
  description:
    'Evaluates and transforms expressions, works on matrices and their eigenvalues, and runs circuits for counts and expectation values.',
  procedures: [evaluate, simplify, derivative, matrix, eigenvalues, simulate, expectation],
  selfTest: {
    task: 'evaluate',
    // The determinant of a rotation, and ζ(2): both 1.
    input: { expression: 'det([cos(1), -sin(1); sin(1), cos(1)]) * 6 * zeta(2) / pi^2' },
    faultOf: ({ result }) =>
      typeof result === 'number' && Math.abs(result - 1) < 1e-9
        ? undefined
        : `1 was expected, and ${JSON.stringify(result)} came`,
  },
};
