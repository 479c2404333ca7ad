import { beforeEach, describe, expect, test } from 'vitest';
import { JobNotFoundError } from '../../../src/jobs/errors.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { StorageUnwritableError } from '../../../src/storage/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { gate, InterceptedStore, newJob, ScriptedHandler, turn } from '../../support/jobs.ts';

let store: InterceptedStore;
let handler: ScriptedHandler;
let clock: number;
let unexpected: unknown[];
let runner: JobRunner;

beforeEach(() => {
  store = new InterceptedStore();
  handler = new ScriptedHandler();
  clock = 5000;
  unexpected = [];
  runner = new JobRunner({
    store,
    handlers: { circuit: handler },
    now: () => clock,
    onUnexpectedError: (error) => unexpected.push(error),
  });
});

/** A job whose work has begun, as the store knows too. */
async function submitRunning(): Promise<string> {
  const { id } = await runner.submit(newJob());
  handler.of(id).hooks.started();
  await turn();
  return id;
}

describe('the life of a job', () => {
  test('submitting stores it as queued and hands the stored record to its handler', async () => {
    const job = newJob();
    const submitted = await runner.submit(job);
    expect(submitted).toStrictEqual({ ...job, status: 'queued', attempts: 0 });
    expect(await runner.get(job.id)).toStrictEqual(submitted);
    expect(handler.calls.map((call) => call.job)).toStrictEqual([submitted]);
    expect(handler.of(job.id).hooks.readmitted).toBe(false);
  });

  test('it is running once its work has begun, with the time of that moment', async () => {
    const { id } = await runner.submit(newJob());
    clock = 6000;
    handler.of(id).hooks.started();
    clock = 7000;
    await turn();
    expect(await runner.get(id)).toMatchObject({ status: 'running', startedAt: 6000, attempts: 1 });
  });

  test('it is completed with its result when the handler resolves', async () => {
    const id = await submitRunning();
    clock = 8000;
    handler.of(id).resolve('{"counts":{"0":1}}');
    const done = await runner.waitFor(id);
    expect(done).toMatchObject({
      status: 'completed',
      result: '{"counts":{"0":1}}',
      finishedAt: 8000,
    });
    expect(await runner.get(id)).toStrictEqual(done);
    expect(store.steps).toStrictEqual(['queued>running', 'running>completed']);
  });

  test('a handler that never says it began completes through running all the same', async () => {
    const { id } = await runner.submit(newJob());
    handler.of(id).resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(store.steps).toStrictEqual(['queued>running', 'running>completed']);
  });

  test('saying twice that it began counts one attempt', async () => {
    const id = await submitRunning();
    handler.of(id).hooks.started();
    await turn();
    expect(await runner.get(id)).toMatchObject({ attempts: 1 });
    expect(unexpected).toStrictEqual([]);
  });

  test('a coded error before the start fails the queued job with its code and message', async () => {
    const { id } = await runner.submit(newJob());
    handler.of(id).reject(new JobNotFoundError('circ_x'));
    expect(await runner.waitFor(id)).toMatchObject({
      status: 'failed',
      attempts: 0,
      finishedAt: 5000,
      error: { code: 'JOBS_NOT_FOUND', message: expect.stringContaining('There is no job circ_x') },
    });
    expect(store.steps).toStrictEqual(['queued>failed']);
    expect(unexpected).toStrictEqual([]);
  });

  test('a coded error after the start fails the running job', async () => {
    const id = await submitRunning();
    handler.of(id).reject(new JobNotFoundError('circ_x'));
    expect(await runner.waitFor(id)).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('any other error fails the job without detail and is reported', async () => {
    const id = await submitRunning();
    const bug = new TypeError('secret of the machine');
    handler.of(id).reject(bug);
    const failed = await runner.waitFor(id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR' } });
    expect(failed.error?.message).not.toContain('secret');
    expect(unexpected).toStrictEqual([bug]);
  });

  test('a handler that throws instead of rejecting fails the job', async () => {
    handler.run = () => {
      throw new JobNotFoundError('circ_x');
    };
    const { id } = await runner.submit(newJob());
    expect(await runner.waitFor(id)).toMatchObject({ error: { code: 'JOBS_NOT_FOUND' } });
  });

  test('a kind that nothing runs is refused and not stored', async () => {
    const job = newJob({ kind: 'task' });
    await expect(runner.submit(job)).rejects.toMatchObject({ code: 'JOBS_NO_HANDLER' });
    expect(await runner.get(job.id)).toBeUndefined();
  });

  test('an id in use is refused, and the job that has it goes on', async () => {
    const id = await submitRunning();
    await expect(runner.submit(newJob({ id }))).rejects.toMatchObject({ code: 'JOBS_DUPLICATE' });
    expect(runner.progress(id)).toBe(0);
    handler.of(id).resolve('r');
    await runner.waitFor(id);
    await expect(runner.submit(newJob({ id }))).rejects.toMatchObject({ code: 'JOBS_DUPLICATE' });
    expect(await runner.waitFor(id)).toMatchObject({ status: 'completed', result: 'r' });
  });
});

describe('progress and queue position', () => {
  test('progress is known while the job runs, grows only, and ends at 1', async () => {
    const { id } = await runner.submit(newJob());
    expect(runner.progress(id)).toBeUndefined();
    const { hooks, resolve } = handler.of(id);
    hooks.started();
    expect(runner.progress(id)).toBe(0);
    const seen = [0.25, 0.1, Number.NaN, -1, 0.5, 7].map((fraction) => {
      hooks.progress(fraction);
      return runner.progress(id);
    });
    expect(seen).toStrictEqual([0.25, 0.25, 0.25, 0.25, 0.5, 1]);
    resolve('r');
    await runner.waitFor(id);
    expect(runner.progress(id)).toBeUndefined();
  });

  test('progress goes back to 0 when the work begins again, and grows from there', async () => {
    const { id } = await runner.submit(newJob());
    const { hooks } = handler.of(id);
    hooks.started();
    hooks.progress(0.64);
    hooks.startedOver();
    expect(runner.progress(id)).toBe(0);
    const seen = [0.3, 0.2].map((fraction) => {
      hooks.progress(fraction);
      return runner.progress(id);
    });
    expect(seen).toStrictEqual([0.3, 0.3]);
  });

  test('the position is what the handler of the kind says', async () => {
    await runner.submit(newJob());
    const { id } = await runner.submit(newJob());
    expect(runner.queuePosition(id)).toBe(1);
  });

  test('the position is 0 between the queue and the begin, and last for one that does not run here', async () => {
    const job = newJob();
    const other = newJob().id;
    await runner.submit(job);
    await runner.submit(newJob());
    expect(runner.queuePosition(other)).toBe(2);
    expect(runner.queuePosition(newJob({ kind: 'task' }).id)).toBe(0);
    handler.queuePosition = () => undefined;
    expect(runner.queuePosition(job.id)).toBe(0);
  });
});

describe('waiting', () => {
  test('every waiter gets the final record, and so does one who comes later', async () => {
    const id = await submitRunning();
    const waiters = [runner.waitFor(id), runner.waitFor(id, 60_000), runner.waitFor(id)];
    handler.of(id).resolve('r');
    const answers = await Promise.all([...waiters, ...waiters]);
    answers.push(await runner.waitFor(id));
    expect(new Set(answers.map((job) => `${job.status} ${job.result}`))).toStrictEqual(
      new Set(['completed r']),
    );
  });

  test('a waiter whose time is up gets the record as it stands and the job goes on', async () => {
    const id = await submitRunning();
    expect(await runner.waitFor(id, 0)).toMatchObject({ status: 'running', startedAt: 5000 });
    handler.of(id).resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({ status: 'completed' });
  });

  test('a time limit too long for a timer does not end the wait at once', async () => {
    const id = await submitRunning();
    const waiter = runner.waitFor(id, 1e12);
    await expect(runner.waitFor(id, 5)).resolves.toMatchObject({ status: 'running' });
    handler.of(id).resolve('r');
    expect(await waiter).toMatchObject({ status: 'completed' });
  });

  test('a signal ends the wait with its reason, not the job', async () => {
    const id = await submitRunning();
    const controller = new AbortController();
    const waiter = runner.waitFor(id, undefined, controller.signal);
    controller.abort(new Error('the client left'));
    await expect(waiter).rejects.toThrow('the client left');
    await expect(runner.waitFor(id, 0, controller.signal)).rejects.toThrow('the client left');
    expect(handler.of(id).signal.aborted).toBe(false);
  });

  test('waiting for a job that does not exist is refused', async () => {
    await expect(runner.waitFor('circ_0')).rejects.toMatchObject({ code: 'JOBS_NOT_FOUND' });
  });

  test('a job that is being stored can be waited for', async () => {
    const { open } = gate(store, 'create');
    const job = newJob();
    const submitting = runner.submit(job);
    const waiter = runner.waitFor(job.id);
    open();
    await submitting;
    handler.of(job.id).resolve('r');
    expect(await waiter).toMatchObject({ status: 'completed' });
  });
});

describe('cancelling', () => {
  test('a queued job is cancelled, its work told to stop and its waiters answered', async () => {
    const { id } = await runner.submit(newJob());
    const waiter = runner.waitFor(id);
    clock = 9000;
    const cancelled = await runner.cancel(id);
    expect(cancelled).toMatchObject({ status: 'cancelled', finishedAt: 9000, attempts: 0 });
    expect(handler.of(id).signal.aborted).toBe(true);
    expect(await waiter).toStrictEqual(cancelled);
    await turn();
    expect(store.steps).toStrictEqual(['queued>cancelled']);
    expect(unexpected).toStrictEqual([]);
  });

  test('a running job is cancelled and its work told to stop', async () => {
    const id = await submitRunning();
    expect(await runner.cancel(id)).toMatchObject({ status: 'cancelled', startedAt: 5000 });
    expect(handler.of(id).signal.reason).toMatchObject({ code: 'JOBS_CANCELLED' });
    expect(runner.progress(id)).toBeUndefined();
  });

  test('a final job is returned as it is', async () => {
    const id = await submitRunning();
    handler.of(id).resolve('r');
    const done = await runner.waitFor(id);
    expect(await runner.cancel(id)).toStrictEqual(done);
  });

  test('a job that does not exist is refused', async () => {
    await expect(runner.cancel('circ_0')).rejects.toMatchObject({ code: 'JOBS_NOT_FOUND' });
  });

  test('a job in the store that no process runs is cancelled there', async () => {
    const { id } = await store.create(newJob());
    expect(await runner.cancel(id)).toMatchObject({ status: 'cancelled' });
    const left = await store.create(newJob());
    await store.transition(left.id, 'queued', 'running');
    expect(await runner.cancel(left.id)).toMatchObject({ status: 'cancelled' });
  });

  test('the result of a handler that went on after its job was cancelled is dropped', async () => {
    handler.obeysSignal = false;
    const id = await submitRunning();
    const cancelled = await runner.cancel(id);
    handler.of(id).hooks.started();
    handler.of(id).resolve('too late');
    await turn();
    expect(await runner.get(id)).toStrictEqual(cancelled);
    expect(unexpected).toStrictEqual([]);
  });

  test('a bug in a handler after its job was cancelled changes nothing', async () => {
    handler.obeysSignal = false;
    const id = await submitRunning();
    const cancelled = await runner.cancel(id);
    handler.of(id).reject(new TypeError('late'));
    await turn();
    expect(await runner.get(id)).toStrictEqual(cancelled);
  });

  test('while the start is being written: the start comes first, then the cancellation', async () => {
    const { open } = gate(store, 'running');
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    const cancelling = runner.cancel(id);
    open();
    expect(await cancelling).toMatchObject({ status: 'cancelled', attempts: 1, startedAt: 5000 });
    expect(store.steps).toStrictEqual(['queued>running', 'running>cancelled']);
    expect(handler.of(id).signal.aborted).toBe(true);
  });

  test('while the job is being stored: it is stored first, then cancelled', async () => {
    const { open } = gate(store, 'create');
    const job = newJob();
    const submitting = runner.submit(job);
    const cancelling = runner.cancel(job.id);
    open();
    expect((await submitting).status).toBe('queued');
    expect(await cancelling).toMatchObject({ status: 'cancelled' });
    expect(handler.of(job.id).signal.aborted).toBe(true);
  });

  test('while the result is being written: the result wins, and the caller gets it', async () => {
    const id = await submitRunning();
    const { open } = gate(store, 'completed');
    const waiter = runner.waitFor(id);
    handler.of(id).resolve('r');
    await turn();
    const cancelling = runner.cancel(id);
    open();
    expect(await cancelling).toMatchObject({ status: 'completed', result: 'r' });
    expect(await waiter).toMatchObject({ status: 'completed', result: 'r' });
    expect(store.steps).toStrictEqual(['queued>running', 'running>completed']);
  });

  test('a result that comes while the cancellation is being written is dropped', async () => {
    handler.obeysSignal = false;
    const id = await submitRunning();
    const { open } = gate(store, 'cancelled');
    const cancelling = runner.cancel(id);
    await turn();
    handler.of(id).resolve('r');
    await turn();
    open();
    const cancelled = await cancelling;
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    await turn();
    expect(await runner.get(id)).toStrictEqual(cancelled);
  });

  test('twice at once cancels once and both callers get the record', async () => {
    const id = await submitRunning();
    const [first, second] = await Promise.all([runner.cancel(id), runner.cancel(id)]);
    expect(first).toMatchObject({ status: 'cancelled' });
    expect(second).toStrictEqual(first);
    expect(store.steps).toStrictEqual(['queued>running', 'running>cancelled']);
  });

  test('by another process is seen when the work begins, and stops it', async () => {
    const { id } = await runner.submit(newJob());
    const waiter = runner.waitFor(id);
    await store.transition(id, 'queued', 'cancelled', { finishedAt: 1 });
    handler.of(id).hooks.started();
    expect(await waiter).toMatchObject({ status: 'cancelled', finishedAt: 1 });
    expect(handler.of(id).signal.aborted).toBe(true);
    expect(unexpected).toStrictEqual([]);
  });

  test('by another process is seen when the result comes, which is dropped', async () => {
    const id = await submitRunning();
    await store.transition(id, 'running', 'cancelled', { finishedAt: 1 });
    handler.of(id).resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({ status: 'cancelled', finishedAt: 1 });
    expect(unexpected).toStrictEqual([]);
  });
});

describe('a store that cannot be written', () => {
  const full = new Error('database or disk is full');
  const failWhen = (...statuses: readonly string[]) => {
    store.intercept = (to) => {
      if (statuses.includes(to)) throw full;
    };
  };

  test('a job that cannot be stored is refused with the error and never runs', async () => {
    failWhen('create');
    const job = newJob();
    const submitting = runner.submit(job);
    const waiter = runner.waitFor(job.id);
    await expect(submitting).rejects.toBe(full);
    await expect(waiter).rejects.toBe(full);
    expect(handler.calls).toHaveLength(0);
    await expect(runner.waitFor(job.id)).rejects.toMatchObject({ code: 'JOBS_NOT_FOUND' });
  });

  test('a start that cannot be written is reported and made up for with the result', async () => {
    failWhen('running');
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    await turn();
    expect(unexpected).toStrictEqual([full]);
    store.intercept = () => {};
    handler.of(id).resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({ status: 'completed', attempts: 1 });
  });

  test('a result that cannot be written fails the job and is reported', async () => {
    const id = await submitRunning();
    failWhen('completed');
    handler.of(id).resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({
      status: 'failed',
      error: { code: 'INTERNAL_ERROR' },
    });
    expect(unexpected).toStrictEqual([full]);
  });

  test('when nothing can be written waiters get the error and the record stays', async () => {
    const id = await submitRunning();
    failWhen('completed', 'failed');
    const waiter = runner.waitFor(id);
    handler.of(id).resolve('r');
    await expect(waiter).rejects.toBe(full);
    expect(unexpected).toStrictEqual([full]);
    expect(await runner.waitFor(id)).toMatchObject({ status: 'running' });
  });

  test('a cancellation that cannot be written is refused and the work goes on', async () => {
    const id = await submitRunning();
    failWhen('cancelled');
    await expect(runner.cancel(id)).rejects.toBe(full);
    expect(handler.of(id).signal.aborted).toBe(false);
    handler.of(id).resolve('r');
    expect(await runner.waitFor(id)).toMatchObject({ status: 'completed' });
  });
});

describe('while the database cannot be written', () => {
  const full = new StorageUnwritableError(new Error('database or disk is full'));

  test.each([
    [
      'has a result',
      (id: string) => handler.of(id).resolve('r'),
      { status: 'completed', result: 'r' },
    ],
    [
      'failed',
      (id: string) => handler.of(id).reject(new JobNotFoundError('x')),
      { status: 'failed' },
    ],
  ])('an accepted job that %s is kept, and written when there is room', async (_, end, outcome) => {
    const id = await submitRunning();
    let numTries = 0;
    store.intercept = () => {
      numTries += 1;
      throw full;
    };
    clock = 8000;
    end(id);
    await eventually(() => numTries > 1);
    expect(await store.get(id)).toMatchObject({ status: 'running' });
    expect(runner.inFlight('circuit', 'key-1')).toBe(1);
    expect(unexpected).toEqual([full]);

    store.intercept = () => {};
    clock = 99_000;
    expect(await runner.waitFor(id)).toMatchObject({ ...outcome, finishedAt: 8000 });
    expect(runner.inFlight('circuit', 'key-1')).toBe(0);
    expect(unexpected).toEqual([full]);
  });

  test('a job that was promised to nobody is refused and leaves nothing', async () => {
    store.intercept = () => {
      throw full;
    };
    await expect(runner.submit(newJob())).rejects.toBe(full);
    const job = newJob();
    const run = runner.run(job);
    handler.of(job.id).resolve('r');
    await expect(run).rejects.toBe(full);
    expect(runner.inFlight('circuit', 'key-1')).toBe(0);
    expect(await store.get(job.id)).toBeUndefined();
  });

  test('a shutdown writes the outcome if it can, and else leaves the job to the next start', async () => {
    const ids = [await submitRunning(), await submitRunning()];
    store.intercept = () => {
      throw full;
    };
    for (const id of ids) handler.of(id).resolve('r');
    await turn();
    let numWrites = 0;
    store.intercept = () => {
      if (numWrites++ > 0) throw full;
    };
    expect(await runner.shutdown(0)).toMatchObject({ finished: 1 });
    const stored = await Promise.all(ids.map((id) => store.get(id)));
    expect(stored.map((job) => job?.status).sort()).toEqual(['completed', 'running']);
  });
});

describe('parts of a result', () => {
  const part = (from: number) => ({ series: 0, from, to: from + 1, bytes: Uint8Array.of(from) });
  const placesOf = async (id: string) => (await store.partPlaces(id)).map(({ from }) => from);

  test('are stored as they come, and are there for the next run', async () => {
    const id = await submitRunning();
    const { hooks } = handler.of(id);
    expect(await hooks.savedParts()).toStrictEqual([]);
    hooks.saveParts([part(0)]);
    hooks.saveParts([part(1), part(2)]);
    await turn();
    expect(await placesOf(id)).toStrictEqual([0, 1, 2]);
    expect(await runner.parts(id)).toStrictEqual([part(0), part(1), part(2)]);
    expect(await hooks.savedParts()).toHaveLength(3);
  });

  test('those of a job that is not stored yet are stored with it', async () => {
    const job = newJob();
    const answer = runner.run(job);
    const { hooks, resolve } = handler.of(job.id);
    hooks.started();
    hooks.saveParts([part(0)]);
    expect(await hooks.savedParts()).toStrictEqual([]);
    resolve('{}');
    await answer;
    expect(await placesOf(job.id)).toStrictEqual([0]);
  });

  test('a job that is not stored yet is stored with those that must not be lost', async () => {
    const job = newJob();
    const answer = runner.run(job);
    const { hooks, resolve } = handler.of(job.id);
    await hooks.storeParts([part(0)]);
    expect(await store.get(job.id)).toMatchObject({ status: 'queued' });
    expect(await placesOf(job.id)).toStrictEqual([0]);
    await hooks.storeParts([{ ...part(0), bytes: Uint8Array.of(7) }]);
    expect(await runner.parts(job.id)).toMatchObject([{ bytes: Uint8Array.of(7) }]);
    resolve('{}');
    expect((await answer).status).toBe('completed');
  });

  test('those that must not be lost are reported as lost', async () => {
    const id = await submitRunning();
    store.intercept = (to) => {
      if (to === 'parts') throw new StorageUnwritableError(new Error('disk full'));
    };
    const { hooks } = handler.of(id);
    await expect(hooks.storeParts([part(0)])).rejects.toThrow(StorageUnwritableError);
  });

  test('those that must not be lost are refused once another process holds the job', async () => {
    const id = await submitRunning();
    store.addParts = async () => false;
    const storing = handler.of(id).hooks.storeParts([part(0)]);
    await expect(storing).rejects.toMatchObject({ code: 'JOBS_LOST' });
  });

  test('what could not be written is written with the outcome', async () => {
    const id = await submitRunning();
    store.intercept = (to) => {
      if (to === 'parts') throw new StorageUnwritableError(new Error('disk full'));
    };
    const { hooks, resolve } = handler.of(id);
    hooks.saveParts([part(0)]);
    resolve('{}');
    await runner.waitFor(id);
    expect(await placesOf(id)).toStrictEqual([0]);
  });
});
