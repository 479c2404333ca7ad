/** Current state of a processor, in the form that callers see. */
import type { DeviceDirectory } from '../fleet/fleet-device.ts';
import type { Processor } from '../fleet/processor.ts';
import { hasDevices, viewSummary } from './device-view.ts';
import type { ProcessorDirectory } from './directories.ts';
import { isoTime } from './envelope.ts';
import { ProcessorNotFoundError } from './errors.ts';
import type { ProcessorView } from './schemas/processors.ts';

/**
 * Finds a processor by id.
 *
 * @throws {ProcessorNotFoundError}
 */
export function findProcessor(fleet: ProcessorDirectory, id: string): Processor {
  const found = fleet.get(id);
  if (found !== undefined) return found;
  const known = fleet.processors.map(({ spec }) => spec.id);
  throw new ProcessorNotFoundError(id, known);
}

/**
 * Entry of a processor in a listing; for the fleet it includes a summary of its devices.
 *
 * @param readingWaitMs - Time until a body of the caller would be read, if that has to wait.
 */
export function viewProcessor(
  processor: Processor,
  devices: DeviceDirectory,
  readingWaitMs: number,
): ProcessorView {
  const { spec } = processor;
  const { available, reason, checkedAt } = processor.availability();
  const load = processor.load();
  return {
    id: spec.id,
    name: spec.name,
    family: spec.family,
    available,
    ...(reason === undefined ? {} : { reason }),
    checked_at: isoTime(checkedAt),
    qubits: available ? spec.maxQubits : 0,
    max_qubits: spec.maxQubits,
    max_shots: spec.maxShots,
    max_gates: spec.maxGates,
    precision: spec.precision,
    execution: spec.execution,
    ...(spec.physicalGpus === undefined ? {} : { physical_gpus: spec.physicalGpus }),
    ...(spec.adapters && {
      adapters: spec.adapters.map(({ name, isSoftware }) => ({ name, software: isSoftware })),
    }),
    ...(hasDevices(processor) && { devices: viewSummary(devices) }),
    queue_depth: load.queueDepth,
    expected_wait_ms: Math.round(readingWaitMs + load.expectedWaitMs),
    expected_wide_wait_ms: Math.round(readingWaitMs + load.expectedWideWaitMs),
  };
}
