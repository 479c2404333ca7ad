import { beforeEach, describe, expect, test } from 'vitest';
import type { Job, JobId } from '../../../src/jobs/job.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { InterceptedStore, newJob, ScriptedHandler, turn } from '../../support/jobs.ts';

let store: InterceptedStore;
let handler: ScriptedHandler;
let runner: JobRunner;

beforeEach(() => {
  store = new InterceptedStore();
  handler = new ScriptedHandler();
  runner = new JobRunner({
    store,
    handlers: { circuit: handler, task: handler },
    now: () => 9000,
    onUnexpectedError: (error) => {
      throw error;
    },
  });
});

/** A job that a process was running when it died, for the `attempts`-th time. */
async function leftRunning(attempts: number): Promise<JobId> {
  const { id } = await store.create(newJob());
  await store.transition(id, 'queued', 'running', { startedAt: 1, attempts });
  return id;
}

async function leftQueued(): Promise<JobId> {
  const { id } = await store.create(newJob());
  return id;
}

describe('recovery', () => {
  test('a job left queued runs, as one that was accepted before', async () => {
    const id = await leftQueued();
    expect(await runner.recover()).toStrictEqual({ requeued: 1, failed: 0 });
    const { hooks, resolve } = handler.of(id);
    expect(hooks.readmitted).toBe(true);
    hooks.started();
    resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({ status: 'completed', attempts: 1 });
  });

  test('a job left running for the first time is queued and run once more', async () => {
    const id = await leftRunning(1);
    expect(await runner.recover()).toStrictEqual({ requeued: 1, failed: 0 });
    expect(await runner.get(id)).toMatchObject({ status: 'queued', attempts: 1 });
    const { hooks, resolve } = handler.of(id);
    hooks.started();
    await turn();
    expect(await runner.get(id)).toMatchObject({ status: 'running', attempts: 2, startedAt: 9000 });
    resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({ status: 'completed', result: 'r' });
    expect(handler.calls).toHaveLength(1);
  });

  test('a queued job runs, however often it was started before', async () => {
    const id = await leftRunning(2);
    await store.transition(id, 'running', 'queued');
    expect(await runner.recover()).toStrictEqual({ requeued: 1, failed: 0 });
    expect(handler.calls.map((call) => call.job.id)).toStrictEqual([id]);
  });

  test('final jobs are left alone', async () => {
    const id = await leftRunning(1);
    await store.transition(id, 'running', 'completed', { result: 'r' });
    const before = await store.get(id);
    expect(await runner.recover()).toStrictEqual({ requeued: 0, failed: 0 });
    expect(await store.get(id)).toStrictEqual(before);
  });

  test('a job of a kind that nothing runs any more fails and says so', async () => {
    const { id } = await store.create(newJob({ kind: 'tpu_job' }));
    expect(await runner.recover()).toStrictEqual({ requeued: 0, failed: 1 });
    expect(await runner.get(id)).toMatchObject({ error: { code: 'JOBS_NO_HANDLER' } });
  });

  test('all of 1,000 jobs come back once each, the oldest first, though some fail and some finish meanwhile', async () => {
    const runs: JobId[] = [];
    const expected: JobId[] = [];
    for (let i = 0; i < 1000; i++) {
      if (i % 5 === 0) await store.create(newJob({ kind: 'tpu_job' }));
      else expected.push(i % 3 === 0 ? await leftRunning(1) : await leftQueued());
    }
    handler.run = async (job) => {
      runs.push(job.id);
      return 'r';
    };
    expect(await runner.recover()).toStrictEqual({ requeued: 800, failed: 200 });
    await turn();
    expect(runs).toStrictEqual(expected);
    const completed = await runner.list({ statuses: ['completed'], limit: 2000 });
    expect(completed).toHaveLength(800);
  });

  test('a job submitted meanwhile is not taken for one left over', async () => {
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    await turn();
    expect(await runner.recover()).toStrictEqual({ requeued: 0, failed: 0 });
    expect(await runner.get(id)).toMatchObject({ status: 'running', attempts: 1 });
    expect(handler.calls).toHaveLength(1);
  });

  test('when a shutdown came first, jobs are brought back to the queue and stay there', async () => {
    const id = await leftRunning(1);
    await runner.shutdown(0);
    await runner.recover();
    expect(await runner.get(id)).toMatchObject({ status: 'queued' });
    expect(handler.calls).toHaveLength(0);
  });
});

/** A process after one that died: its runner, and what it took up. */
async function restart(maxSuspicion?: number): Promise<ScriptedHandler> {
  const next = Object.assign(new ScriptedHandler(), { parentOf });
  runner = new JobRunner({
    store,
    handlers: { circuit: next, task: next },
    now: () => 9000,
    onUnexpectedError: (error) => {
      throw error;
    },
    ...(maxSuspicion !== undefined && { maxSuspicion }),
  });
  await runner.recover();
  return next;
}

/** Tests write a task's parent as its request. */
function parentOf({ kind, request }: Job): JobId | undefined {
  return kind === 'task' && request !== '' ? request : undefined;
}

