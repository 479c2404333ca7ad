/** What the assignment of robots to tasks takes; assignment-run.ts does it. */
import { z } from 'zod';
import { procedure } from '../../procedures/procedure.ts';
import { MAX_COST, MAX_LAYERS, MAX_SHOTS, qaoaFields } from './permutation-fields.ts';
import { matrixFaults } from './square-matrix.ts';

const MAX_ROBOTS = 5;
const QUBITS = 15;

const input = z.strictObject({
  costs: z
    .array(z.array(z.number().min(-MAX_COST).max(MAX_COST)).min(1).max(MAX_ROBOTS))
    .min(2)
    .max(MAX_ROBOTS)
    .describe(
      'costs[robot][task], a square matrix: each robot gets one task, and each task one robot',
    ),
  ...qaoaFields,
});

/** An input of the assignment. */
export type AssignmentInput = z.output<typeof input>;

/** Assigns robots to tasks. */
export const assignment = procedure({
  name: 'assignment',
  description:
    'Assigns each robot one task at the least total cost by QAOA over permutations. The result has the best assignment sampled, the optimum by brute force, approximation_ratio = (worst − found)/(worst − optimum), and how the circuit compares with guessing. `gain_over_guessing` is the probability of an optimum in one shot, divided by that of one uniform guess among all candidates.',
  input,
  check: ({ costs }) => matrixFaults(costs, 'costs'),
  limits: {
    deadline_ms: 120_000,
    robots: MAX_ROBOTS,
    qubits: QUBITS,
    layers: MAX_LAYERS,
    shots: MAX_SHOTS,
  },
  example: {
    costs: [
      [4, 1, 3],
      [2, 0, 5],
      [3, 2, 2],
    ],
    layers: 2,
    shots: 500,
    seed: 7,
  },
  load: () => import('./assignment-run.ts').then(({ runAssignment }) => runAssignment),
});
