// @needs processes
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ProcedureCall,
  ProcedurePool,
} from '../../../../src/workloads/procedures/procedure-pool.ts';
import { eventually } from '../../../support/eventually.ts';
import { callOf, firstMessage, POOL, resultOf, running } from '../../../support/procedure-calls.ts';

let pool: ProcedurePool;
beforeAll(async () => {
  pool = new ProcedurePool({ ...POOL, numProcesses: 1, queueLimit: 8 });
  await pool.start();
});
afterAll(() => pool.close());

/** Keeps the pool's only process until it is let go. */
async function occupied(): Promise<{ letGo(): Promise<void> }> {
  const { message, outcome, controller } = firstMessage(pool, callOf('wait-for-signal'));
  await message;
  return {
    letGo: async () => {
      controller.abort();
      await outcome.catch(() => {});
    },
  };
}

describe('a call', () => {
  test('comes back with its result, in the process of the one before', async () => {
    const { pid } = Object(await resultOf(pool, 'echo'));
    const { outcome } = running(pool, callOf('echo', { input: { deep: [1, 'é', null] }, seed: 9 }));
    const { resultJson, units, executedOn, timing } = await outcome;
    expect(JSON.parse(resultJson)).toEqual({ input: { deep: [1, 'é', null] }, seed: 9, pid });
    expect({ units, executedOn }).toEqual({ units: 1, executedOn: [] });
    expect(timing.executionMs).toBeGreaterThan(0);
  });

  test('has the units that it counted, and leaves out fields that are not there', async () => {
    expect(await running(pool, callOf('units')).outcome).toMatchObject({ units: 7 });
    expect(await resultOf(pool, 'optional-field')).toEqual({ there: 1 });
  });

  test('finds loaded what the catalog loads beforehand', async () => {
    expect(await resultOf(pool, 'preloaded')).toEqual({ is_preloaded: true });
  });

  test('tells its progress seldom, forwards, and the last of it before its end', async () => {
    const told: (readonly [number, string | undefined])[] = [];
    const { outcome } = running(pool, callOf('report'), {
      onProgress: (fraction, message) => void told.push([fraction, message]),
    });
    await outcome;
    expect(told[0]).toEqual([0, 'Step 0']);
    expect(told.at(-1)).toEqual([1, 'Step 1000']);
    expect(told.map(([fraction]) => fraction)).toEqual(
      told.map(([fraction]) => fraction).toSorted((a, b) => a - b),
    );
  });

  test('tells its progress from within synchronous code', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const { outcome, controller } = running(pool, callOf('report-for-ever'), {
      onProgress: (fraction) => void (fraction === 0.5 && resolve(fraction)),
    });
    expect(await promise).toBe(0.5);
    controller.abort(new Error('seen'));
    await expect(outcome).rejects.toThrow('seen');
  });
});

