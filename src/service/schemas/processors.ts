/** Schemas of processors and of orders that take one, or a device, out of service or back. */
import { z } from 'zod';
import { isoTime } from './envelope.ts';
import { deviceSummary } from './fleet-devices.ts';

/** A processor, as it stands now. */
export const processor = z
  .strictObject({
    id: z.string().meta({ examples: ['statevector-sim'] }),
    name: z.string(),
    family: z.enum(['statevector', 'gpu-fleet', 'superconducting']),
    available: z
      .boolean()
      .describe('Whether the last self-test passed, so that a circuit sent now would run'),
    reason: z.string().optional().describe('Reason, if it is not available'),
    checked_at: isoTime.describe('End of the last self-test'),
    qubits: z
      .int()
      .describe('Qubits of the largest circuit that would run now; 0 if not available'),
    max_qubits: z.int(),
    max_shots: z.int(),
    max_gates: z.int(),
    precision: z
      .enum(['f32', 'f64'])
      .nullable()
      .describe('Precision of amplitudes; null for hardware'),
    execution: z.enum(['webgpu', 'cpu', 'cpu-fallback', 'hardware']),
    physical_gpus: z.int().optional().describe('Fleet only: number of real GPUs'),
    adapters: z
      .array(z.strictObject({ name: z.string(), software: z.boolean() }))
      .optional()
      .describe('Fleet only: adapters that run wide circuits now; a software adapter is not a GPU'),
    devices: deviceSummary.optional().describe('Fleet only: totals over its devices'),
    queue_depth: z.int(),
    expected_wait_ms: z
      .number()
      .describe(
        'Expected milliseconds until a small circuit of this key would start, if it were sent now: the time to parse it, and the wait estimated from recent run times',
      ),
    expected_wide_wait_ms: z
      .number()
      .describe(
        'Expected milliseconds until a wide circuit of this key would start. Circuits of more than 17 qubits are wide, and smaller ones if memory is short; they run on an adapter, or on all threads of the CPU',
      ),
  })
  .meta({ id: 'Processor' });
export type ProcessorView = z.output<typeof processor>;

/** All processors. */
export const processorList = z.strictObject({ processors: z.array(processor) });

/** Path of one processor. */
export const processorParams = z.strictObject({ processor_id: z.string() });

/** Body of POST /admin/processors/{id}/maintenance and of the same of a device. */
export const maintenanceBody = z
  .strictObject({
    enabled: z.boolean(),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .meta({ pattern: '\\S' })
      .optional()
      .describe('Reason that callers are shown; allowed only with enabled true'),
  })
  .meta({
    if: { properties: { enabled: { const: false } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { reason: false } },
    examples: [{ enabled: true, reason: 'Cooling is being repaired' }],
  });
