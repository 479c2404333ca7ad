/** Procedures of the TPU jobs, one per job type. */
import type { SelfTestTask } from '../agents/agent.ts';
import { type Procedure, procedure } from '../procedures/procedure.ts';
import { inference } from './inference.ts';
import { optimization } from './optimization.ts';
import { simulation } from './simulation.ts';
import { TRAINING_LIMITS, trainingFaults, trainingInput } from './training.ts';

/** Owner of these procedures in procedure addresses. */
export const TPU_OWNER = 'tpu';

/** The TPU job `training`. */
export const training = procedure({
  name: 'training',
  description:
    'Trains a variational classifier (exact gradients, Adam) or a variational quantum eigensolver. The result has the loss or energy of each step, the trained parameters, and the accuracy on training and held-out rows or the energy beside the exact one. `scaler` has the range of each feature in the training rows: the circuit gets 2 (x − minimum) / (maximum − minimum) − 1, clipped to [−1, 1]; for a constant feature the maximum is the minimum plus 1. A row has class 1 if its expectation value is above `threshold`.',
  input: trainingInput,
  check: trainingFaults,
  limits: { ...TRAINING_LIMITS, deadline_ms: 600_000 },
  example: { problem: 'classifier', steps: 10, batch_size: 20, seed: 7 },
  run: async (...call) => (await import('./run-training.ts')).runTraining(...call),
});

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
