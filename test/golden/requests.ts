/** All requests whose answers are recorded, in the order in which they are sent. */
import { BATCH_FAULTS } from './requests/batch-faults.ts';
import { BATCH_RUNS } from './requests/batches.ts';
import { CIRCUIT_DEVICES } from './requests/circuit-devices.ts';
import { CIRCUIT_FAULTS } from './requests/circuit-faults.ts';
import { CIRCUIT_OUTPUTS } from './requests/circuit-outputs.ts';
import { CIRCUIT_SOURCES } from './requests/circuit-sources.ts';
import { ESTIMATES } from './requests/estimates.ts';
import type { GoldenRequest } from './requests/golden-request.ts';
import { IONQ } from './requests/ionq.ts';
import { TASKS } from './requests/tasks.ts';

/** The requests. */
export const GOLDEN_REQUESTS: readonly GoldenRequest[] = [
  ...CIRCUIT_SOURCES,
  ...CIRCUIT_OUTPUTS,
  ...CIRCUIT_DEVICES,
  ...CIRCUIT_FAULTS,
  ...BATCH_RUNS,
  ...BATCH_FAULTS,
  ...ESTIMATES,
  ...TASKS,
  ...IONQ,
];
