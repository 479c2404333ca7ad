/** The robotics agent: assigns and orders work by QAOA. */
import type { Agent } from '../agent.ts';
import { assignment } from './assignment.ts';
import { routing } from './routing.ts';

/** The robotics agent. */
export const roboticsAgent: Agent = {
  id: 'robotics',
  name: 'Robotics Agent',
  kind: 'Robotics',
  description:
    'Assignment of robots to tasks and routing of a robot through sites by the quantum approximate optimization algorithm, measured against the optimum and against guessing.',
  procedures: [assignment, routing],
  selfTest: {
    task: 'assignment',
    // With two permutations, one layer yields the cheaper one with certainty.
    input: {
      costs: [
        [1, 4],
        [4, 2],
      ],
      layers: 1,
      shots: 16,
      seed: 1,
    },
    faultOf: ({ total_cost: cost, optimum_cost: optimum }) =>
      cost === 3 && optimum === 3
        ? undefined
        : `The assignment of two robots came out at ${JSON.stringify(cost)} and the optimum at ${JSON.stringify(optimum)}, not 3.`,
  },
};