describe('what waits', () => {
  test('starts by priority, tier and turns of keys, and says its place', async () => {
    const holder = await occupied();
    const started: string[] = [];
    const all = (
      [
        { id: 'low', priority: 'low' },
        { id: 'a1', keyId: 'a' },
        { id: 'a2', keyId: 'a' },
        { id: 'a3', keyId: 'a' },
        { id: 'b1', keyId: 'b' },
        { id: 'paid', keyId: 'c', tier: 'enterprise' },
        { id: 'high', keyId: 'a', priority: 'high' },
      ] satisfies Partial<ProcedureCall>[]
    ).map((more) => {
      const hooks = { onStarted: () => void started.push(more.id) };
      return running(pool, callOf('echo', more), hooks).outcome;
    });
    expect(['high', 'paid', 'low', 'running'].map((id) => pool.queuePosition(id))).toEqual([
      0,
      1,
      6,
      undefined,
    ]);
    expect(pool.load()).toMatchObject({ waiting: 7, running: 1, processes: 1 });
    expect(pool.load().expectedWaitMs).toBeGreaterThan(0);
    await holder.letGo();
    await Promise.all(all);
    expect(started).toEqual(['high', 'paid', 'a1', 'b1', 'a2', 'a3', 'low']);
    expect(pool.load()).toMatchObject({ waiting: 0, running: 0, expectedWaitMs: 0 });
  });

  test('is refused beyond the limit, unless it was accepted before', async () => {
    const holder = await occupied();
    const waiting = Array.from({ length: 8 }, () => running(pool, callOf('echo')).outcome);
    expect(() => pool.admit('refused')).toThrowError(
      expect.objectContaining({ code: 'WORKLOADS_QUEUE_FULL', retryAfterS: expect.any(Number) }),
    );
    await expect(running(pool, callOf('echo')).outcome).rejects.toMatchObject({
      code: 'WORKLOADS_QUEUE_FULL',
    });
    const back = running(pool, callOf('echo'), { readmitted: true }).outcome;
    await holder.letGo();
    await Promise.all([...waiting, back]);
    expect(() => pool.admit('taken')).not.toThrow();
    pool.withdraw('taken');
  });

  test('is not refused once it was admitted, and is admitted only where there is room', async () => {
    const holder = await occupied();
    const ids = Array.from({ length: 40 }, (_, i) => `admitted-${i}`);
    const admitted = ids.filter((id) => !refuses(pool, id));
    expect(admitted).toEqual(ids.slice(0, 8));
    await expect(running(pool, callOf('echo')).outcome).rejects.toMatchObject({
      code: 'WORKLOADS_QUEUE_FULL',
    });
    // A place that is given up is another's.
    pool.withdraw('admitted-7');
    pool.withdraw('never-admitted');
    const last = running(pool, callOf('echo')).outcome;
    const calls = admitted.slice(0, 7).map((id) => running(pool, callOf('echo', { id })).outcome);
    await holder.letGo();
    expect(await Promise.all([last, ...calls])).toHaveLength(8);
    expect(pool.load().waiting).toBe(0);
  });

  test('gives its place up also where its call is over before it waits', async () => {
    const holder = await occupied();
    for (let i = 0; i < 20; i++) {
      pool.admit('over');
      const over = pool.run(callOf('echo', { id: 'over' }), {}, AbortSignal.abort(new Error('no')));
      await expect(over).rejects.toThrow('no');
    }
    await holder.letGo();
  });

  test('takes no room from others where it was accepted before', async () => {
    const holder = await occupied();
    const back = Array.from(
      { length: 20 },
      () => running(pool, callOf('echo'), { readmitted: true }).outcome,
    );
    const others = Array.from({ length: 8 }, () => running(pool, callOf('echo')).outcome);
    expect(refuses(pool, 'more')).toBe(true);
    await holder.letGo();
    await Promise.all([...back, ...others]);
    expect(refuses(pool, 'more')).toBe(false);
    pool.withdraw('more');
  });

  test('leaves the queue when it is cancelled, at once', async () => {
    const holder = await occupied();
    const { outcome, controller } = running(pool, callOf('echo', { id: 'leaves' }));
    controller.abort(new Error('changed my mind'));
    await expect(outcome).rejects.toThrow('changed my mind');
    expect(pool.queuePosition('leaves')).toBeUndefined();
    expect(pool.load().waiting).toBe(0);
    await holder.letGo();
  });
});

describe('a cancel', () => {
  test('answers at once and spares the process of a procedure that listens', async () => {
    await using patient = disposable(
      new ProcedurePool({ ...POOL, numProcesses: 1, graceMs: 20_000 }),
    );
    const first = firstMessage(patient, callOf('wait-for-signal'));
    const pid = Number(await first.message);
    first.controller.abort(new Error('enough'));
    await expect(first.outcome).rejects.toThrow('enough');
    expect(await resultOf(patient, 'echo')).toMatchObject({ pid });
  });

  test('answers at once and ends the process of one that does not', async () => {
    const { pid } = Object(await resultOf(pool, 'echo'));
    const first = firstMessage(pool, callOf('spin'));
    expect(await first.message).toBe('Spinning');
    first.controller.abort(new Error('enough'));
    await expect(first.outcome).rejects.toThrow('enough');
    const next = Object(await resultOf(pool, 'echo'));
    expect(next.pid).not.toBe(pid);
  });

  test('from within a hook ends the process of a procedure that does not listen, too', async () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error('enough'));
    const outcome = pool.run(callOf('spin'), { onProgress }, controller.signal);
    await expect(outcome).rejects.toThrow('enough');
    expect(await resultOf(pool, 'echo')).toMatchObject({ seed: 3 });
  });

  test('before its turn comes is no call at all', async () => {
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(pool.run(callOf('echo'), {}, signal)).rejects.toThrow('never mind');
    expect(pool.load()).toMatchObject({ waiting: 0, running: 0 });
  });
});

test('a process is replaced after an error that nobody waited for, and after no other', async () => {
  const before = await resultOf(pool, 'echo');
  await expect(resultOf(pool, 'bug')).rejects.toThrow();
  expect(await resultOf(pool, 'echo')).toEqual(before);
  await expect(resultOf(pool, 'throw-in-timer')).rejects.toThrow('From a timer.');
  expect(await resultOf(pool, 'echo')).not.toEqual(before);
});

