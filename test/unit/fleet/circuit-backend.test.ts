import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CircuitBackend, type CircuitBackendOptions } from '../../../src/fleet/circuit-backend.ts';
import type { PlacedRun } from '../../../src/fleet/fleet-run.ts';
import { eventually } from '../../support/eventually.ts';
import {
  ENGINE,
  FAKE_LANES,
  instruction,
  never,
  STILLBORN_WORKER,
  sharedNumbers,
  WIDE_QUBITS,
} from '../../support/fleet-fixtures.ts';
import { runOf } from '../../support/run-of.ts';

const open: CircuitBackend[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((backend) => backend.close()));
});

function openBackend(options: Partial<CircuitBackendOptions> = {}): CircuitBackend {
  const backend = new CircuitBackend({
    ...FAKE_LANES,
    queueLimit: 10,
    ageingMs: 60_000,
    ...options,
  });
  open.push(backend);
  backend.open();
  return backend;
}

let numTasks = 0;

function task(name: string, more: Partial<PlacedRun> = {}, shared = sharedNumbers()): PlacedRun {
  return {
    id: `task-${numTasks++}`,
    processor: 'a',
    keyId: 'key',
    tier: 'standard',
    priority: 'normal',
    precision: 'f64',
    circuit: instruction(name, shared),
    request: { shots: 1, seed: 1 },
    ...more,
  };
}

/** A circuit for the wide lane. */
function wide(name: string, more: Partial<PlacedRun> = {}, shared = sharedNumbers()) {
  return task(name, { circuit: instruction(name, shared, WIDE_QUBITS), ...more });
}

/** Submits a circuit that holds a thread until its first shared number is set. */
async function holdThread(backend: CircuitBackend, make = task) {
  const shared = sharedNumbers();
  const result = backend.submit(make('WAIT', {}, shared), {}, never());
  await eventually(() => shared[1] === 1);
  return { shared, result };
}

