/** Schemas of the fleet's devices. */
import { z } from 'zod';
import { isoTime } from './envelope.ts';

const backingKind = z
  .enum(['adapter', 'cpu'])
  .describe('A GPU or what its driver takes for one, or the CPU engine');

/** A device of the fleet, as it stands now. */
export const device = z
  .strictObject({
    id: z.string().meta({ examples: ['gpu-00'] }),
    node: z.string().meta({ examples: ['node-0'] }),
    slot: z.int().min(0).describe('Place in its node, from 0'),
    modelled: z.boolean().describe('A model of a device rather than a GPU of its own'),
    backing: z
      .strictObject({
        kind: backingKind,
        name: z.string(),
        software: z.boolean().describe('It computes on the CPU; no GPU'),
        shared_by: z.int().min(1).describe('Devices that share it, this one among them'),
      })
      .describe('What really runs its circuits'),
    memory_bytes: z.int().min(0).describe('For the amplitudes of what runs on it'),
    max_qubits: z.int().min(0).describe('Of a circuit that it takes alone'),
    available: z.boolean().describe('Whether it would be given a circuit now'),
    reason: z.string().optional().describe('Why not, when not available'),
    checked_at: isoTime.describe('When the last self-test of what backs it ended'),
    maintenance: z
      .strictObject({ reason: z.string() })
      .optional()
      .describe('Present while an operator has it out of service'),
    queue_depth: z.int().min(0).describe('Waiting circuits that are planned for it'),
    busy: z.boolean().describe('Whether it runs circuits now'),
    expected_wait_ms: z
      .number()
      .min(0)
      .optional()
      .describe('Until a circuit placed on it now would start; absent while it is not available'),
    counters: z
      .strictObject({
        completed: z.int().min(0),
        failed: z.int().min(0).describe('Ended with an error, or were cancelled while they ran'),
        lost: z.int().min(0).describe('Lost with what ran them'),
        busy_ms: z.number().min(0).describe('Time with a circuit'),
      })
      .describe('Circuits since the time that `utilisation` names'),
    utilisation: z
      .strictObject({
        fraction: z.number().min(0).max(1),
        basis: z.literal('measured'),
        since: isoTime,
      })
      .describe('Part of the time that it had a circuit'),
  })
  .meta({ id: 'Device' });
/** A device, as it is written. */
export type DeviceView = z.output<typeof device>;

const count = z.int().min(0);

/** The fleet's devices in a few figures. */
export const deviceSummary = z
  .strictObject({
    total: count,
    available: count,
    in_maintenance: count,
    quarantined: count.describe('Out of service because what backs them failed'),
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
      .describe('What backs them, and how many of them'),
  })
  .meta({ id: 'DeviceSummary' });
/** The summary, as it is written. */
export type DeviceSummaryView = z.output<typeof deviceSummary>;

/** All devices of a processor, and their summary. */
export const deviceList = z.strictObject({ devices: z.array(device), summary: deviceSummary });

/** Path of one device. */
export const deviceParams = z.strictObject({ processor_id: z.string(), device_id: z.string() });

/** Path of one device's maintenance. */
export const deviceMaintenanceParams = z.strictObject({ device_id: z.string() });
