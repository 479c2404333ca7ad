/** Tasks and plans as work to be submitted: for the first time, or again. */
import { newJobId } from '../../jobs/job-id.ts';
import type { PlanStep } from '../../workloads/plans/plan.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import { findAgent } from '../agents/agent-view.ts';
import type { SubmittedWork } from '../routes/work-submission.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { encodeTask, PLAN_TASK, PLANNER } from './stored-task.ts';

/** A task of the agent `agentId`. */
export function taskWork(
  { agents, pool }: Pick<ServiceDeps, 'agents' | 'pool'>,
  agentId: string,
  { task, input }: { readonly task: string; readonly input: JsonObject },
): SubmittedWork {
  const served = findAgent(agents, agentId);
  return {
    target: agentId,
    encode: (facts) => encodeTask({ ...facts, task }, input),
    admit: (jobId) => {
      served.admit();
      pool.admit(jobId);
      return { [Symbol.dispose]: () => pool.withdraw(jobId) };
    },
  };
}

/** A plan; its tasks get new ids. */
export function planWork(
  { planner }: Pick<ServiceDeps, 'planner'>,
  { goal, steps }: { readonly goal?: string; readonly steps: readonly PlanStep[] },
): SubmittedWork {
  return {
    target: PLANNER,
    encode: (facts) =>
      encodeTask(
        { ...facts, task: PLAN_TASK },
        {
          ...(goal !== undefined && { goal }),
          steps: steps.map((step) => ({ ...step, id: newJobId('task') })),
        },
      ),
    // Its tasks come later, and are then taken whatever else waits.
    numJobs: 1 + steps.length,
    admit: () => {
      planner.admit();
      return undefined;
    },
  };
}
