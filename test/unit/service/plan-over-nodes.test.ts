/** Plans of a cluster whose node is given up, or shares a plan with one that was, or loses its database for a moment. */
import { expect, test } from 'vitest';
import { DuplicateJobError, JobLostError } from '../../../src/jobs/errors.ts';
import { type Job, type JobId, type NewJob, newJobId } from '../../../src/jobs/job.ts';
import { encodeTask, PLAN_TASK, PLANNER } from '../../../src/service/work/read-task.ts';
import { runPlanJob } from '../../../src/service/work/run-plan-job.ts';
import { StorageUnwritableError } from '../../../src/storage/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { newJob } from '../../support/jobs.ts';

const HOOKS = {
  started() {},
  progress() {},
  startedOver() {},
  saveParts() {},
  storeParts: async () => {},
  savedParts: async () => [],
  readmitted: false,
};

/** Jobs whose tasks end when the test says so. */
class FakeJobs {
  readonly stored = new Map<JobId, Job>();
  readonly cancelled: JobId[] = [];
  readonly ends = Promise.withResolvers<void>();

  async get(id: JobId): Promise<Job | undefined> {
    return this.stored.get(id);
  }

  async submit(job: NewJob): Promise<Job> {
    const record: Job = { ...job, status: 'queued', attempts: 0 };
    this.stored.set(job.id, record);
    return record;
  }

  async waitFor(id: JobId, _timeoutMs?: number, signal?: AbortSignal): Promise<Job> {
    const aborted = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => aborted.reject(signal.reason));
    await Promise.race([this.ends.promise, aborted.promise]);
    const job = this.stored.get(id);
    if (job === undefined) throw new Error('there is no such task');
    return { ...job, status: 'completed', result: '{"result":{"x":1}}' };
  }

  async cancel(id: JobId): Promise<Job> {
    this.cancelled.push(id);
    return { ...newJob({ id }), status: 'cancelled', attempts: 0 };
  }

  async watch(): Promise<undefined> {}
}

function startPlan(jobs: FakeJobs) {
  const task = newJobId('task');
  const steps = [
    { name: 'only', agent: 'agent', task: 'work', id: task, input: {}, needs: [], fed: [] },
  ];
  const request = encodeTask({ task: PLAN_TASK, seed: 1, tier: 'standard' }, { steps });
  const made = newJob({ kind: 'task', target: PLANNER, request });
  const job: Job = { ...made, status: 'queued', attempts: 0 };
  const controller = new AbortController();
  const deps = { jobs: () => jobs, now: () => 2000 };
  return { job, task, controller, ended: runPlanJob(job, HOOKS, controller.signal, deps) };
}

test('the tasks of a plan that another node runs now go on', async () => {
  const jobs = new FakeJobs();
  const { job, task, controller, ended } = startPlan(jobs);
  await eventually(() => jobs.stored.has(task));
  controller.abort(new JobLostError(job.id));
  await expect(ended).rejects.toBeInstanceOf(JobLostError);
  expect(jobs.cancelled).toEqual([]);
});

test('a task that another node submitted in the same moment is that of the plan', async () => {
  const jobs = new FakeJobs();
  const { submit } = jobs;
  jobs.submit = async (job) => {
    await submit.call(jobs, job);
    throw new DuplicateJobError(job.id);
  };
  const { ended } = startPlan(jobs);
  jobs.ends.resolve();
  expect(JSON.parse(await ended).result.output).toEqual({ x: 1 });
});

test.each(['get', 'submit', 'waitFor'] as const)(
  'a plan goes on after the database was away: %s',
  async (method) => {
    const jobs = new FakeJobs();
    const works = jobs[method].bind(jobs) as () => Promise<never>;
    let numCalls = 0;
    Object.assign(jobs, {
      [method]: async (...given: []) => {
        numCalls += 1;
        if (numCalls === 1) throw new StorageUnwritableError('the database is away');
        return await works(...given);
      },
    });
    const { ended } = startPlan(jobs);
    jobs.ends.resolve();
    expect(JSON.parse(await ended).result.output).toEqual({ x: 1 });
    expect(jobs.cancelled).toEqual([]);
  },
);
