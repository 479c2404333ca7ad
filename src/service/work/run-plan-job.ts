/**
 * Runs plans: submits each task as a job of its own once the tasks that it needs are completed, and waits for
 * it.
 *
 * The ids of the tasks are drawn when the plan is submitted, and stored with it. A plan that runs again after
 * a crash or a restart therefore finds the tasks that it submitted, and submits the rest.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DuplicateJobError, JobLostError, RunnerClosedError } from '../../jobs/errors.ts';
import { isFinal, type Job, type JobId } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { StorageUnwritableError } from '../../storage/errors.ts';
import { PlanTaskError, runPlan } from '../../workloads/plans/run-plan.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import type { Jobs } from '../directories.ts';
import { parseStored } from '../jobs/stored-request.ts';
import { encodeTask, planOf, type StoredStep, type TaskFacts, taskFactsOf } from './read-task.ts';

/** Interval at which a task is checked that this process has not recovered yet after a restart. */
const LOOK_EVERY_MS = 200;
/** Interval at which a database that is away is tried again. */
const AGAIN_MS = 500;

type PlanJobs = Pick<Jobs, 'submit' | 'get' | 'waitFor' | 'cancel' | 'watch'>;

/** Dependencies of plans. */
interface PlanDeps {
  /** Job runner; available once a plan runs, because it is created with the kinds. */
  readonly jobs: () => PlanJobs;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/**
 * Runs one plan. Resolves with the result fields of its record, as JSON text.
 *
 * @throws {PlanTaskError} if one of its tasks fails or is cancelled.
 * @throws the signal's reason; running tasks are cancelled, unless the service stops or another node has the plan.
 */
export async function runPlanJob(
  job: Job,
  hooks: JobHooks,
  signal: AbortSignal,
  { jobs: jobsOf, now }: PlanDeps,
): Promise<string> {
  const jobs = jobsOf();
  const facts = taskFactsOf(job.request);
  const { steps } = planOf(job.request);
  const begun = performance.now();
  const idOf = new Map(steps.map(({ name, id }) => [name, id]));
  // The system clock may have been set back meanwhile.
  const queueMs = Math.max(0, now() - job.createdAt);
  hooks.started();
  try {
    const results = await runPlan(steps, {
      onProgress: (fraction, message) => hooks.progress(fraction, message),
      runStep: async ({ name }, input, onProgress) => {
        const step = steps.find((each) => each.name === name);
        if (step === undefined) throw new Error('unreachable: a plan runs a task it has not');
        await insist(() => submitOnce(jobs, job, facts, step, input, now, signal), signal);
        return await insist(() => resultOf(jobs, step, onProgress, signal), signal);
      },
    });
    const last = steps.at(-1)?.name ?? '';
    return JSON.stringify({
      result: {
        tasks: Object.fromEntries(idOf),
        output: results.get(last) ?? {},
      },
      seed: facts.seed,
      timing: { queue_ms: queueMs, execution_ms: Math.round(performance.now() - begun) },
    });
  } catch (error) {
    const { reason } = signal;
    if (reason instanceof RunnerClosedError || reason instanceof JobLostError) throw reason;
    await Promise.all(steps.map(({ id }) => cancelIfThere(jobs, id)));
    throw error;
  }
}

/** Tries again while the database is away. */
async function insist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageUnwritableError)) throw error;
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}

async function submitOnce(
  jobs: PlanJobs,
  plan: Job,
  { tier, processor, seed }: TaskFacts,
  { id, agent, task }: StoredStep,
  input: JsonObject,
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if ((await jobs.get(id)) !== undefined) return;
  signal.throwIfAborted();
  const facts = {
    task,
    seed,
    tier,
    parent: plan.id,
    ...(processor !== undefined && { processor }),
  };
  try {
    await jobs.submit({
      id,
      kind: 'task',
      keyId: plan.keyId,
      priority: plan.priority,
      target: agent,
      request: encodeTask(facts, { task, input }),
      createdAt: now(),
    });
  } catch (error) {
    // Another node runs the same plan, and one of the two has lost it.
    if (error instanceof DuplicateJobError) return;
    if (!(error instanceof RunnerClosedError)) throw error;
    // The plan is about to be put back and continues after the next start.
    await aborted(signal);
    throw signal.reason;
  }
}

async function resultOf(
  jobs: PlanJobs,
  { id, name }: StoredStep,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<JsonObject> {
  using watch = await jobs.watch(id);
  if (watch !== undefined) {
    watch.onChange = () => onProgress(watch.state.progress ?? 0);
  }
  let job = await jobs.waitFor(id, undefined, signal);
  while (!isFinal(job.status)) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    job = await jobs.waitFor(id, undefined, signal);
  }
  if (job.status === 'completed' && job.result !== undefined) {
    // The cast is safe: the handler of tasks wrote the result.
    return (parseStored(job.result, `the result of its task ${name}`) as { result: JsonObject })
      .result;
  }
  throw new PlanTaskError(
    name,
    job.error === undefined ? 'was cancelled.' : `failed: ${job.error.message}`,
  );
}

async function cancelIfThere(jobs: PlanJobs, id: JobId): Promise<void> {
  if ((await jobs.get(id)) !== undefined) await jobs.cancel(id);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