/** Restarts until one of the jobs is given up; each process dies once all that came back runs. */
async function numCrashesUntilFailed(
  ids: readonly JobId[],
  maxSuspicion?: number,
): Promise<number> {
  for (let numCrashes = 1; ; numCrashes++) {
    const next = await restart(maxSuspicion);
    const jobs = await Promise.all(ids.map((id) => store.get(id)));
    if (jobs.some((job) => job?.status === 'failed')) return numCrashes;
    for (const { hooks } of next.calls) hooks.started();
    await turn();
  }
}

describe('a job that the process died under', () => {
  test('is given up after ten times alone, and says how often it was started', async () => {
    const id = await leftRunning(1);
    expect(await numCrashesUntilFailed([id])).toBe(10);
    expect(await runner.get(id)).toMatchObject({
      status: 'failed',
      attempts: 10,
      finishedAt: 9000,
      error: { code: 'JOBS_INTERRUPTED', message: expect.stringContaining('10 in all') },
    });
  });

  test.each([1, 2, 7])('is given up alone after %i times where the settings say so', async (n) => {
    expect(await numCrashesUntilFailed([await leftRunning(1)], n)).toBe(n);
  });

  test('with one other is given up after four times as many, and so is the other', async () => {
    const ids = [await leftRunning(1), await leftRunning(1)];
    expect(await numCrashesUntilFailed(ids)).toBe(40);
    for (const id of ids) expect(await store.get(id)).toMatchObject({ status: 'failed' });
  });

  test('in the company of nine others outlives 100 crashes', async () => {
    const ids: JobId[] = [];
    for (let i = 0; i < 10; i++) ids.push(await leftRunning(1));
    expect(await numCrashesUntilFailed(ids)).toBeGreaterThan(100);
  });

  test('is not suspected by a process that died before it took anything up', async () => {
    const id = await leftRunning(1);
    for (let i = 0; i < 10; i++) await restart();
    expect(await store.get(id)).toMatchObject({ status: 'queued', suspicion: 1 });
  });

  test('is not suspected after an orderly stop', async () => {
    const id = await leftQueued();
    for (let i = 0; i < 10; i++) {
      const next = await restart();
      next.of(id).hooks.started();
      await turn();
      await runner.shutdown(0);
    }
    const job = await store.get(id);
    expect(job).toMatchObject({ status: 'queued', attempts: 0 });
    expect(job).not.toHaveProperty('suspicion');
  });

  test('has its company counted before any of it is put back', async () => {
    const ids = [await leftRunning(1), await leftRunning(1)];
    let numWritten = 0;
    store.intercept = () => {
      // What is written in one turn is one transaction.
      numWritten += 1;
      return turn().then(() => expect(numWritten).toBe(2));
    };
    await restart();
    for (const id of ids) expect(await store.get(id)).toMatchObject({ suspicion: 0.25 });
  });

  test('is one unit of work with the plan that waits for it, and bears the suspicion', async () => {
    const plan = await store.create(newJob({ kind: 'task', request: '' }));
    await store.transition(plan.id, 'queued', 'running', { startedAt: 1, attempts: 1 });
    const task = await store.create(newJob({ kind: 'task', request: plan.id }));
    await store.transition(task.id, 'queued', 'running', { startedAt: 1, attempts: 1 });
    expect(await numCrashesUntilFailed([plan.id, task.id])).toBe(10);
    expect(await store.get(task.id)).toMatchObject({ status: 'failed', suspicion: 10 });
    expect(await store.get(plan.id)).toMatchObject({ status: 'queued' });
  });

  test('as a plan is not suspected while its task has not begun', async () => {
    const plan = await store.create(newJob({ kind: 'task', request: '' }));
    await store.transition(plan.id, 'queued', 'running', { startedAt: 1, attempts: 1 });
    await store.create(newJob({ kind: 'task', request: plan.id }));
    await restart();
    expect(await store.get(plan.id)).not.toHaveProperty('suspicion');
  });

  test('as a plan that no task runs of is suspected itself', async () => {
    const plan = await store.create(newJob({ kind: 'task', request: '' }));
    await store.transition(plan.id, 'queued', 'running', { startedAt: 1, attempts: 1 });
    expect(await numCrashesUntilFailed([plan.id])).toBe(10);
  });
});

describe('a job whose caller waits', () => {
  test('is stored before it begins while a suspect is in hand', async () => {
    const suspect = await leftRunning(1);
    const next = await restart();
    const job = newJob();
    const answer = runner.run(job);
    expect(next.calls).toHaveLength(1);
    await turn();
    expect(await store.get(job.id)).toMatchObject({ status: 'queued' });
    next.of(job.id).resolve('r');
    expect(await answer).toMatchObject({ status: 'completed', result: 'r' });

    next.of(suspect).resolve('r');
    await runner.waitFor(suspect);
    const later = newJob();
    const answered = runner.run(later);
    await turn();
    expect(await store.get(later.id)).toBeUndefined();
    next.of(later.id).resolve('r');
    expect(await answered).toMatchObject({ status: 'completed' });
  });

  test('is refused with the error where it cannot be stored beside a suspect', async () => {
    await leftRunning(1);
    await restart();
    store.intercept = () => {
      throw new Error('disk full');
    };
    await expect(runner.run(newJob())).rejects.toThrow('disk full');
  });
});
