/** Watching jobs: told of every change, by whichever way it came, and of none after the end. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Job, JobId } from '../../../src/jobs/job.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { type JobState, type JobWatch, JobWatches, stateOf } from '../../../src/jobs/job-watch.ts';
import { gate, InterceptedStore, newJob, ScriptedHandler, turn } from '../../support/jobs.ts';

let store: InterceptedStore;
let handler: ScriptedHandler;
let unexpected: unknown[];
let runner: JobRunner;

function openRunner(): JobRunner {
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
  runner = openRunner();
});

/** A watch and everything that it receives. */
async function watched(id: JobId): Promise<{ watch: JobWatch; told: JobState[] }> {
  const watch = await runner.watch(id);
  if (watch === undefined) throw new Error('no such job');
  const told: JobState[] = [];
  watch.onChange = () => told.push(watch.state);
  return { watch, told };
}

describe('a watch', () => {
  test('receives every status and progress with its message', async () => {
    const { id } = await runner.submit(newJob());
    const { watch, told } = await watched(id);
    expect(watch.state.record).toMatchObject({ id, status: 'queued' });
    handler.of(id).hooks.started();
    await turn();
    handler.of(id).hooks.progress(0.5, 'searching');
    handler.of(id).hooks.progress(0.75);
    handler.of(id).resolve('{"counts":{}}');
    await turn();
    expect(told.map(({ record, progress, message }) => [record.status, progress, message])).toEqual(
      [
        ['running', 0, undefined],
        ['running', 0.5, 'searching'],
        ['running', 0.75, 'searching'],
        ['completed', 0.75, 'searching'],
      ],
    );
  });

  test('begins with the progress that was made', async () => {
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    handler.of(id).hooks.progress(0.25, 'searching');
    await turn();
    const { watch } = await watched(id);
    expect(watch.state).toMatchObject({ progress: 0.25, message: 'searching' });
  });

  test('holds on to neither request nor result', async () => {
    const { id } = await runner.submit(newJob());
    const { watch, told } = await watched(id);
    handler.of(id).resolve('{"counts":{}}');
    await turn();
    for (const state of [watch.state, ...told]) {
      expect(state.record).not.toHaveProperty('request');
      expect(state.record).not.toHaveProperty('result');
    }
    expect((await watched(id)).watch.state.record).not.toHaveProperty('result');
  });

  test('receives a status when work starts over', async () => {
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    handler.of(id).hooks.progress(0.5);
    await turn();
    const { told } = await watched(id);
    handler.of(id).hooks.startedOver();
    expect(told).toMatchObject([{ progress: 0 }]);
  });

  test('of a job that is not stored yet has it stored first', async () => {
    const job = newJob();
    const answer = runner.run(job);
    handler.of(job.id).hooks.started();
    const { watch } = await watched(job.id);
    expect(watch.state.record.status).toBe('running');
    expect(await store.get(job.id)).toMatchObject({ status: 'running' });
    handler.of(job.id).resolve('r');
    await answer;
    expect(watch.state.record.status).toBe('completed');
  });

  test('begins only once the job is stored', async () => {
    const job = newJob();
    const answer = runner.run(job);
    const storing = gate(store, 'create');
    let isOpen = false;
    const opening = runner.watch(job.id).finally(() => {
      isOpen = true;
    });
    handler.of(job.id).hooks.started();
    handler.of(job.id).hooks.progress(0.5);
    await turn();
    expect(isOpen).toBe(false);
    storing.open();
    const watch = await opening;
    expect(watch?.state).toMatchObject({ record: { status: 'running' }, progress: 0.5 });
    handler.of(job.id).resolve('r');
    await answer;
  });

  test('is not told what was before the state that it began with', async () => {
    const { id } = await runner.submit(newJob());
    const { promise, resolve } = Promise.withResolvers<void>();
    store.kept = () => promise;
    handler.of(id).hooks.started();
    await turn();
    expect(await store.get(id)).toMatchObject({ status: 'running' });
    const { watch, told } = await watched(id);
    const statuses = [watch.state.record.status];
    handler.of(id).hooks.progress(0.5);
    resolve();
    await turn();
    statuses.push(...told.map(({ record }) => record.status));
    expect(statuses).toEqual(['queued', 'queued', 'running']);
  });

  test('misses no change that falls between looking and listening', async () => {
    const watches = new JobWatches();
    const job: Job = { ...newJob(), status: 'running', startedAt: 1, attempts: 1 };
    const completed: Job = { ...job, status: 'completed', finishedAt: 2 };
    const watch = await watches.open(job.id, async () => {
      const found = stateOf(job);
      watches.tell(job.id, () => stateOf(completed));
      return found;
    });
    expect(watch?.state.record.status).toBe('completed');
  });

  test('receives a cancellation of work that runs and of work that nobody runs', async () => {
    const { id } = await runner.submit(newJob());
    const left = await store.create(newJob());
    const running = await watched(id);
    const lying = await watched(left.id);
    await runner.cancel(id);
    await runner.cancel(left.id);
    expect(running.told.map(({ record }) => record.status)).toEqual(['cancelled']);
    expect(lying.told.map(({ record }) => record.status)).toEqual(['cancelled']);
  });

  test('receives nothing that a cancelled handler still says', async () => {
    handler.obeysSignal = false;
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    await turn();
    const { told } = await watched(id);
    await runner.cancel(id);
    handler.of(id).hooks.progress(0.9);
    handler.of(id).hooks.startedOver();
    expect(told).toHaveLength(1);
  });

  test('receives a status when a shutdown puts the job back, and when the next process takes it up', async () => {
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    await turn();
    const { told } = await watched(id);
    await runner.shutdown(0);
    expect(told).toMatchObject([{ record: { status: 'queued', attempts: 0 } }]);
    expect(told[0]?.record.startedAt).toBeUndefined();

    const crashed = await store.create(newJob());
    await store.transition(crashed.id, 'queued', 'running', { startedAt: 1, attempts: 1 });
    runner = openRunner();
    const next = await watched(crashed.id);
    expect(next.watch.state.record.status).toBe('running');
    await runner.recover();
    expect(next.told).toMatchObject([{ record: { status: 'queued', attempts: 1 } }]);
    handler.of(crashed.id).hooks.started();
    await turn();
    expect(next.watch.state).toMatchObject({ record: { status: 'running', attempts: 2 } });
  });
});

describe('the watches of a runner', () => {
  test('two of one job receive the same, and one that is disposed receives nothing more', async () => {
    const { id } = await runner.submit(newJob());
    const first = await watched(id);
    const second = await watched(id);
    handler.of(id).hooks.started();
    await turn();
    first.watch[Symbol.dispose]();
    handler.of(id).hooks.progress(0.5);
    expect(first.told).toHaveLength(1);
    expect(second.told).toHaveLength(2);
    expect(runner.numWatched).toBe(1);
    second.watch[Symbol.dispose]();
    expect(runner.numWatched).toBe(0);
  });

  test('leave nothing behind for an id that no job has, or a store that cannot be read', async () => {
    expect(await runner.watch(newJob().id)).toBeUndefined();
    expect(runner.numWatched).toBe(0);
    store.get = () => Promise.reject(new Error('disk I/O error'));
    await expect(runner.watch(newJob().id)).rejects.toThrow('disk I/O error');
    expect(runner.numWatched).toBe(0);
  });
});
