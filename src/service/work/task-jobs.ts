/** Task jobs: tasks of agents, and plans, which submit tasks as jobs of their own. */
import type { JobQueueing, WaitingJob } from '../../cluster/shared-job.ts';
import { levelOf } from '../../fleet/schedule/scheduled-run.ts';
import { JobDamagedError } from '../../jobs/errors.ts';
import { isFinal, type Job, type JobId, labelsOf, newJobId } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import {
  type ComingJob,
  defineJobKind,
  type JobBody,
  type JobKindDeps,
  type JobRelatives,
  type ServedJobs,
} from '../jobs/job-kind.ts';
import { TASKS } from '../jobs/job-resources.ts';
import { idempotencyHeaders } from '../jobs/job-schema.ts';
import { type LiveFacts, viewJob } from '../jobs/job-view.ts';
import {
  checkProcessor,
  isSmallBody,
  MAX_CHARACTERS_IN_FLIGHT,
  type ProcedureContext,
  procedureHooks,
  simulatorsOf,
} from '../jobs/procedure-jobs.ts';
import { workInputOf, workRequestOf } from '../jobs/stored-request.ts';
import { findAgent } from './agent-schema.ts';
import { outcomeJson } from './procedures-view.ts';
import {
  PLAN_READING,
  PLANNER,
  planOf,
  planSubmission,
  readPlan,
  readTask,
  relativesOfTask,
  type StoredPlan,
  type StoredStep,
  TASK_READING,
  type TaskContext,
  type TaskSubmission,
  taskFactsOf,
  taskRequestJson,
  taskSubmission,
} from './read-task.ts';
import { runPlanJob } from './run-plan-job.ts';
import { type PlanNodeView, taskRecord, taskSummary } from './task-schema.ts';

/** Time by which keys are charged for a task, milliseconds: how long it takes is not known. */
const TASK_COST_MS = 1000;

/** Definition of task jobs. */
export const TASK_KIND = defineJobKind({
  resource: TASKS,
  summary: taskSummary,
  record: taskRecord,
  headers: idempotencyHeaders,
  waitsForResult: 'never',
  maxCharactersInFlight: MAX_CHARACTERS_IN_FLIGHT,
  readings: [TASK_READING, PLAN_READING],
  serve: (deps) => new TaskJobs(deps),
});

/** Task jobs on the agents and the planner. */
export class TaskJobs implements ServedJobs<TaskSubmission> {
  readonly #deps: JobKindDeps;
  /** The body of POST /systems/asi/plans. */
  readonly planBody: JobBody<TaskSubmission, ProcedureContext>;

  constructor(deps: JobKindDeps) {
    this.#deps = deps;
    const context = () => ({ simulators: simulatorsOf(deps.fleet) });
    this.planBody = {
      path: '/systems/asi/plans',
      reading: PLAN_READING,
      context,
      readSmall: (body, numBytes) =>
        isSmallBody(body, numBytes) ? readPlan(body, context().simulators) : undefined,
    };
  }

