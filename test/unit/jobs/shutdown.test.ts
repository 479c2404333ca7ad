import { beforeEach, describe, expect, test } from 'vitest';
import type { NewJob } from '../../../src/jobs/job.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { gate, InterceptedStore, newJob, ScriptedHandler, turn } from '../../support/jobs.ts';

/** Longer than any test: whoever waits for it to pass fails. */
const LONG_MS = 3_600_000;

let store: InterceptedStore;
let handler: ScriptedHandler;
let unexpected: unknown[];
let runner: JobRunner;

function newRunner(): JobRunner {
  return new JobRunner({
    store,
    handlers: { circuit: handler },
    now: () => 5000,
    onUnexpectedError: (error) => unexpected.push(error),
  });
}

beforeEach(() => {
  store = new InterceptedStore();
  handler = new ScriptedHandler();
  unexpected = [];
  runner = newRunner();
});

async function submitRunning(): Promise<string> {
  const { id } = await runner.submit(newJob());
  handler.of(id).hooks.started();
  await turn();
  return id;
}

describe('shutdown', () => {
  test('with nothing to do is over at once', async () => {
    expect(await runner.shutdown(LONG_MS)).toStrictEqual({ finished: 0, requeued: 0 });
  });

  test('refuses new jobs from its first moment', async () => {
    const stopping = runner.shutdown(LONG_MS);
    await expect(runner.submit(newJob())).rejects.toMatchObject({ code: 'JOBS_SHUTTING_DOWN' });
    await stopping;
  });

  test('a second call joins the first', async () => {
    await submitRunning();
    const [first, second] = await Promise.all([runner.shutdown(0), runner.shutdown(0)]);
    expect(first).toStrictEqual({ finished: 0, requeued: 1 });
    expect(second).toStrictEqual(first);
  });

  test('waits for running jobs within the grace and is over with the last of them', async () => {
    const ids = [await submitRunning(), await submitRunning()];
    const waiter = runner.waitFor(ids[0] ?? '');
    const stopping = runner.shutdown(LONG_MS);
    await turn();
    for (const id of ids) {
      expect(handler.of(id).signal.aborted).toBe(false);
      handler.of(id).resolve('r');
    }
    expect(await stopping).toStrictEqual({ finished: 2, requeued: 0 });
    expect(await waiter).toMatchObject({ status: 'completed' });
  });

  test('leaves queued jobs queued, stops their work at once and answers their waiters', async () => {
    const { id } = await runner.submit(newJob());
    const waiter = runner.waitFor(id);
    expect(await runner.shutdown(LONG_MS)).toStrictEqual({ finished: 0, requeued: 1 });
    expect(await waiter).toMatchObject({ status: 'queued', attempts: 0 });
    expect(handler.of(id).signal.reason).toMatchObject({ code: 'JOBS_SHUTTING_DOWN' });
    await turn();
    expect(store.steps).toStrictEqual([]);
  });

  test('puts what still runs after the grace back into the queue, the attempt not counted', async () => {
    const id = await submitRunning();
    const waiter = runner.waitFor(id);
    expect(await runner.shutdown(1)).toStrictEqual({ finished: 0, requeued: 1 });
    const record = await waiter;
    expect(record).toMatchObject({ status: 'queued', attempts: 0 });
    expect(record).not.toHaveProperty('startedAt');
    expect(await runner.waitFor(id)).toStrictEqual(record);
    expect(handler.of(id).signal.aborted).toBe(true);
    expect(unexpected).toStrictEqual([]);
  });

  test('does not wait for a handler that goes on, and drops its result', async () => {
    handler.obeysSignal = false;
    const id = await submitRunning();
    await runner.shutdown(1);
    handler.of(id).resolve('too late');
    handler.of(id).hooks.started();
    await turn();
    expect(await runner.get(id)).toMatchObject({ status: 'queued' });
    expect(store.steps).toStrictEqual(['queued>running', 'running>queued']);
  });

  test('does not let a queued job begin any more', async () => {
    handler.obeysSignal = false;
    const { id } = await runner.submit(newJob());
    const stopping = runner.shutdown(LONG_MS);
    handler.of(id).hooks.started();
    await stopping;
    await turn();
    expect(await runner.get(id)).toMatchObject({ status: 'queued', attempts: 0 });
  });

  test('a job whose start is being written has the grace of a running one', async () => {
    const { open } = gate(store, 'running');
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    const stopping = runner.shutdown(LONG_MS);
    open();
    await turn();
    expect(handler.of(id).signal.aborted).toBe(false);
    handler.of(id).resolve('r');
    expect(await stopping).toStrictEqual({ finished: 1, requeued: 0 });
  });

  test('waits for a job that is being stored, which is then queued and not started', async () => {
    const { open } = gate(store, 'create');
    const job: NewJob = newJob();
    const submitting = runner.submit(job);
    let isOver = false;
    const stopping = runner.shutdown(LONG_MS).then((counts) => {
      isOver = true;
      return counts;
    });
    await turn();
    expect(isOver).toBe(false);
    open();
    expect(await submitting).toMatchObject({ id: job.id, status: 'queued' });
    expect(await stopping).toStrictEqual({ finished: 0, requeued: 1 });
    expect(handler.calls).toHaveLength(0);
    expect(await runner.waitFor(job.id)).toMatchObject({ status: 'queued' });
  });

  test('a job that cannot be stored is refused and does not run again', async () => {
    const full = new Error('database or disk is full');
    const write = Promise.withResolvers<void>();
    store.intercept = () => write.promise;
    const refused = expect(runner.submit(newJob())).rejects.toBe(full);
    const stopping = runner.shutdown(LONG_MS);
    write.reject(full);
    await refused;
    expect(await stopping).toStrictEqual({ finished: 0, requeued: 0 });
  });

  test('a job put back can still be cancelled', async () => {
    const id = await submitRunning();
    await runner.shutdown(1);
    expect(await runner.cancel(id)).toMatchObject({ status: 'cancelled' });
  });

  test('a job that cannot be put back does not hold it up; its waiters get the error', async () => {
    const full = new Error('database or disk is full');
    const id = await submitRunning();
    store.intercept = () => {
      throw full;
    };
    const waiter = runner.waitFor(id);
    const stopping = runner.shutdown(1);
    await expect(waiter).rejects.toBe(full);
    expect(await stopping).toStrictEqual({ finished: 0, requeued: 0 });
    expect(unexpected).toStrictEqual([full]);
    expect(handler.of(id).signal.aborted).toBe(true);
  });

  test('what it left runs again in the next process, a first attempt', async () => {
    const running = await submitRunning();
    const { id: queued } = await runner.submit(newJob());
    expect(await runner.shutdown(1)).toStrictEqual({ finished: 0, requeued: 2 });

    const next = newRunner();
    expect(await next.recover()).toStrictEqual({ requeued: 2, failed: 0 });
    for (const id of [running, queued]) {
      const { hooks, resolve } = handler.of(id);
      hooks.started();
      resolve('r');
      expect(await next.waitFor(id)).toMatchObject({ status: 'completed', attempts: 1 });
    }
  });
});
