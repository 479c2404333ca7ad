/**
 * Example of a plan whose tasks use each other's results. It is published with the planner, and a test runs
 * it.
 */
import type { JsonObject } from '../../workloads/procedures/json.ts';

/** The body of POST /systems/asi/plans. */
export const PLAN_EXAMPLE: JsonObject = {
  goal: 'Find the ground state of H2, make its circuit shorter, and fit it to a device',
  tasks: [
    { name: 'ground', agent: 'research', task: 'vqe', input: { problem: 'h2' } },
    { name: 'short', agent: 'design', task: 'shorten' },
    { name: 'fitted', agent: 'design', task: 'route', input: { device: 'iqm-garnet' } },
  ],
};
