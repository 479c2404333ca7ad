/** Schemas of the fleet's devices. */
import { z } from 'zod';
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
