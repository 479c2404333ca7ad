// @needs processes
/** A procedure that damages its process affects no other call. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProcedurePool } from '../../../../src/workloads/procedures/procedure-pool.ts';
import { callOf, firstMessage, POOL, resultOf, running } from '../../../support/procedure-calls.ts';

let pool: ProcedurePool;
beforeAll(async () => {
  pool = new ProcedurePool(POOL);
  await pool.start();
});
afterAll(() => pool.close());

describe('a call that does not end by itself', () => {
  test('is answered at its deadline though it never yields, and its process is replaced', async () => {
    const call = callOf('spin', { deadlineMs: 150 });
    await expect(running(pool, call).outcome).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_DEADLINE',
    });
    expect(await resultOf(pool, 'echo', { a: 1 })).toMatchObject({ input: { a: 1 } });
  });

  test('is answered at its deadline though it settles never', async () => {
    const call = callOf('never-settle', { deadlineMs: 50 });
    await expect(running(pool, call).outcome).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_DEADLINE',
    });
  });

  test('is stopped by its signal, and its process goes on when it listens', async () => {
    const patient = new ProcedurePool({ ...POOL, numProcesses: 1, graceMs: 20_000 });
    try {
      const before = await resultOf(patient, 'echo');
      const call = callOf('wait-for-signal', { deadlineMs: 50 });
      await expect(running(patient, call).outcome).rejects.toMatchObject({
        code: 'WORKLOADS_TASK_DEADLINE',
      });
      expect(await resultOf(patient, 'echo')).toEqual(before);
    } finally {
      await patient.close();
    }
  });
});

describe('memory', () => {
  test.each(['hog-heap', 'hog-arrays', 'hog-arrays-between', 'one-huge-array'])(
    '%s is ended as out of memory, is not run again, and the next call runs',
    async (name) => {
      let numStarts = 0;
      const hooks = { onStarted: () => numStarts++ };
      await expect(running(pool, callOf(name), hooks).outcome).rejects.toMatchObject({
        code: 'WORKLOADS_TASK_MEMORY',
      });
      expect(numStarts).toBe(1);
      expect(await resultOf(pool, 'echo')).toMatchObject({ seed: 3 });
    },
  );
});

describe('a process that ends under its call', () => {
  test('has the call run again, and the third time is the end of it', async () => {
    const events: string[] = [];
    const { outcome } = running(pool, callOf('exit'), {
      onStarted: () => events.push('started'),
      onStartedOver: () => events.push('started over'),
    });
    await expect(outcome).rejects.toMatchObject({ code: 'WORKLOADS_TASK_LOST' });
    const again = ['started over', 'started'];
    expect(events).toEqual(['started', ...again, ...again]);
  });

  test('is reported to callers without what it printed, which is for the log', async () => {
    const told: string[] = [];
    const onProcessLost = (how: string) => void told.push(how);
    const single = new ProcedurePool({ ...POOL, numProcesses: 1, onProcessLost });
    try {
      await expect(running(single, callOf('complain')).outcome).rejects.toMatchObject({
        code: 'WORKLOADS_TASK_LOST',
        message: 'The process that ran the task ended (exit code 7).',
      });
      const inFull = 'exit code 7, saying: There is no file /secret/place.';
      expect(told).toEqual([inFull, inFull, inFull]);
    } finally {
      await single.close();
    }
  });

  test('has the call come through when it ends but once', async () => {
    const call = callOf('wait-for-signal');
    const again = Promise.withResolvers<void>();
    const first = firstMessage(pool, call, { onStartedOver: again.resolve });
    process.kill(Number(await first.message), 'SIGKILL');
    await again.promise;
    first.controller.abort(new Error('enough'));
    await expect(first.outcome).rejects.toThrow('enough');
  });
});

describe('what is thrown', () => {
  test('keeps code, message and faults where it was expected', async () => {
    await expect(running(pool, callOf('wrong-input')).outcome).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
      message: expect.stringContaining('There is no qubit 9.'),
      faults: [{ path: 'circuit[3].qubit', message: 'There is no qubit 9.' }],
    });
  });

  test.each([
    ['a bug', 'bug', /undefined/],
    ['a promise that nobody waits for', 'reject-unheard', /^Nobody heard of it\.$/],
    ['an error in a timer', 'throw-in-timer', /^From a timer\.$/],
    ['a text', 'throw-text', /a text/],
    ['nothing', 'throw-nothing', /undefined/],
    ['an object that throws when it is read', 'throw-trap', /cannot be read/],
    ['a result that is none', 'no-result', /undefined and not a JSON object/],
    ['a procedure that is not there', 'no-such-procedure', /no procedure test\/no-such-procedure/],
  ])('%s is an error without a code', async (_, name, message) => {
    const error = await running(pool, callOf(name)).outcome.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('code');
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  });

  test('of a bug the stack is that of the procedure', async () => {
    const error = await running(pool, callOf('bug')).outcome.catch((thrown: unknown) => thrown);
    expect(error).toHaveProperty('stack', expect.stringContaining('procedure-catalog'));
  });

  test('is a result beyond the limit, counted in bytes', async () => {
    await expect(resultOf(pool, 'large', { length: 4000 })).resolves.toEqual({
      text: 'é'.repeat(4000),
    });
    await expect(resultOf(pool, 'large', { length: 5000 })).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_RESULT',
    });
  });
});

describe('a process', () => {
  test('has nothing of the environment, and may not write, start, signal or make code', async () => {
    expect(await resultOf(pool, 'surroundings')).toEqual({
      environment: [],
      read: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      start: 'ERR_ACCESS_DENIED',
      thread: 'ERR_ACCESS_DENIED',
      evaluate: 'EvalError',
      signal: 'TypeError',
      network: 'undefined',
      builtin: 'undefined',
    });
  });

  test('keeps the objects that all code shares as they are', async () => {
    const single = new ProcedurePool({ ...POOL, numProcesses: 1 });
    try {
      const before = await resultOf(single, 'echo');
      const { tried } = Object(await resultOf(single, 'poison'));
      expect(new Set(tried)).toEqual(new Set(['TypeError']));
      expect(await resultOf(single, 'intrinsics')).toEqual({
        polluted: false,
        mapped: [2, 4],
        text: '[object Object]',
        parsed: { a: 1 },
      });
      // All that in one process.
      expect(await resultOf(single, 'echo')).toEqual(before);
    } finally {
      await single.close();
    }
  });
});
