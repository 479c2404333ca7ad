/** Tasks and plans as work to be submitted: for the first time, or again. */
import { newJobId } from '../../jobs/job-id.ts';
import type { PlanStep } from '../../workloads/plans/plan.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import { findAgent } from '../agents/agent-view.ts';
import type { SubmittedWork } from '../routes/work-submission.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { encodePlan, encodeTask, PLANNER, type StoredPlan } from './stored-task.ts';

/** A task of the agent `agentId`. */
export function taskWork(
  { agents, pool }: Pick<ServiceDeps, 'agents' | 'pool'>,
  agentId: string,
  { task, request }: { readonly task: string; readonly request: JsonObject },
): SubmittedWork {
  const served = findAgent(agents, agentId);
  return {
    target: agentId,
    encode: (facts) => encodeTask({ ...facts, task }, request),
    admit: (jobId) => {
      served.admit();
      pool.admit(jobId);
      return { [Symbol.dispose]: () => pool.withdraw(jobId) };
    },
  };
}

/** A plan as it was read, or as it was stored. */
type PlannedWork = Omit<StoredPlan, 'steps'> & { readonly steps: readonly PlanStep[] };

/** A plan; its tasks get new ids. */
export function planWork(
  { planner }: Pick<ServiceDeps, 'planner'>,
  { goal, steps, request }: PlannedWork,
): SubmittedWork {
  return {
    target: PLANNER,
    encode: (facts) =>
      encodePlan(facts, {
        ...(goal !== undefined && { goal }),
        steps: steps.map((step) => ({ ...step, id: newJobId('task') })),
        ...(request !== undefined && { request }),
      }),
    // Its tasks come later, and are then taken whatever else waits.
    numJobs: 1 + steps.length,
    admit: () => {
      planner.admit();
      return undefined;
    },
  };
}