describe('CircuitBackend', () => {
  test('completes each of 1,000 small circuits once, with its own answer', async () => {
    const backend = openBackend({
      small: { numWorkers: 2, engine: ENGINE },
      queueLimit: 1000,
    });
    const answered = new Map<number, number>();
    const all = Array.from({ length: 1000 }, async (_, seed) => {
      const outcome = await backend.submit(
        task('ECHO', { request: { shots: 1, seed } }),
        {},
        never(),
      );
      const [echo = -1] = runOf(outcome).counts.outcomes;
      expect(echo).toBe(seed);
      answered.set(echo, (answered.get(echo) ?? 0) + 1);
    });
    await Promise.all(all);
    expect(answered.size).toBe(1000);
    expect(new Set(answered.values())).toEqual(new Set([1]));
    expect(backend.load('a')).toMatchObject({ queueDepth: 0, running: 0, expectedWaitMs: 0 });
  });

  test('starts high work before normal and low work', async () => {
    const backend = openBackend();
    const { shared, result } = await holdThread(backend);
    const started: string[] = [];
    const submitted = (['low', 'normal', 'high'] as const).map((priority) => {
      const onStarted = () => started.push(priority);
      return backend.submit(task('ECHO', { priority }), { onStarted }, never());
    });
    shared[0] = 1;
    await Promise.all([result, ...submitted]);
    expect(started).toEqual(['high', 'normal', 'low']);
  });

  test('tells how many circuits start before a waiting one, and nothing of a running one', async () => {
    const backend = openBackend();
    const running = task('WAIT');
    const first = task('ECHO');
    const second = task('ECHO', { processor: 'b' });
    const results = [running, first, second].map((one) =>
      backend.submit(one, {}, never()).catch(() => undefined),
    );
    await eventually(() => backend.load('a').running === 1);
    const positions = () => [running, first, second].map(({ id }) => backend.position(id));
    // A plan that took long to make, on a busy machine, is used for a while after it is outdated.
    await eventually(() => expect(positions()).toEqual([undefined, 0, 1]));
    // Both processors queue behind the same two circuits.
    expect(backend.load('a').queueDepth).toBe(2);
    expect(backend.load('b').queueDepth).toBe(2);
    await backend.close();
    await Promise.all(results);
  });

  test('refuses a circuit beyond the queue’s limit, except one accepted before', async () => {
    // The longer a circuit runs, the later it is worth trying again.
    vi.useFakeTimers({ toFake: ['performance'] });
    const backend = openBackend({ queueLimit: 2 });
    const { shared, result } = await holdThread(backend);
    const waiting = ['a', 'b'].map((group) =>
      backend.submit(task('ECHO', { processor: group }), {}, never()),
    );
    await expect(backend.submit(task('ECHO'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_QUEUE_FULL',
      retryAfterS: 1,
    });
    const readmitted = backend.submit(task('ECHO'), { readmitted: true }, never());
    shared[0] = 1;
    await Promise.all([result, ...waiting, readmitted]);
  });

  test('keeps the place of a circuit that was admitted, and counts it, until it comes or is withdrawn', async () => {
    const backend = openBackend({ queueLimit: 2 });
    const { shared, result } = await holdThread(backend);
    const [first, second] = [task('ECHO'), task('ECHO')];
    for (const { id } of [first, second]) backend.admission.admit('a', { id, keyId: 'key' });
    expect(() => backend.admission.admit('a', { id: 'third', keyId: 'key' })).toThrow('full');
    await expect(backend.submit(task('ECHO'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_QUEUE_FULL',
    });
    const taken = backend.submit(first, {}, never());
    expect(() => backend.admission.check('a')).toThrow('full');
    backend.admission.withdraw(second.id);
    expect(() => backend.admission.check('a')).not.toThrow();
    shared[0] = 1;
    await Promise.all([result, taken]);
  });

  test('runs a circuit again, once, when its thread dies', async () => {
    const backend = openBackend();
    const shared = sharedNumbers();
    let numStarted = 0;
    const hooks = { onStarted: () => numStarted++ };
    await backend.submit(task('EXIT_ONCE', {}, shared), hooks, never());
    expect(shared[0]).toBe(2);
    expect(numStarted).toBe(1);
  });

  test('says that a circuit starts over before its second attempt reports progress', async () => {
    const backend = openBackend();
    const shared = sharedNumbers();
    const heard: (number | string)[] = [];
    const hooks = {
      onProgress: (fraction: number) => {
        if (heard.at(-1) !== fraction) heard.push(fraction);
        shared[0] = shared[1]!;
      },
      onStartedOver: () => heard.push('over'),
    };
    await backend.submit(task('EXIT_HALFWAY_ONCE', {}, shared), hooks, never());
    expect(heard).toEqual([0.75, 'over', 0.5]);
  });

  test('a circuit that is given up at its third attempt started over twice', async () => {
    const backend = openBackend();
    let numStartedOver = 0;
    const hooks = { onStartedOver: () => numStartedOver++ };
    await expect(backend.submit(task('EXIT'), hooks, never())).rejects.toMatchObject({
      code: 'FLEET_ENGINE_LOST',
    });
    expect(numStartedOver).toBe(2);
  });

  test('gives a circuit up that takes three threads down, and goes on with the next', async () => {
    const backend = openBackend();
    // Expected from the start: on a busy machine it may be given up before the queue is looked at.
    const poisoned = expect(backend.submit(task('EXIT'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_ENGINE_LOST',
      message: expect.stringContaining('3 attempts'),
      cause: { code: 'FLEET_WORKER_LOST' },
    });
    await eventually(() => expect(backend.load('a').queueDepth).toBe(0));
    const next = backend.submit(task('ECHO'), {}, never());
    await poisoned;
    await next;
  });

  test('a thread that is lost with a list is held against none of it, and each runs alone then', async () => {
    const backend = openBackend();
    const { shared, result } = await holdThread(backend);
    const poison = backend.submit(task('EXIT'), {}, never());
    // Lost with the list, and once more by itself, as though somebody killed its thread.
    const unlucky = backend.submit(task('EXIT_ONCE'), {}, never());
    const others = [1, 2, 3].map(() => backend.submit(task('ECHO'), {}, never()));
    shared[0] = 1;
    const [poisoned] = await Promise.allSettled([poison, result, unlucky, ...others]);
    // With the list, and three times alone.
    expect(poisoned).toMatchObject({
      reason: { code: 'FLEET_ENGINE_LOST', message: expect.stringContaining('4 attempts') },
    });
    await Promise.all([unlucky, ...others]);
  });

  test('starts nothing of a paused processor but its self-tests, and the rest when it goes on', async () => {
    const backend = openBackend();
    const { shared, result } = await holdThread(backend);
    backend.setPaused('a', true);
    const started: string[] = [];
    const submit = (name: string, more: Partial<PlacedRun>) =>
      backend.submit(task('ECHO', more), { onStarted: () => started.push(name) }, never());
    const waiting = submit('paused', {});
    const others = [
      submit('other', { processor: 'b' }),
      backend.test('small', task('ECHO'), { onStarted: () => started.push('self-test') }, never()),
    ];
    shared[0] = 1;
    await Promise.all([result, ...others]);
    expect(started).toEqual(['self-test', 'other']);
    expect(backend.load('a').queueDepth).toBe(1);
    backend.setPaused('a', false);
    await waiting;
    expect(started).toEqual(['self-test', 'other', 'paused']);
  });

  test('drops a cancelled circuit from the queue at once', async () => {
    const backend = openBackend();
    const { shared, result } = await holdThread(backend);
    const cancel = new AbortController();
    const waiting = backend.submit(task('EXIT'), {}, cancel.signal);
    cancel.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(backend.load('a').queueDepth).toBe(0);
    shared[0] = 1;
    await result;
  });

  test('frees its only thread when the circuit there is cancelled', async () => {
    const backend = openBackend({ cancelGraceMs: 30 });
    const cancel = new AbortController();
    const shared = sharedNumbers();
    const stuck = backend.submit(task('SPIN', {}, shared), {}, cancel.signal);
    const next = backend.submit(task('ECHO'), {}, never());
    await eventually(() => shared[1] === 1);
    cancel.abort();
    await expect(stuck).rejects.toMatchObject({ name: 'AbortError' });
    const turns = shared[2];
    await next;
    expect(shared[2]).toBe(turns);
  });

  test('expects the wait that recent run times and reported progress say', async () => {
    const backend = openBackend();
    expect(backend.load('a').expectedWaitMs).toBe(0);
    const { shared, result } = await holdThread(backend);
    const waiting = backend.submit(task('ECHO'), {}, never());
    await eventually(() => backend.load('a').expectedWaitMs > 50);
    shared[0] = 1;
    await Promise.all([result, waiting]);
    expect(backend.load('a').expectedWaitMs).toBe(0);
  });

  test('rejects a self-test instead of letting it wait for threads that cannot be started', async () => {
    const backend = openBackend({ workerEntry: STILLBORN_WORKER });
    const test = () => backend.test('small', task('ECHO'), {}, never());
    await expect(test()).rejects.toMatchObject({
      code: 'FLEET_ENGINE_LOST',
      cause: { code: 'FLEET_NO_WORKER' },
    });
    let isRejected = false;
    test().catch(() => {
      isRejected = true;
    });
    await setImmediate();
    expect(isRejected).toBe(true);
  });

  test('rejects what runs and what waits when it is closed, and what comes after', async () => {
    const backend = openBackend();
    const { result } = await holdThread(backend);
    const waiting = backend.submit(task('ECHO'), {}, never());
    const rejected = Promise.all(
      [result, waiting].map((one) => expect(one).rejects.toMatchObject({ code: 'FLEET_CLOSED' })),
    );
    await backend.close();
    await rejected;
    await expect(backend.submit(task('ECHO'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_CLOSED',
    });
  });
});

describe('small and wide circuits', () => {
  test('a wide circuit that waits for its engine holds up no small one behind it', async () => {
    const backend = openBackend({ queueLimit: 100 });
    const { shared, result } = await holdThread(backend, wide);
    const waiting = wide('ECHO', { priority: 'high' });
    const next = backend.submit(waiting, {}, never());
    await Promise.all(Array.from({ length: 20 }, () => backend.submit(task('ECHO'), {}, never())));
    await eventually(() => expect(backend.position(waiting.id)).toBe(0));
    expect(backend.load('a')).toMatchObject({ queueDepth: 1, running: 1 });
    shared[0] = 1;
    await Promise.all([result, next]);
  });

  test('a stream of small circuits of high priority does not keep a wide one waiting', async () => {
    const backend = openBackend();
    const { shared, result } = await holdThread(backend);
    const stream = Array.from({ length: 5 }, () =>
      backend.submit(task('ECHO', { priority: 'high' }), {}, never()),
    );
    await backend.submit(wide('ECHO', { priority: 'low' }), {}, never());
    expect(backend.load('a')).toMatchObject({ queueDepth: 5, running: 1 });
    shared[0] = 1;
    await Promise.all([result, ...stream]);
  });

  test('wide circuits run one at a time, by priority', async () => {
    const backend = openBackend({ small: { numWorkers: 3, engine: ENGINE } });
    const { shared, result } = await holdThread(backend, wide);
    const started: string[] = [];
    const submitted = (['low', 'normal', 'high'] as const).map((priority) => {
      const onStarted = () => started.push(priority);
      return backend.submit(wide('ECHO', { priority }), { onStarted }, never());
    });
    await backend.submit(task('ECHO'), {}, never());
    expect(started).toEqual([]);
    shared[0] = 1;
    await Promise.all([result, ...submitted]);
    expect(started).toEqual(['high', 'normal', 'low']);
  });

  test('each width has its own positions and expected wait; the depth counts both', async () => {
    const backend = openBackend();
    const held = [await holdThread(backend, wide), await holdThread(backend)];
    const tasks = [wide('ECHO'), task('ECHO'), wide('ECHO'), task('ECHO', { processor: 'b' })];
    const results = tasks.map((one) => backend.submit(one, {}, never()));
    await eventually(() =>
      expect(tasks.map(({ id }) => backend.position(id))).toEqual([0, 0, 1, 1]),
    );
    expect(backend.load('b').queueDepth).toBe(4);
    held[1]!.shared[0] = 1;
    await Promise.all([held[1]!.result, results[1], results[3]]);
    await eventually(() => backend.load('a').expectedWideWaitMs > 20);
    expect(backend.load('a').expectedWaitMs).toBe(0);
    held[0]!.shared[0] = 1;
    await Promise.all([held[0]!.result, ...results]);
  });

  test('share the limit on what waits', async () => {
    const backend = openBackend({ queueLimit: 2 });
    const { shared, result } = await holdThread(backend, wide);
    const waiting = [wide('ECHO'), wide('ECHO')].map((one) => backend.submit(one, {}, never()));
    expect(() => backend.admission.check('a')).toThrow('full');
    shared[0] = 1;
    await Promise.all([result, ...waiting]);
  });

  test('a paused processor starts neither', async () => {
    const backend = openBackend();
    backend.setPaused('a', true);
    let numStarted = 0;
    const hooks = { onStarted: () => numStarted++ };
    const results = [task('ECHO'), wide('ECHO')].map((one) => backend.submit(one, hooks, never()));
    await Promise.all(
      [task, wide].map((make) => backend.submit(make('ECHO', { processor: 'b' }), {}, never())),
    );
    expect(numStarted).toBe(0);
    backend.setPaused('a', false);
    await Promise.all(results);
    expect(numStarted).toBe(2);
  });

  test('a self-test runs on the engines of the width it is for', async () => {
    const backend = openBackend();
    const { shared, result } = await holdThread(backend, wide);
    let isThrough = false;
    const onWide = backend.test('wide', task('ECHO'), {}, never()).then(() => {
      isThrough = true;
    });
    await backend.test('small', task('ECHO'), {}, never());
    expect(isThrough).toBe(false);
    shared[0] = 1;
    await Promise.all([result, onWide]);
  });

  test('a wide circuit whose thread or helper is lost is run once more, ahead of others', async () => {
    const backend = openBackend();
    for (const name of ['EXIT_ONCE', 'LOSE_HELPER_ONCE']) {
      const shared = sharedNumbers();
      await backend.submit(wide(name, {}, shared), {}, never());
      expect(shared[0]).toBe(2);
    }
    await expect(backend.submit(wide('LOSE_HELPER'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_ENGINE_LOST',
      cause: { code: 'FLEET_WORKER_LOST' },
    });
    await backend.submit(task('ECHO'), {}, never());
  });

  test('what waits or runs of either is rejected at the close', async () => {
    const backend = openBackend();
    const running = await holdThread(backend, wide);
    const results = [running.result, backend.submit(wide('ECHO'), {}, never())];
    const rejected = Promise.all(
      results.map((one) => expect(one).rejects.toMatchObject({ code: 'FLEET_CLOSED' })),
    );
    await backend.close();
    await rejected;
  });
});
