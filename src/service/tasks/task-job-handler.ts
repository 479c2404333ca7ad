/** Runs jobs of kind `task`: those of agents, and plans that chain them. */
import { isFinal, type Job, type JobId } from '../../jobs/job.ts';
import type { JobHandler } from '../../jobs/job-handler.ts';
import type { ProcedurePool } from '../../workloads/procedures/procedure-pool.ts';
import { procedureHooks } from '../jobs/procedure-hooks.ts';
import { outcomeJson } from '../procedures-view.ts';
import type { AgentDirectory } from '../service-deps.ts';
import { type PlanHandlerDeps, type PlanJobs, runPlanJob } from './plan-handler.ts';
import { PLANNER, taskFactsOf, taskInputOf } from './stored-task.ts';

/** What tasks run with. */
export interface TaskHandlerDeps extends PlanHandlerDeps {
  readonly agents: AgentDirectory;
  readonly pool: Pick<ProcedurePool, 'queuePosition'>;
  /** As the operating system names the CPU. */
  readonly cpuModel: string;
}

/** The handler over the agents. */
export function createTaskJobHandler(deps: TaskHandlerDeps): JobHandler {
  const { agents, pool, cpuModel } = deps;
  return {
    async run(job, hooks, signal) {
      if (job.target === PLANNER) return await runPlanJob(job, hooks, signal, deps);
      const agent = agents.get(job.target);
      if (agent === undefined) throw new Error('unreachable: a task without its agent');
      const { task, seed, tier, processor, parent } = taskFactsOf(job.request);
      if (parent !== undefined && hooks.readmitted) await cancelOrphan(job, parent, deps.jobs());
      signal.throwIfAborted();
      const input = taskInputOf(job.request);
      const outcome = await agent.run(
        {
          id: job.id,
          task,
          input,
          seed,
          priority: job.priority,
          keyId: job.keyId,
          tier,
          ...(processor !== undefined && { processorId: processor }),
        },
        // A plan was accepted with all its tasks.
        { ...procedureHooks(hooks), readmitted: hooks.readmitted || parent !== undefined },
        signal,
      );
      return outcomeJson(outcome, { input, seed }, cpuModel);
    },
    queuePosition: (id) => pool.queuePosition(id),
  };
}

/** A task that comes back after a restart is cancelled where its plan has ended meanwhile. */
async function cancelOrphan(job: Job, parent: JobId, jobs: PlanJobs): Promise<void> {
  const plan = await jobs.get(parent);
  if (plan === undefined || isFinal(plan.status)) await jobs.cancel(job.id);
}
