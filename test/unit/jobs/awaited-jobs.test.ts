/** Jobs whose callers are answered with the outcome: stored with it, or soon where they last. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { JobNotFoundError } from '../../../src/jobs/errors.ts';
import type { Job } from '../../../src/jobs/job.ts';
import { JobRunner, type ShutdownCounts } from '../../../src/jobs/job-runner.ts';
import { gate, InterceptedStore, newJob, ScriptedHandler, turn } from '../../support/jobs.ts';

/** Longer than any job runs without being stored. */
const LONG_MS = 1000;

let store: InterceptedStore;
let handler: ScriptedHandler;
let unexpected: unknown[];
let writes: string[];
let runner: JobRunner;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  store = new InterceptedStore();
  writes = [];
  store.intercept = (to) => void writes.push(to);
  handler = new ScriptedHandler();
  unexpected = [];
  runner = new JobRunner({
    store,
    handlers: { circuit: handler },
    now: () => 5000,
    onUnexpectedError: (error) => unexpected.push(error),
  });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A job whose work has begun; the answer to its caller. */
function runStarted(timeoutMs?: number): { id: string; answer: Promise<Job> } {
  const job = newJob();
  const answer = runner.run(job, timeoutMs);
  handler.of(job.id).hooks.started();
  return { id: job.id, answer };
}

/** Shuts down without a grace. */
async function shutDown(): Promise<ShutdownCounts> {
  const stopping = runner.shutdown(0);
  await vi.advanceTimersByTimeAsync(0);
  return stopping;
}

describe('a job that ends soon', () => {
  test('is written once, with its outcome and every step before it', async () => {
    const job = newJob();
    const answer = runner.run(job);
    handler.of(job.id).hooks.started();
    handler.of(job.id).resolve('{"counts":{"0":1}}');
    const done = await answer;
    expect(done).toStrictEqual({
      ...job,
      status: 'completed',
      attempts: 1,
      startedAt: 5000,
      finishedAt: 5000,
      result: '{"counts":{"0":1}}',
    });
    expect(await store.get(job.id)).toStrictEqual(done);
    expect(writes).toEqual(['create']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is answered only once it is stored', async () => {
    const storing = gate(store, 'create');
    const { id, answer } = runStarted();
    const order: string[] = [];
    const answered = answer.then(() => order.push('answered'));
    handler.of(id).resolve('r');
    await turn();
    order.push('stored');
    storing.open();
    await answered;
    expect(order).toEqual(['stored', 'answered']);
  });

  test('is written once when it fails', async () => {
    const { id, answer } = runStarted();
    handler.of(id).reject(new JobNotFoundError('circ_0'));
    const failed = await answer;
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'JOBS_NOT_FOUND' } });
    expect(await store.get(id)).toStrictEqual(failed);
    expect(writes).toEqual(['create']);
  });

  test('is written once when it is cancelled, and its work is stopped', async () => {
    const { id, answer } = runStarted();
    const cancelled = await runner.cancel(id);
    expect(cancelled).toMatchObject({ id, status: 'cancelled' });
    expect(await answer).toStrictEqual(cancelled);
    expect(await store.get(id)).toStrictEqual(cancelled);
    expect(handler.of(id).signal.aborted).toBe(true);
    expect(writes).toEqual(['create']);
  });
});

describe('a job that lasts', () => {
  test('is stored as it stands, and then at every step', async () => {
    const { id, answer } = runStarted();
    await turn();
    expect(await store.get(id)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(await store.get(id)).toMatchObject({ status: 'running', startedAt: 5000, attempts: 1 });
    handler.of(id).resolve('r');
    expect(await answer).toMatchObject({ status: 'completed', result: 'r' });
    expect(writes).toEqual(['create', 'completed']);
  });

  test('is stored as queued while its work has not begun', async () => {
    const job = newJob();
    void runner.run(job);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(await store.get(job.id)).toStrictEqual({ ...job, status: 'queued', attempts: 0 });
  });

  test('is answered with its stored record when the caller has waited long enough', async () => {
    const { id, answer } = runStarted(1);
    await vi.advanceTimersByTimeAsync(1);
    const record = await answer;
    expect(record).toMatchObject({ status: 'running' });
    expect(await store.get(id)).toStrictEqual(record);
    handler.of(id).resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({ status: 'completed' });
  });
});

describe('before it is stored by itself', () => {
  test('a job that is asked for by its id is stored first', async () => {
    const { id } = runStarted();
    expect(await runner.get(id)).toMatchObject({ id, status: 'running' });
    expect(await store.get(id)).toMatchObject({ id, status: 'running' });
  });

  test('a listing stores it first', async () => {
    const { id } = runStarted();
    expect(await runner.list({ limit: 10 })).toMatchObject([{ id, status: 'running' }]);
  });

  test('others can wait for it', async () => {
    const { id, answer } = runStarted();
    const waiter = runner.waitFor(id);
    handler.of(id).resolve('r');
    expect(await waiter).toStrictEqual(await answer);
  });

  test('a shutdown leaves it queued to the next start, the attempt not counted', async () => {
    const { id, answer } = runStarted();
    expect(await shutDown()).toEqual({ finished: 0, requeued: 1 });
    const record = await answer;
    expect(record).toMatchObject({ status: 'queued', attempts: 0 });
    expect(record.startedAt).toBeUndefined();
    expect(await store.get(id)).toStrictEqual(record);
  });
});

describe('when the store cannot be written', () => {
  const full = new Error('database or disk is full');

  test('who waits for the outcome gets the error', async () => {
    store.intercept = () => Promise.reject(full);
    const { id, answer } = runStarted();
    handler.of(id).resolve('r');
    await expect(answer).rejects.toBe(full);
    expect(unexpected).toStrictEqual([full]);
    expect(await store.get(id)).toBeUndefined();
  });

  test('a job that lasts is given up: its work is stopped and its caller gets the error', async () => {
    store.intercept = () => Promise.reject(full);
    const { id, answer } = runStarted();
    const refused = expect(answer).rejects.toBe(full);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    await refused;
    expect(handler.of(id).signal.aborted).toBe(true);
    await expect(runner.waitFor(id)).rejects.toMatchObject({ code: 'JOBS_NOT_FOUND' });
  });

  test('the end of the wait answers with the error, not with a record that is nowhere', async () => {
    store.intercept = () => Promise.reject(full);
    const { answer } = runStarted(1);
    const refused = expect(answer).rejects.toBe(full);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
  });

  test('a job that was given up is not stored by whoever asks for it a moment later', async () => {
    store.intercept = () => {
      store.intercept = () => {};
      return Promise.reject(full);
    };
    const { id, answer } = runStarted();
    const refused = expect(answer).rejects.toBe(full);
    await Promise.all([runner.get(id), runner.get(id)]);
    await refused;
    expect(await store.get(id)).toBeUndefined();
  });

  test('a shutdown is not held up', async () => {
    store.intercept = () => Promise.reject(full);
    const { answer } = runStarted();
    const refused = expect(answer).rejects.toBe(full);
    expect(await shutDown()).toEqual({ finished: 0, requeued: 0 });
    await refused;
  });
});

test('an id in use is refused, and the job that has it goes on', async () => {
  const { id, answer } = runStarted();
  await expect(runner.run(newJob({ id }))).rejects.toMatchObject({ code: 'JOBS_DUPLICATE' });
  handler.of(id).resolve('r');
  expect(await answer).toMatchObject({ status: 'completed' });
});
