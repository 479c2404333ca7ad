/** One word for the whole service. */

import type { StatusView } from '../schemas/status.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** Sources of the status. */
export type StatusSources = Pick<
  ServiceDeps,
  'fleet' | 'devices' | 'models' | 'agents' | 'planner' | 'tpu' | 'readers' | 'storageFault'
>;

/** Bodies of a key that sends nothing else are read sooner than this while all is well. */
const LATE_READING_MS = 5000;

/**
 * `down` when no simulator is available, since nothing runs then; `degraded` when anything else that
 * this service promises is not available, new work cannot be stored, or bodies are read late; else
 * `operational`. What an operator has not configured, hardware and an upstream for text, is no promise.
 */
export function overallStatus(sources: StatusSources): StatusView['status'] {
  const { fleet, devices, models, agents, planner, tpu, readers, storageFault } = sources;
  const simulators = fleet.processors.filter(({ spec }) => spec.family !== 'superconducting');
  const areWell = simulators.map((processor) => processor.availability().available);
  if (!areWell.includes(true)) return 'down';
  const promised = [
    models.classifier,
    ...(models.text.isConfigured ? [models.text] : []),
    ...agents.agents,
    planner,
    tpu.work,
  ];
  const isWell =
    areWell.every((isAvailable) => isAvailable) &&
    promised.every((part) => part.availability().available) &&
    devices.summary().quarantined === 0 &&
    readers.expectedWaitMs('') <= LATE_READING_MS &&
    storageFault() === undefined;
  return isWell ? 'operational' : 'degraded';
}
