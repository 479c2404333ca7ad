// @needs processes
/** Supervision, with children that the tests play themselves, and one of each real kind. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { childProcess } from '../../../src/processes/child-process.ts';
import {
  type ChildEnd,
  type ChildHandleEvents,
  childThread,
  type StartChild,
  SupervisedChild,
} from '../../../src/processes/supervised-child.ts';

const START_LIMIT_MS = 1000;

type From = { readonly kind: 'ready'; readonly name: string } | { readonly kind: 'answer' };

/** A supervised child that a test plays, and what its owner was told. */
function openChild() {
  const told: string[] = [];
  const ends: ChildEnd[] = [];
  const played: { events?: ChildHandleEvents<From>; numKills: number } = { numKills: 0 };
  const child = new SupervisedChild<object, From>(
    {
      startLimitMs: START_LIMIT_MS,
      start: (events) => {
        played.events = events;
        return {
          pid: process.pid,
          post: () => {},
          setHolding: () => {},
          kill: () => {
            played.numKills++;
            events.onExit({ how: 'signal SIGKILL' });
          },
        };
      },
    },
    {
      onReady: ({ name }) => void told.push(name),
      onMessage: ({ kind }) => void told.push(kind),
      onEnd: (end) => void ends.push(end),
    },
  );
  return { child, told, ends, played, events: played.events! };
}

describe('a supervised child', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is ready once it says so, and has all the time then', async () => {
    const { child, told, ends, events } = openChild();
    expect(child.isReady).toBe(false);
    events.onMessage({ kind: 'ready', name: 'first' });
    events.onMessage({ kind: 'answer' });
    await vi.advanceTimersByTimeAsync(10 * START_LIMIT_MS);
    expect([told, child.isReady, ends]).toEqual([['first', 'answer'], true, []]);
  });

  test('that is not ready in time is ended, which is a fault', async () => {
    const { child, ends } = openChild();
    await vi.advanceTimersByTimeAsync(START_LIMIT_MS - 1);
    expect(child.isEnding).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const how = `no sign of life for ${START_LIMIT_MS} ms`;
    expect(ends).toMatchObject([{ how, inFull: how, wasReady: false, wasIntended: false }]);
    await child.ended;
  });

  test('that is ended on purpose says so, once', async () => {
    const { child, ends, events, played } = openChild();
    events.onMessage({ kind: 'ready', name: 'first' });
    child.kill();
    child.kill('too late');
    expect(ends).toMatchObject([{ how: 'signal SIGKILL', wasReady: true, wasIntended: true }]);
    expect([played.numKills, child.isEnding, child.pid]).toEqual([1, true, undefined]);
    await child.ended;
  });

  test('that ends by itself is no intended end', () => {
    const { child, ends, events, played } = openChild();
    events.onExit({ how: 'exit code 4', inFull: 'exit code 4, saying: no driver' });
    child.kill();
    expect(ends).toMatchObject([
      { how: 'exit code 4', inFull: 'exit code 4, saying: no driver', wasIntended: false },
    ]);
    expect(played.numKills).toBe(0);
  });

  test('that misses a deadline is ended; one that is cancelled is none', async () => {
    const { child, ends, events } = openChild();
    events.onMessage({ kind: 'ready', name: 'first' });
    const cancel = child.killAfter(100, 'it said nothing for 100 ms');
    child.killAfter(300, 'it said nothing for 300 ms');
    cancel();
    await vi.advanceTimersByTimeAsync(299);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toMatchObject([{ how: 'it said nothing for 300 ms', wasIntended: false }]);
  });
});

/** The end of a child that is started as it is in the product. */
function endOf(start: StartChild<object, From>, startLimitMs = 60_000): Promise<ChildEnd> {
  return new Promise((resolve) => {
    const child = new SupervisedChild(
      { start, startLimitMs },
      { onReady: () => {}, onMessage: () => {}, onEnd: resolve },
    );
    child.setHolding(true);
  });
}

describe('the end of a child that is', () => {
  const module = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const support = (name: string) => new URL(`../../support/${name}.ts`, import.meta.url);

  test('a process that exits', async () => {
    const end = await endOf(childProcess({ entry: support('ending-process'), setup: {} }));
    expect(end).toMatchObject({ how: 'exit code 4', wasReady: false, wasKilled: false });
  });

  test('a process that somebody kills', async () => {
    const end = await endOf(childProcess({ entry: support('killed-process'), setup: {} }));
    expect(end).toMatchObject({ how: 'signal SIGKILL', wasKilled: true, wasIntended: false });
  });

  test('a process that says nothing', async () => {
    const start = childProcess<object, From>({ entry: support('silent-process'), setup: {} });
    const end = await endOf(start, 500);
    expect(end).toMatchObject({ how: 'no sign of life for 500 ms', wasKilled: false });
  });

  test('a thread with an uncaught error', async () => {
    const end = await endOf(childThread({ entry: module('throw new Error("broken")') }));
    expect(end).toMatchObject({ how: 'broken', wasReady: false, wasIntended: false });
    expect(end.cause).toBeInstanceOf(Error);
  });

  test('a thread that exits', async () => {
    const end = await endOf(childThread({ entry: module('process.exit(3)') }));
    expect(end).toMatchObject({ how: 'exit code 3', cause: undefined });
  });
});
