/** Schemas of GET /status and GET /. */
import { z } from 'zod';
import { modelSummary } from '../models/model-schema.ts';
import { agent } from '../work/agent-schema.ts';
import { tpuFleet } from '../work/tpu-schema.ts';
import { processor } from './processor-schema.ts';
import { systemSummary } from './system-schema.ts';

const HOW = { id: true, available: true, reason: true, checked_at: true } as const;

/** State of the service and its parts. */
export const status = z.strictObject({
  status: z
    .enum(['operational', 'degraded', 'down'])
    .describe(
      'down: no simulator is available, so nothing runs. degraded: new bodies wait more than 5 s to be parsed; or a simulator, an agent, the planner, the TPU fleet or the trained classifier is not available; or a text upstream is configured and not available; or an adapter behind devices of the fleet is in quarantine. operational: otherwise. Hardware is offline until an operator configures a provider and does not count; neither does maintenance of single devices, nor text generation without an upstream',
    ),
  uptime_s: z.number(),
  systems: z.array(systemSummary.pick(HOW)),
  agents: z.array(agent.pick({ ...HOW, tasks_per_sec: true })),
  processors: z.array(
    processor.pick({
      ...HOW,
      qubits: true,
      execution: true,
      devices: true,
      queue_depth: true,
      expected_wait_ms: true,
      expected_wide_wait_ms: true,
    }),
  ),
  reading: z
    .strictObject({
      waiting: z.int().describe('Request bodies that wait to be parsed'),
      running: z.int().describe('Request bodies that are being parsed'),
      bytes: z
        .int()
        .describe('Bytes of large request bodies that arrive, wait or are being parsed'),
      expected_wait_ms: z
        .number()
        .describe(
          'Milliseconds until a small body of this key would be parsed; keys take turns. Included in `expected_wait_ms` of the processors',
        ),
    })
    .describe('Queue of request bodies for parsing: large ones, and programs with long loops'),
  models: z.array(modelSummary.pick(HOW)),
  tpu: tpuFleet.pick({
    available: true,
    reason: true,
    checked_at: true,
    chips: true,
    available_chips: true,
    jobs_placed: true,
    jobs_waiting: true,
  }),
});
export type StatusView = z.output<typeof status>;

/** Name, version and contents of the service. */
export const root = z.strictObject({
  name: z.string(),
  version: z.string(),
  api_version: z.literal('v1'),
  documentation: z.string(),
  openapi: z.string(),
  services: z.array(
    z.strictObject({
      id: z.string(),
      description: z.string(),
      path: z.string(),
      methods: z.array(z.string()),
    }),
  ),
});
export type RootView = z.output<typeof root>;
