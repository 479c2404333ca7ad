/** Schemas of processors, of the fleet's devices, and of orders that take one out of service or back. */
import { z } from 'zod';
import { noiseModelSchema } from '../../circuit/noise/noise-model-schema.ts';
import { RUN_METHODS } from '../../fleet/method-names.ts';
import { isoTimestamp } from '../http/envelope.ts';

const backingKind = z
  .enum(['adapter', 'cpu'])
  .describe('A GPU or what its driver takes for one, or the CPU engine');

const backingKindOrNone = z
  .enum([...backingKind.options, 'none'])
  .describe(
    'A GPU or what its driver takes for one, the CPU engine, or nothing because no node of the cluster serves the device',
  );

/** A device of the fleet, as it stands now. */
export const device = z
  .strictObject({
    id: z.string().meta({ examples: ['gpu-00'] }),
    node: z.string().meta({ examples: ['node-0'] }),
    slot: z.int().min(0).describe('Position in its node, from 0'),
    served_by: z
      .string()
      .optional()
      .describe('Clusters only: name of the node that serves the device, or did so last'),
    modelled: z.boolean().describe('Whether this is a model of a device, without a GPU of its own'),
    backing: z
      .strictObject({
        kind: backingKindOrNone,
        name: z.string(),
        software: z.boolean().describe('Whether the driver computes on the CPU, without a GPU'),
        shared_by: z
          .int()
          .min(0)
          .describe('Number of devices that share it, including this one; 0 without a backing'),
      })
      .describe('The hardware that runs the circuits of this device'),
    memory_bytes: z.int().min(0).describe('Memory for the amplitudes of its circuits, bytes'),
    max_qubits: z.int().min(0).describe('Qubits of the largest circuit that it can run alone'),
    available: z.boolean().describe('Whether it takes circuits now'),
    reason: z.string().optional().describe('Reason, if it is not available'),
    checked_at: isoTimestamp.describe('End of the last self-test of the adapter or CPU behind it'),
    maintenance: z
      .strictObject({ reason: z.string() })
      .optional()
      .describe('Present while an operator has taken it out of service'),
    queue_depth: z.int().min(0).describe('Number of waiting circuits that are planned for it'),
    busy: z.boolean().describe('Whether it runs a circuit now'),
    expected_wait_ms: z
      .number()
      .min(0)
      .optional()
      .describe(
        'Milliseconds until a circuit placed on it now would start; absent while it is not available',
      ),
    counters: z
      .strictObject({
        completed: z.int().min(0),
        failed: z
          .int()
          .min(0)
          .describe('Circuits that ended with an error, or were cancelled while they ran'),
        lost: z.int().min(0).describe('Circuits whose adapter or worker was lost while they ran'),
        busy_ms: z.number().min(0).describe('Milliseconds during which it ran a circuit'),
      })
      .describe('Counts since the time that `utilisation` names'),
    utilisation: z
      .strictObject({
        fraction: z.number().min(0).max(1),
        basis: z.literal('measured'),
        since: isoTimestamp,
      })
      .describe('Part of the time during which it ran a circuit, 0 to 1'),
  })
  .meta({ id: 'Device' });
export type DeviceView = z.output<typeof device>;

const count = z.int().min(0);

/** The fleet's devices in a few figures. */
export const deviceSummary = z
  .strictObject({
    total: count,
    available: count,
    in_maintenance: count,
    quarantined: count.describe(
      'Devices out of service because the adapter behind them failed, or because their node of a cluster was not heard of or is being drained',
    ),
    unserved: count.optional().describe('Clusters only: devices that no node serves'),
    busy: count,
    backings: z
      .array(
        z.strictObject({
          kind: backingKind,
          name: z.string(),
          software: z.boolean(),
          devices: count,
          available: count,
        }),
      )
      .describe('Number of devices for each adapter or CPU behind them'),
  })
  .meta({ id: 'DeviceSummary' });
export type DeviceSummaryView = z.output<typeof deviceSummary>;

/** All devices of a processor, and their summary. */
export const deviceList = z.strictObject({ devices: z.array(device), summary: deviceSummary });

/** Path of one device. */
export const deviceParams = z.strictObject({ processor_id: z.string(), device_id: z.string() });

/** Path of one device's maintenance. */
export const deviceMaintenanceParams = z.strictObject({ device_id: z.string() });

const qubitIndex = z.int().min(0);
const errorRate = z.number().min(0).optional();

