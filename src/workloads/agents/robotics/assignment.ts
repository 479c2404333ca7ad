/**
 * The task `assignment`: assigns robots to tasks at the least cost, by QAOA over permutations.
 *
 * Place i of the permutation is robot i; its item is the robot's task.
 */
import { z } from 'zod';
import { Chance } from '../../algorithms/chance.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import {
  MAX_COST,
  MAX_LAYERS,
  MAX_SHOTS,
  matrixFaults,
  qaoaFields,
  solvePermutation,
} from './solve-permutation.ts';

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

type AssignmentInput = z.output<typeof input>;

/** The task `assignment`. */
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
  run: runAssignment,
});

async function runAssignment(
  input: AssignmentInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const { costs, layers, shots, seed = context.seed } = input;
  const costOf = (tasks: readonly number[]) =>
    tasks.reduce((sum, task, robot) => sum + costs[robot]![task]!, 0);
  const problem = {
    numPlaces: costs.length,
    single: (robot: number, task: number) => costs[robot]![task]!,
  };
  const options = { layers, shots, seed: new Chance(seed, 0).seed() };
  const solved = await solvePermutation(problem, costOf, options, context);
  const { found, optimum, frequent, report } = solved;
  return {
    assignment: found.items.map((task, robot) => ({ robot, task, cost: costs[robot]![task]! })),
    total_cost: found.cost,
    optimum_cost: optimum.cost,
    optimum_assignment: optimum.items,
    ...report,
    most_frequent: frequent.map(({ items, cost, count }) => ({ tasks: items, cost, count })),
    seed,
  };
}
