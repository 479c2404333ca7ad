/** Schemas of systems: what stands behind each of the four names. */
import { z } from 'zod';
import { isoTimestamp, jsonObject } from '../http/envelope.ts';
import { deviceSummary } from './fleet-device-schema.ts';
import { processor } from './processor-schema.ts';

/** The systems' ids. */
export const SYSTEM_IDS = ['qvm', 'quantum-os', 'asi', 'llma'] as const;

const systemFields = {
  id: z.enum(SYSTEM_IDS),
  name: z.string(),
  description: z.string(),
  available: z.boolean(),
  reason: z.string().optional().describe('Reason, if it is not available'),
  checked_at: isoTimestamp,
  self_test: z.string().describe('Self-test that decides its availability'),
};

/** A system in the listing. */
export const systemSummary = z.strictObject(systemFields).meta({ id: 'SystemSummary' });
export type SystemSummaryView = z.output<typeof systemSummary>;

/** All systems. */
export const systemList = z.strictObject({ systems: z.array(systemSummary) });

const inHand = z.strictObject({ queued: z.int(), running: z.int() });

/** Abilities and state of the circuit runtime. */
const qvmDetail = z.strictObject({
  processors: z.array(
    processor.pick({
      id: true,
      available: true,
      reason: true,
      checked_at: true,
      qubits: true,
      max_qubits: true,
      precision: true,
      execution: true,
    }),
  ),
  operations: z.int().describe('Number of operations in the catalog at GET /quantum/operations'),
  languages: z.array(z.string()),
});

/** Present load of the scheduler. */
const quantumOsDetail = z.strictObject({
  uptime_s: z.number(),
  queue_depth: z.int().describe('Number of waiting circuits and batches'),
  running: z.int(),
  devices: deviceSummary,
  jobs_in_flight: z.strictObject({
    circuit: inHand,
    batch: inHand,
    task: inHand,
    tpu_job: inHand,
  }),
  work_processes: z
    .strictObject({
      processes: z.int(),
      running: z.int(),
      waiting: z.int(),
      expected_wait_ms: z.number(),
    })
    .describe('Processes that run the code of tasks and TPU jobs'),
});

/** Tasks that plans may use. */
const asiDetail = z.strictObject({
  claims: z.string(),
  path: z.string(),
  agents: z.array(z.strictObject({ id: z.string(), available: z.boolean(), tasks: z.int() })),
  max_tasks: z.int(),
  example: jsonObject.describe('Complete request body that runs'),
});

/** Models that generate text. */
const llmaDetail = z.strictObject({
  model: z.string(),
  configured: z.boolean().describe('Whether the operator has configured an upstream'),
  path: z.string(),
  limits: z.strictObject({
    input_characters: z.int(),
    max_tokens: z.int(),
    default_max_tokens: z.int(),
    temperature: z.number(),
  }),
});

/** One system with all that stands behind it. */
export const systemDetail = z
  .strictObject({
    ...systemFields,
    detail: z.union([qvmDetail, quantumOsDetail, asiDetail, llmaDetail]),
  })
  .meta({ id: 'System' });
export type SystemDetailView = z.output<typeof systemDetail>;

/** Path of one system. */
export const systemParams = z.strictObject({ system_id: z.string() });
