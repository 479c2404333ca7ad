/** How many jobs of a key wait or run here: exact whatever becomes of them. */
import { beforeEach, describe, expect, test } from 'vitest';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { gate, InterceptedStore, newJob, ScriptedHandler, turn } from '../../support/jobs.ts';

let store: InterceptedStore;
let handler: ScriptedHandler;
let runner: JobRunner;

function openRunner(): JobRunner {
  return new JobRunner({
    store,
    handlers: { circuit: handler, task: handler },
    now: () => 5000,
    onUnexpectedError: () => {},
  });
}

beforeEach(() => {
  store = new InterceptedStore();
  handler = new ScriptedHandler();
  runner = openRunner();
});

const ofKey1 = () => runner.inFlight('circuit', 'key-1');

describe('a job is in flight', () => {
  test('from its submission on, before it is stored', async () => {
    const { open } = gate(store, 'create');
    const submitting = runner.submit(newJob());
    expect(ofKey1()).toBe(1);
    open();
    await submitting;
    expect(ofKey1()).toBe(1);
  });

  test('while it runs, and no longer once it is completed', async () => {
    const { id } = await runner.submit(newJob());
    handler.of(id).hooks.started();
    await turn();
    expect(ofKey1()).toBe(1);
    handler.of(id).resolve('{}');
    await runner.waitFor(id);
    expect(ofKey1()).toBe(0);
  });

  test('while its caller waits for it', async () => {
    const job = newJob();
    const answer = runner.run(job);
    expect(ofKey1()).toBe(1);
    handler.of(job.id).resolve('{}');
    await answer;
    expect(ofKey1()).toBe(0);
  });

  test('until it has failed', async () => {
    const { id } = await runner.submit(newJob());
    handler.of(id).reject(new Error('a bug'));
    await runner.waitFor(id);
    expect(ofKey1()).toBe(0);
  });

  test('until it is cancelled, and what its handler still says changes nothing', async () => {
    handler.obeysSignal = false;
    const { id } = await runner.submit(newJob());
    await runner.submit(newJob());
    await runner.cancel(id);
    expect(ofKey1()).toBe(1);
    handler.of(id).resolve('{}');
    await turn();
    await runner.cancel(id);
    expect(ofKey1()).toBe(1);
  });

  test('not at all where it cannot be stored', async () => {
    store.intercept = () => {
      throw new Error('disk full');
    };
    await expect(runner.submit(newJob())).rejects.toThrow('disk full');
    expect(ofKey1()).toBe(0);
  });

  test('no longer where its outcome cannot be stored', async () => {
    const { id } = await runner.submit(newJob());
    store.intercept = () => {
      throw new Error('disk full');
    };
    const ending = runner.waitFor(id).catch(() => {});
    handler.of(id).resolve('{}');
    await ending;
    expect(ofKey1()).toBe(0);
  });

  test('once: an id that is taken is refused and not counted', async () => {
    const job = newJob();
    await runner.submit(job);
    await expect(runner.submit(job)).rejects.toMatchObject({ code: 'JOBS_DUPLICATE' });
    expect(ofKey1()).toBe(1);
  });

  test('after a restart again, and no longer where the process before it put it back', async () => {
    await runner.submit(newJob());
    await runner.submit(newJob());
    await runner.shutdown(0);
    expect(ofKey1()).toBe(0);
    runner = openRunner();
    await runner.recover();
    expect(ofKey1()).toBe(2);
  });
});

test('kinds and keys are counted apart', async () => {
  await runner.submit(newJob());
  await runner.submit(newJob({ keyId: 'key-2' }));
  await runner.submit(newJob({ kind: 'task' }));
  await runner.submit(newJob({ kind: 'task' }));
  expect(ofKey1()).toBe(1);
  expect(runner.inFlight('circuit', 'key-2')).toBe(1);
  expect(runner.inFlight('task', 'key-1')).toBe(2);
  expect(runner.inFlight('task', 'key-2')).toBe(0);
});

test('the length of what is asked is added over the keys of a kind, until a job is through', async () => {
  const requests = ['{}', '{"of":2}', '{"of":3}'];
  const [first] = await Promise.all([
    runner.submit(newJob({ request: requests[0]! })),
    runner.submit(newJob({ request: requests[1]!, keyId: 'key-2' })),
    runner.submit(newJob({ request: requests[2]!, kind: 'task' })),
  ]);
  expect(runner.inFlightCharacters('circuit')).toBe(2 + 8);
  expect(runner.inFlightCharacters('task')).toBe(8);
  handler.of(first!.id).resolve('{}');
  await runner.waitFor(first!.id);
  expect(runner.inFlightCharacters('circuit')).toBe(8);
});
