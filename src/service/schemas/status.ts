/** Schema of GET /status. */
import { z } from 'zod';
import { agent } from './agents.ts';
import { modelSummary } from './models.ts';
import { processor } from './processors.ts';
import { systemSummary } from './systems.ts';
import { tpuFleet } from './tpu.ts';

const HOW = { id: true, available: true, reason: true, checked_at: true } as const;

/** How everything is. */
export const status = z.strictObject({
  status: z
    .enum(['operational', 'degraded', 'down'])
    .describe(
      'down: no simulator is available, so nothing runs. degraded: new bodies wait more than 5 s to be read, or a simulator, an agent, the planner, the TPU fleet or the trained classifier is not available, or an upstream for text is configured and is not, or what backs devices of the fleet is in quarantine. operational: none of these. Hardware does not count, which is offline until an operator configures a provider; nor does maintenance of single devices, nor text without an upstream',
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
      waiting: z.int().describe('Bodies that wait to be read'),
      running: z.int().describe('Bodies that are read now'),
      bytes: z.int().describe('Bytes of large bodies that arrive, wait or are read'),
      expected_wait_ms: z
        .number()
        .describe(
          'Until a small body of this key would be read, in fair turns with the bodies of others; part of `expected_wait_ms` of the processors',
        ),
    })
    .describe('Large bodies, and programs that loop for long, wait to be read'),
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
/** The status, as it is written. */
export type StatusView = z.output<typeof status>;