  /** The body of POST /agents/{agentId}/execute. */
  taskBody(agentId: string): JobBody<TaskSubmission, TaskContext> {
    const context = () => ({ agentId, simulators: simulatorsOf(this.#deps.fleet) });
    return {
      path: `/agents/${agentId}/execute`,
      reading: TASK_READING,
      context,
      readSmall: (body, numBytes) =>
        isSmallBody(body, numBytes) ? readTask(body, agentId, context().simulators) : undefined,
    };
  }

  /**
   * Number of jobs that count against the limit. The tasks of a plan are submitted later and then accepted
   * regardless.
   */
  numJobs({ plan }: TaskSubmission): number {
    return 1 + (plan?.steps.length ?? 0);
  }

  /**
   * Reserves a place for the task.
   *
   * @throws {ProcessorUnavailableError | AgentUnavailableError | QueueFullError}
   */
  admit({ target, processor, plan }: TaskSubmission, { id }: ComingJob): Disposable | undefined {
    const { fleet, agents, planner, pool } = this.#deps;
    checkProcessor(fleet, processor);
    if (plan !== undefined) {
      planner.admit();
      return undefined;
    }
    findAgent(agents, target).admit();
    pool.admit(id);
    return { [Symbol.dispose]: () => pool.withdraw(id) };
  }

  queueing({ priority, target, request }: WaitingJob): JobQueueing {
    const level = levelOf(priority, taskFactsOf(request).tier);
    return { line: target === PLANNER ? 'plan' : 'task', level, costMs: TASK_COST_MS, width: 0 };
  }

  /** A plan is stored with the ids of its future tasks. */
  storedBody({ plan, request }: TaskSubmission): string {
    if (plan === undefined) return JSON.stringify(request);
    const steps = plan.steps.map((step) => ({ ...step, id: newJobId('task') }));
    const stored: StoredPlan = { ...plan, steps, ...(request && { request }) };
    return JSON.stringify(stored);
  }

  submissionOf(job: Job): TaskSubmission {
    const { target, priority, request } = job;
    const { task, seed, processor } = taskFactsOf(request);
    const options = { ...labelsOf(job), priority, ...(processor !== undefined && { processor }) };
    if (target !== PLANNER) {
      return { ...taskSubmission(target, task, workRequestOf(request, { task }), options), seed };
    }
    const { request: sent, ...plan } = planOf(request);
    return { ...planSubmission(plan, sent, options), seed };
  }

  async run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    if (job.target === PLANNER) return await runPlanJob(job, hooks, signal, this.#deps);
    try {
      return await this.#runTask(job, hooks, signal);
    } finally {
      // Gives up the job's place in the queue if it was never used.
      this.#deps.pool.withdraw(job.id);
    }
  }

  queuePosition(id: JobId): number | undefined {
    return this.#deps.pool.queuePosition(id);
  }

  parentOf(job: Job): JobId | undefined {
    try {
      return taskFactsOf(job.request).parent;
    } catch (error) {
      // The job fails when it runs.
      if (error instanceof JobDamagedError) return undefined;
      throw error;
    }
  }

  summarize(job: Job): object {
    const { task, parent } = taskFactsOf(job.request);
    return {
      task_id: job.id,
      agent: job.target,
      task,
      ...(parent !== undefined && { parent_id: parent }),
      ...viewJob(job, this.#deps.jobs()),
    };
  }

  details(job: Job): object | Promise<object> {
    return job.target === PLANNER ? viewPlan(job, this.#deps.jobs()) : {};
  }

  requestJson(job: Job): string | undefined {
    return taskRequestJson(job);
  }

  relativesOf(job: Job): JobRelatives {
    return relativesOfTask(job);
  }

  async #runTask(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const { agents, cpuModel } = this.#deps;
    const { id, priority, keyId } = job;
    const agent = agents.get(job.target);
    if (agent === undefined) throw new Error('unreachable: a task without its agent');
    const { task, seed, tier, processor, parent } = taskFactsOf(job.request);
    if (parent !== undefined && hooks.readmitted) await this.#cancelIfPlanEnded(id, parent);
    signal.throwIfAborted();
    const input = workInputOf(job.request);
    const processorId = processor === undefined ? {} : { processorId: processor };
    const outcome = await agent.run(
      { id, task, input, seed, priority, keyId, tier, ...processorId },
      // The plan was accepted with all its tasks, so a full queue accepts them too.
      { ...procedureHooks(hooks), readmitted: hooks.readmitted || parent !== undefined },
      signal,
    );
    return outcomeJson(outcome, { input, seed }, cpuModel);
  }

  /** Cancels a task that is recovered after a restart if its plan has ended meanwhile. */
  async #cancelIfPlanEnded(id: JobId, parent: JobId): Promise<void> {
    const jobs = this.#deps.jobs();
    const plan = await jobs.get(parent);
    if (plan === undefined || isFinal(plan.status)) await jobs.cancel(id);
  }
}

/** Lookup of the jobs of a plan's tasks. */
interface JobLookup extends Pick<LiveFacts, 'progress'> {
  get(id: JobId): Promise<Job | undefined>;
}

/** Fields that only a plan's record has, in the form that callers see. */
async function viewPlan(plan: Job, jobs: JobLookup): Promise<object> {
  const { goal, steps } = planOf(plan.request);
  const tasks = await Promise.all(steps.map((step) => viewStep(step, plan, jobs)));
  return { ...(goal !== undefined && { goal }), tasks };
}

async function viewStep(step: StoredStep, plan: Job, jobs: JobLookup): Promise<PlanNodeView> {
  const job = await jobOrDamage(step.id, jobs);
  const { name, id, agent, task, needs, fed } = step;
  const progress = job?.status === 'running' ? jobs.progress(id) : undefined;
  return {
    name,
    task_id: id,
    agent,
    task,
    status: job?.status ?? (isFinal(plan.status) ? 'cancelled' : 'queued'),
    ...(progress !== undefined && { progress }),
    needs: [...needs],
    ...(fed.length > 0 && { fed: fed.map((each) => ({ ...each })) }),
    ...(job?.error && { error: job.error }),
  };
}

/** The task, or a placeholder for a task whose record is damaged. */
async function jobOrDamage(
  id: JobId,
  jobs: JobLookup,
): Promise<Pick<Job, 'status' | 'error'> | undefined> {
  try {
    return await jobs.get(id);
  } catch (error) {
    if (!(error instanceof JobDamagedError)) throw error;
    const { code, message } = error;
    return { status: 'failed', error: { code, message } };
  }
}
