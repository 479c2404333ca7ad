import { beforeEach, describe, expect, test } from 'vitest';
import type { JobId } from '../../../src/jobs/job.ts';
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

  test('a job left running for the second time fails and is not run', async () => {
    const id = await leftRunning(2);
    expect(await runner.recover()).toStrictEqual({ requeued: 0, failed: 1 });
    expect(await runner.get(id)).toMatchObject({
      status: 'failed',
      finishedAt: 9000,
      error: { code: 'JOBS_INTERRUPTED' },
    });
    expect(handler.calls).toHaveLength(0);
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
      if (i % 5 === 0) await leftRunning(2);
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
