/** A processor as it stands now, as callers see it. */
import type { Processor } from '../fleet/processor.ts';
import { isoTime } from './envelope.ts';
import type { ProcessorView } from './schemas/processors.ts';

/** The processor's item in a listing. */
export function viewProcessor(processor: Processor): ProcessorView {
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
    queue_depth: load.queueDepth,
    expected_wait_ms: Math.round(load.expectedWaitMs),
    expected_wide_wait_ms: Math.round(load.expectedWideWaitMs),
  };
}
