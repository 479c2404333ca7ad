/** Schemas of processors and of the status of the service. */
import { z } from 'zod';
import { isoTime } from './envelope.ts';
import { deviceSummary } from './fleet-devices.ts';

/** A processor, as it stands now. */
export const processor = z
  .strictObject({
    id: z.string().meta({ examples: ['statevector-sim'] }),
    name: z.string(),
    family: z.enum(['statevector', 'gpu-fleet', 'superconducting']),
    available: z.boolean().describe('Whether a circuit sent now would run: the last self-test'),
    reason: z.string().optional().describe('Why not, when not available'),
    checked_at: isoTime.describe('When the last self-test ended'),
    qubits: z.int().describe('Largest circuit that would run now; 0 when not available'),
    max_qubits: z.int(),
    max_shots: z.int(),
    max_gates: z.int(),
    precision: z.enum(['f32', 'f64']).nullable().describe('Of amplitudes; null for hardware'),
    execution: z.enum(['webgpu', 'cpu', 'cpu-fallback', 'hardware']),
    physical_gpus: z.int().optional().describe('Of a fleet: GPUs that are really there'),
    adapters: z
      .array(z.strictObject({ name: z.string(), software: z.boolean() }))
      .optional()
      .describe('Of a fleet: what wide circuits run on now; one that is software is no GPU'),
    devices: deviceSummary.optional().describe('Of a fleet: its devices, summed up'),
    queue_depth: z.int(),
    expected_wait_ms: z
      .number()
      .describe(
        'Until a small circuit that this key sent now would start: until it is read, and from the run times of recent ones',
      ),
    expected_wide_wait_ms: z
      .number()
      .describe(
        'The same of a wide circuit, which runs on an adapter or on all threads at once: one of more than 17 qubits, or of fewer where memory is short',
      ),
  })
  .meta({ id: 'Processor' });
/** A processor, as it is written. */
export type ProcessorView = z.output<typeof processor>;

/** All processors. */
export const processorList = z.strictObject({ processors: z.array(processor) });

/** Path of one processor. */
export const processorParams = z.strictObject({ processor_id: z.string() });
