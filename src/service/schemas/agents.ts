/** Schemas of agents. */
import { z } from 'zod';
import { AGENT_IDS } from '../../workloads/agents/agent.ts';
import { isoTime } from './envelope.ts';
import { capability, rateBasis, workStats } from './procedures.ts';

/** An agent. */
export const agent = z
  .strictObject({
    id: z.enum(AGENT_IDS),
    name: z.string(),
    kind: z.enum(['Computation', 'Research', 'Security', 'Design', 'Robotics']),
    description: z.string(),
    available: z.boolean(),
    reason: z.string().optional().describe('Reason, if it is not available'),
    checked_at: isoTime,
    tasks_per_sec: z
      .number()
      .describe(
        'Measured rate of the task that `tasks_per_sec_basis` names; 0 before the first measurement',
      ),
    tasks_per_sec_basis: rateBasis.nullable(),
    capabilities: z.array(capability),
    stats: workStats,
  })
  .meta({ id: 'Agent' });
export type AgentView = z.output<typeof agent>;

/** All agents. */
export const agentList = z.strictObject({ agents: z.array(agent) });

/** Path of one agent. */
export const agentParams = z.strictObject({ agent_id: z.string() });
