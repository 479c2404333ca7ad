/** The book-keeping of a pool, with children that the tests play themselves. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ChildPool,
  type ChildPoolOptions,
  type FailedStart,
  mayRetry,
  type PooledChildEvents,
} from '../../../src/processes/child-pool.ts';
import type { ChildEnd } from '../../../src/processes/supervised-child.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LOST: ChildEnd = {
  how: 'exit code 1',
  inFull: 'exit code 1, saying: no driver',
  cause: undefined,
  isOutOfMemory: false,
  wasKilled: false,
  wasReady: true,
  wasIntended: false,
};
const NOT_STARTED: ChildEnd = { ...LOST, wasReady: false };

/** A pool of numbered children, what it was told of each, and what it told its owner. */
function openPool(options: Partial<ChildPoolOptions<number>> = {}) {
  const children: PooledChildEvents[] = [];
  const told: string[] = [];
  const failures: FailedStart[] = [];
  const pool = new ChildPool<number>(
    { start: (events) => children.push(events) - 1, ...options },
    {
      onReady: (child) => void told.push(`${child} ready`),
      onEnd: (child) => void told.push(`${child} ended`),
      onFailedStart: (failure) => {
        told.push('failed start');
        failures.push(failure);
      },
    },
  );
  return { pool, children, told, failures };
}

describe('a pool', () => {
  test('gives the child that worked last', () => {
    const { pool, children, told } = openPool();
    for (let i = 0; i < 3; i++) pool.start();
    for (const { onReady } of children) onReady();
    expect([...pool.children]).toEqual([0, 1, 2]);
    expect([pool.take(), pool.take()]).toEqual([2, 1]);
    pool.release(2);
    pool.withdraw(0);
    expect([pool.free, pool.take(), pool.take()]).toEqual([[], 2, undefined]);
    expect(told).toEqual(['0 ready', '1 ready', '2 ready']);
  });

  test('forgets a child that ended, and starts none for it by itself', async () => {
    const { pool, children, told } = openPool();
    pool.start();
    children[0]!.onReady();
    children[0]!.onEnd(LOST);
    await vi.advanceTimersByTimeAsync(100_000);
    expect([pool.children.size, pool.free.length, children.length]).toEqual([0, 0, 1]);
    expect(told).toEqual(['0 ready', '0 ended']);
  });

  test('is broken after failed starts in a row, until one succeeds', () => {
    const { pool, children, failures } = openPool();
    const fail = () => {
      pool.start();
      children.at(-1)!.onEnd(NOT_STARTED);
    };
    fail();
    expect(pool.isBroken).toBe(false);
    fail();
    expect([pool.isBroken, pool.numFailedStarts]).toEqual([true, 2]);
    expect(failures[1]).toEqual({
      how: 'exit code 1',
      inFull: 'exit code 1, saying: no driver',
      isExcused: false,
    });
    pool.start();
    children.at(-1)!.onReady();
    expect([pool.isBroken, pool.numFailedStarts]).toEqual([false, 0]);
  });

  test('starts children again once work of another one is done', () => {
    const { pool, children } = openPool();
    pool.start();
    children[0]!.onReady();
    const worker = pool.take()!;
    for (let i = 0; i < 2; i++) {
      pool.start();
      children.at(-1)!.onEnd(NOT_STARTED);
    }
    expect(pool.isBroken).toBe(true);
    pool.release(worker);
    expect([pool.isBroken, pool.numFailedStarts, pool.free]).toEqual([false, 0, [worker]]);
  });

  test('excuses starts during which somebody kills the child, up to a number', () => {
    const { pool, children, failures } = openPool({ maxKilledStarts: 3 });
    for (let i = 0; i < 4; i++) {
      pool.start();
      children.at(-1)!.onEnd({ ...NOT_STARTED, wasKilled: true });
    }
    expect(failures.map(({ isExcused }) => isExcused)).toEqual([true, true, false, false]);
    expect(pool.isBroken).toBe(true);
  });

  test('takes a start that throws for a failed one, in a later turn', async () => {
    const { pool, told, failures } = openPool({
      start: () => {
        throw new Error('no memory');
      },
    });
    pool.start();
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(failures).toEqual([
      { how: 'it could not be started', inFull: 'Error: no memory', isExcused: false },
    ]);
  });

  test('an end on purpose is no failed start', () => {
    const { pool, children, told } = openPool();
    pool.start();
    children[0]!.onEnd({ ...NOT_STARTED, wasIntended: true });
    expect(told).toEqual(['0 ended']);
  });
});

describe('a pool of a fixed size', () => {
  test('replaces what is lost at once, then after growing delays until work comes through', async () => {
    const { pool, children } = openPool({ size: 1 });
    const lose = () => {
      children.at(-1)!.onReady();
      children.at(-1)!.onEnd(LOST);
    };
    const delays: number[] = [];
    for (let i = 0; i < 4; i++) {
      lose();
      const numBefore = children.length;
      let ms = 0;
      for (; ms <= 1000 && children.length === numBefore; ms += 50) {
        await vi.advanceTimersByTimeAsync(ms === 0 ? 0 : 50);
      }
      delays.push(ms - 50);
    }
    expect(delays).toEqual([0, 100, 200, 400]);
    pool.noteSuccess();
    lose();
    await vi.advanceTimersByTimeAsync(0);
    expect(children).toHaveLength(6);
  });

  test('replaces what was ended on purpose at once', () => {
    const { children } = openPool({ size: 2 });
    children[0]!.onEnd({ ...LOST, wasIntended: true });
    expect(children).toHaveLength(3);
  });

  test('goes on trying when starts fail, and stops when it is closed', async () => {
    const { pool, children } = openPool({ size: 1, maxFailedStarts: 1 });
    children[0]!.onEnd(NOT_STARTED);
    expect(pool.isBroken).toBe(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(children).toHaveLength(2);
    children[1]!.onEnd(NOT_STARTED);
    pool.close();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(children).toHaveLength(2);
  });
});

test('work is tried three times, and ten times while somebody kills its children', () => {
  const tries = (wasKilled: boolean) => {
    let attempt = 1;
    while (mayRetry(attempt, { wasKilled })) attempt++;
    return attempt;
  };
  expect([tries(false), tries(true)]).toEqual([3, 10]);
});