/** Calibration of a device as its vendor reports it. */
const calibration = z
  .strictObject({
    basis: z.literal('reported').describe('The figures are the vendor’s'),
    fetched_at: isoTimestamp.describe('When the figures were fetched from the vendor'),
    calibrated_at: isoTimestamp.optional().describe('When the vendor measured the last of them'),
    qubits: z.array(
      z.strictObject({
        qubit: qubitIndex,
        t1_us: z.number().optional(),
        t2_us: z.number().optional(),
        readout_error: errorRate,
        gate_error: errorRate.describe('Greatest error of a one-qubit gate'),
      }),
    ),
    couplers: z.array(
      z.strictObject({
        qubits: z.tuple([qubitIndex, qubitIndex]),
        gate: z.string(),
        gate_error: errorRate,
      }),
    ),
  })
  .describe('Calibration of the device');

/** Fields of a device and of its emulation. */
const deviceFields = {
  basis: z
    .enum(['measured', 'modelled'])
    .optional()
    .describe('Devices only: whether results are those of a device, or of a model of one'),
  source: z.string().optional().describe('Devices only: where the description comes from'),
  coupling_map: z
    .array(z.tuple([qubitIndex, qubitIndex]))
    .optional()
    .describe(
      'Devices only: pairs of qubits that a two-qubit gate can act on, in this order of its operands',
    ),
  symmetric_couplers: z
    .boolean()
    .optional()
    .describe('Devices only: whether gates can act on each pair in the other order, too'),
  native_gates: z.array(z.string()).optional().describe('Devices only: gates that it executes'),
  abilities: z
    .strictObject({
      mid_circuit_measurement: z.boolean(),
      reset: z.boolean(),
      condition: z.boolean(),
    })
    .optional()
    .describe('Devices only: operations other than gates and measurements at the end'),
  date: z
    .string()
    .optional()
    .describe('Emulated devices only: day of the calibration that the figures come from'),
  max_used_qubits: z
    .int()
    .optional()
    .describe('Emulated devices only: qubits of the device that one circuit may use'),
  noise: noiseModelSchema
    .optional()
    .describe(
      'Emulated devices only: noise of circuits in native gates, unless the request has another',
    ),
  t1_us: z.number().optional().describe('Emulated devices only: median T1 in microseconds'),
  t2_us: z.number().optional().describe('Emulated devices only: median T2 in microseconds'),
  durations_ns: z
    .record(z.string(), z.number())
    .optional()
    .describe('Emulated devices only: durations of native gates and of M in nanoseconds'),
  vendor: z
    .strictObject({
      name: z.string(),
      device: z.string(),
      queue_depth: z.int().optional().describe('Jobs that wait for the device, at the vendor'),
      fetched_at: isoTimestamp.describe('When this was fetched from the vendor'),
    })
    .optional()
    .describe('Hardware only: what the vendor reports'),
  calibration: calibration.optional(),
};

/** A processor, as it stands now. */
export const processor = z
  .strictObject({
    id: z.string().meta({ examples: ['statevector-sim'] }),
    name: z.string(),
    family: z.enum(['statevector', 'gpu-fleet', 'qvm', 'superconducting', 'emulator']),
    available: z
      .boolean()
      .describe('Whether the last self-test passed, so that a circuit sent now would run'),
    reason: z.string().optional().describe('Reason, if it is not available'),
    checked_at: isoTimestamp.describe('End of the last self-test'),
    qubits: z
      .int()
      .describe('Qubits of the largest circuit that would run now; 0 if not available'),
    max_qubits: z.int(),
    max_shots: z.int(),
    max_gates: z.int(),
    methods: z
      .array(
        z.strictObject({
          method: z.enum(RUN_METHODS),
          max_qubits: z.int().describe('Qubits of the widest circuit that it takes'),
          max_noisy_qubits: z
            .int()
            .describe(
              'Qubits of the widest circuit with noise; GPUs that hold a state together take none, and matrix product states readout errors alone',
            ),
          max_qubits_f64: z
            .int()
            .optional()
            .describe('Qubits of the widest one in double precision; wider ones take single'),
          near_clifford: z
            .strictObject({
              max_qubits: z.int().describe('Qubits of the widest circuit'),
              max_stabilizer_states: z
                .int()
                .describe(
                  'Most stabilizer states in a sum; they at most double with each such gate',
                ),
              max_active_qubits: z
                .int()
                .describe(
                  'Most qubits that are in no stabilizer state at a time, in circuits with noise, resets or conditions',
                ),
            })
            .optional()
            .describe('Limits of circuits that are Clifford but for a few gates'),
        }),
      )
      .optional()
      .describe(
        'Simulators only: methods that circuits may ask for, besides automatic. With noise, statevector runs trajectories',
      ),
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
    ...deviceFields,
    queue_depth: z.int(),
    expected_wait_ms: z
      .number()
      .optional()
      .describe(
        'Expected milliseconds until a small circuit of this key would start, if it were sent now: the time to parse it, and the wait estimated from recent run times. Absent for hardware, whose vendor decides',
      ),
    expected_wide_wait_ms: z
      .number()
      .optional()
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
