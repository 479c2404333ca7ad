/** Current state of an agent, in the form that callers see. */
import type { ServedAgent } from '../../workloads/agents/agent-roster.ts';
import type { AgentDirectory } from '../directories.ts';
import { isoTime } from '../envelope.ts';
import { AgentNotFoundError } from '../errors.ts';
import { rate, viewBenchmark, viewCapability, viewStats } from '../procedures-view.ts';
import type { AgentView } from '../schemas/agents.ts';

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
