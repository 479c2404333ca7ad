/** Procedures of the TPU jobs, one per job type. */
import type { SelfTestTask } from '../agents/agent.ts';
import type { Procedure } from '../procedures/procedure.ts';
import { inference } from './inference.ts';
import { optimization } from './optimization.ts';
import { simulation } from './simulation.ts';
import { training } from './training.ts';

/** Owner of these procedures in procedure addresses. */
export const TPU_OWNER = 'tpu';

/** The procedures; `name` is the job type. */
export const TPU_PROCEDURES: readonly Procedure[] = [training, inference, simulation, optimization];

/** Self-test: two flowers that the deployed model's circuit classifies with certainty. */
export const TPU_SELF_TEST: SelfTestTask = {
  task: 'inference',
  input: {
    inputs: [
      [5.7, 2.9, 4.2, 1.3],
      [6.8, 3, 5.5, 2.1],
    ],
    labels: [0, 1],
    shots: 0,
  },
  faultOf: ({ accuracy, predictions }) =>
    accuracy === 1
      ? undefined
      : `Two flowers that are known were classified as ${JSON.stringify(predictions)}, not [0,1].`,
};
