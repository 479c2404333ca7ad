/** The design agent: synthesises, shortens and routes circuits. */
import type { Agent } from '../agent.ts';
import { prepareState } from './prepare-state.ts';
import { route } from './route.ts';
import { shorten } from './shorten.ts';
import { synthesize } from './synthesize.ts';

/** The design agent. It verifies every circuit that it returns, and the result says how. */
export const designAgent: Agent = {
  id: 'design',
  name: 'Design Agent',
  kind: 'Design',
  description:
    'Designs circuits: shortens them, routes them to a device, prepares states, synthesises unitaries. Results are verified by simulation where possible, and say how.',
  procedures: [shorten, route, prepareState, synthesize],
  selfTest: {
    task: 'synthesize',
    // The input is a SWAP, which takes three CX.
    input: {
      unitary: [
        [
          [1, 0],
          [0, 0],
          [0, 0],
          [0, 0],
        ],
        [
          [0, 0],
          [0, 0],
          [1, 0],
          [0, 0],
        ],
        [
          [0, 0],
          [1, 0],
          [0, 0],
          [0, 0],
        ],
        [
          [0, 0],
          [0, 0],
          [0, 0],
          [1, 0],
        ],
      ],
    },
    faultOf: ({ entangling_gates: found }) =>
      found === 3 ? undefined : `A SWAP took ${found} CX instead of 3.`,
  },
};
