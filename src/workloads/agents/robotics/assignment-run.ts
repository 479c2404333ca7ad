/** Assigns robots to tasks: place i of the permutation is robot i, its item the robot's task. */
import { Chance } from '../../algorithms/chance.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { AssignmentInput } from './assignment.ts';
import { solvePermutation } from './solve-permutation.ts';

/** Runs the assignment. */
export const runAssignment: RunProcedure<AssignmentInput> = async (input, context) => {
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
};
