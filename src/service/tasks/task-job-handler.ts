/** Runs jobs of kind `task`: those of agents, and plans that chain them. */
import { JobDamagedError } from '../../jobs/errors.ts';
import { isFinal, type Job, type JobId } from '../../jobs/job.ts';
import type { JobHandler, JobHooks } from '../../jobs/job-handler.ts';
import type { ProcedurePool } from '../../workloads/procedures/procedure-pool.ts';
import type { AgentDirectory } from '../directories.ts';
import { procedureHooks } from '../jobs/procedure-hooks.ts';
import { workInputOf } from '../jobs/stored-request.ts';
import { outcomeJson } from '../procedures-view.ts';
import { type PlanHandlerDeps, type PlanJobs, runPlanJob } from './plan-handler.ts';
import { PLANNER, taskFactsOf } from './stored-task.ts';

/** What tasks run with. */
export interface TaskHandlerDeps extends PlanHandlerDeps {
  readonly agents: AgentDirectory;
  readonly pool: Pick<ProcedurePool, 'queuePosition' | 'withdraw'>;
  /** As the operating system names the CPU. */
  readonly cpuModel: string;
}

/** The handler over the agents. */
export function createTaskJobHandler(deps: TaskHandlerDeps): JobHandler {
  const { pool } = deps;
  return {
    async run(job, hooks, signal) {
      if (job.target === PLANNER) return await runPlanJob(job, hooks, signal, deps);
      try {
        return await runTask(job, hooks, signal, deps);
      } finally {
        // Its place in the queue, where it never came to take it.
        pool.withdraw(job.id);
      }
    },
    queuePosition: (id) => pool.queuePosition(id),
    parentOf(job) {
      try {
        return taskFactsOf(job.request).parent;
      } catch (error) {
        // It fails when it runs.
        if (error instanceof JobDamagedError) return undefined;
        throw error;
      }
    },
  };
}

async function runTask(
  job: Job,
  hooks: JobHooks,
  signal: AbortSignal,
  { agents, jobs, cpuModel }: TaskHandlerDeps,
): Promise<string> {
  const agent = agents.get(job.target);
  if (agent === undefined) throw new Error('unreachable: a task without its agent');
  const { task, seed, tier, processor, parent } = taskFactsOf(job.request);
  if (parent !== undefined && hooks.readmitted) await cancelOrphan(job, parent, jobs());
  signal.throwIfAborted();
  const input = workInputOf(job.request);
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
}

/** A task that comes back after a restart is cancelled where its plan has ended meanwhile. */
async function cancelOrphan(job: Job, parent: JobId, jobs: PlanJobs): Promise<void> {
  const plan = await jobs.get(parent);
  if (plan === undefined || isFinal(plan.status)) await jobs.cancel(job.id);
}
