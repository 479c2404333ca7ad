/** Agents as callers see them: schemas, and the present state of each. */
import { z } from 'zod';
import { AGENT_IDS } from '../../workloads/agents/agent.ts';
import type { ServedAgent } from '../../workloads/agents/agent-roster.ts';
import type { AgentDirectory } from '../directories.ts';
import { isoTime, isoTimestamp } from '../http/envelope.ts';
import { AgentNotFoundError } from '../http/errors.ts';
import {
  capability,
  rate,
  rateBasis,
  viewBenchmark,
  viewCapability,
  viewStats,
  workStats,
} from './procedures-view.ts';

/** An agent. */
export const agent = z
  .strictObject({
    id: z.enum(AGENT_IDS),
    name: z.string(),
    kind: z.enum(['Computation', 'Research', 'Security', 'Design', 'Robotics']),
    description: z.string(),
    available: z.boolean(),
    reason: z.string().optional().describe('Reason, if it is not available'),
    checked_at: isoTimestamp,
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

/**
 * Finds an agent by id.
 *
 * @throws {AgentNotFoundError}
 */
export function findAgent({ agents }: AgentDirectory, id: string): ServedAgent {
  const found = agents.find(({ owner }) => owner.id === id);
  if (found !== undefined) return found;
  throw new AgentNotFoundError(
    id,
    agents.map(({ owner }) => owner.id),
  );
}

/** Full record of an agent. */
export function viewAgent(served: ServedAgent, cpuModel: string): AgentView {
  const { owner, benchmark } = served;
  const { available, reason, checkedAt } = served.availability();
  return {
    id: owner.id,
    name: owner.name,
    kind: owner.kind,
    description: owner.description,
    available,
    ...(reason !== undefined && { reason }),
    checked_at: isoTime(checkedAt),
    tasks_per_sec: rate(benchmark?.tasksPerSec ?? 0),
    tasks_per_sec_basis: benchmark ? viewBenchmark(benchmark, cpuModel) : null,
    capabilities: owner.procedures.map((each) =>
      viewCapability(each, { task: each.name, input: each.example }),
    ),
    stats: viewStats(served),
  };
}
