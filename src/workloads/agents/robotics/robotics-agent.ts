/** The robotics agent: who does what, and in which order, by QAOA. */
import type { Agent } from '../agent.ts';
import { assignment } from './assignment.ts';
import { routing } from './routing.ts';

/** The agent. */
export const roboticsAgent: Agent = {
  id: 'robotics',
  name: 'Robotics Agent',
  kind: 'Robotics',
  description:
    'Assignment of robots to tasks and routing of a robot through sites by the quantum approximate optimization algorithm, measured against the optimum and against guessing.',
  procedures: [assignment, routing],
  selfTest: {
    task: 'assignment',
    // One layer turns two permutations into the cheaper one for sure.
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
