/** Overall status of the service. */

import type { StatusView } from '../schemas/status.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** Sources of the status. */
export type StatusSources = Pick<
  ServiceDeps,
  'fleet' | 'devices' | 'models' | 'agents' | 'planner' | 'tpu' | 'readers' | 'storageFault'
>;

/** Wait of bodies above which the service is degraded, milliseconds, for a key that sends nothing else. */
const LATE_READING_MS = 5000;

/**
 * `down` if no simulator is available, because nothing runs then. `degraded` if anything else that the
 * service promises is unavailable, new work cannot be stored, or bodies are read late. Otherwise
 * `operational`. Hardware and a text upstream that are not configured are no promise.
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