describe('a hook that throws', () => {
  const hook = () => {
    throw new Error('from a hook');
  };
  test.each([{ onStarted: hook }, { onProgress: hook }])(
    'ends its call alone: %o',
    async (hooks) => {
      await expect(running(pool, callOf('wait-for-signal'), hooks).outcome).rejects.toThrow(
        'from a hook',
      );
      expect(await resultOf(pool, 'echo')).toMatchObject({ seed: 3 });
    },
  );
});

describe('a pool', () => {
  test('starts processes as they are needed, up to its number, and runs calls in each', async () => {
    await using wide = disposable(new ProcedurePool({ ...POOL, graceMs: 20_000 }));
    expect(wide.load().processes).toBe(0);
    const calls = [1, 2].map(() => firstMessage(wide, callOf('wait-for-signal')));
    const pids = await Promise.all(calls.map(({ message }) => message));
    expect(new Set(pids).size).toBe(2);
    const third = running(wide, callOf('echo')).outcome;
    expect(wide.load()).toMatchObject({ processes: 2, running: 2, waiting: 1 });
    calls[0]?.controller.abort(new Error('enough'));
    await expect(calls[0]?.outcome).rejects.toThrow('enough');
    expect(Object(JSON.parse((await third).resultJson)).pid).toBe(Number(pids[0]));
    const closed = expect(calls[1]?.outcome).rejects.toMatchObject({ code: 'WORKLOADS_TASK_LOST' });
    await wide.close();
    await closed;
  });

  test('that closes ends what runs and what waits, with its processes, and takes nothing new', async () => {
    await using closing = disposable(new ProcedurePool({ ...POOL, numProcesses: 1 }));
    const runs = firstMessage(closing, callOf('wait-for-signal'));
    const pid = Number(await runs.message);
    const waits = running(closing, callOf('echo')).outcome;
    const lost = { code: 'WORKLOADS_TASK_LOST' };
    const ended = Promise.all([
      expect(runs.outcome).rejects.toMatchObject(lost),
      expect(waits).rejects.toMatchObject(lost),
    ]);
    await closing.close();
    await ended;
    expect(() => process.kill(pid, 0)).toThrow();
    await expect(running(closing, callOf('echo')).outcome).rejects.toMatchObject(lost);
  });

  test('that closes with grace lets what is there come through', async () => {
    await using closing = disposable(new ProcedurePool({ ...POOL, numProcesses: 1 }));
    const outcomes = [1, 2, 3].map(() => running(closing, callOf('echo')).outcome);
    await closing.close(600_000);
    expect(await Promise.all(outcomes)).toHaveLength(3);
  });

  test('whose processes cannot be started says so to start and to calls', async () => {
    const catalog = new URL('./no-such-catalog.ts', import.meta.url);
    const told: string[] = [];
    const onProcessLost = (how: string) => void told.push(how);
    const options = { ...POOL, catalog, numProcesses: 1, onProcessLost };
    await using broken = disposable(new ProcedurePool(options));
    await expect(broken.start()).rejects.toMatchObject({ code: 'WORKLOADS_TASK_LOST' });
    expect(told).toEqual([expect.stringContaining('no-such-catalog')]);
    await expect(running(broken, callOf('echo')).outcome).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_LOST',
    });
  });
});

test('what waits is left to the processes that are there when further ones cannot be started', async () => {
  const root = mkdtempSync(join(tmpdir(), 'procedures-'));
  const file = join(root, 'code', 'catalog.mjs');
  mkdirSync(join(root, 'code'));
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(
    file,
    `export const findProcedure = () => ({
      run: (_, { progress, signal }) => {
        progress(0.5, 'there');
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})));
      },
    });`,
  );
  const told: string[] = [];
  const onProcessLost = (how: string) => void told.push(how);
  const catalog = pathToFileURL(file);
  await using few = disposable(
    new ProcedurePool({ ...POOL, catalog, onProcessLost, graceMs: 20_000 }),
  );
  const first = firstMessage(few, callOf('any'));
  await first.message;
  rmSync(file);
  const second = firstMessage(few, callOf('any'));
  await eventually(() => told.length === 2);
  first.controller.abort(new Error('enough'));
  await expect(first.outcome).rejects.toThrow('enough');
  expect(await second.message).toBe('there');
  second.controller.abort(new Error('enough'));
  await expect(second.outcome).rejects.toThrow('enough');
  rmSync(root, { recursive: true });
});

function refuses(of: ProcedurePool, id: string): boolean {
  try {
    of.admit(id);
    return false;
  } catch {
    return true;
  }
}

function disposable(pool: ProcedurePool): ProcedurePool & AsyncDisposable {
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.close() });
}
