import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HealthMonitor, type HealthMonitorOptions } from '../../../src/fleet/health-monitor.ts';
import type { Availability } from '../../../src/fleet/processor.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A monitor of a processor whose self-test does as `behaviour` says at the time. */
function monitored(
  behaviour: { current: 'pass' | 'wrong' | 'throw' | 'hang' | 'wait' },
  times: Pick<HealthMonitorOptions, 'intervalMs' | 'longestRetryMs' | 'limitMs' | 'stallMs'> = {},
) {
  const starts: number[] = [];
  const changes: Availability[] = [];
  let lastSignOfLife = 0;
  const monitor = new HealthMonitor({
    ...times,
    now: () => 1_000_000 + performance.now(),
    lastSignOfLife: () => lastSignOfLife,
    onChange: (availability) => changes.push(availability),
    selfTest: async (onStarted, signal) => {
      starts.push(performance.now());
      if (behaviour.current !== 'wait') onStarted();
      if (behaviour.current === 'throw') throw new Error('the engine is gone');
      if (behaviour.current === 'wrong') return 'A wrong amplitude.';
      if (behaviour.current === 'pass') return undefined;
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return undefined;
    },
  });
  const live = () => {
    lastSignOfLife = performance.now();
  };
  return { monitor, starts, changes, live };
}

describe('HealthMonitor', () => {
  test('says not available until the first self-test has passed', async () => {
    const { monitor } = monitored({ current: 'pass' });
    expect(monitor.availability).toEqual({
      available: false,
      reason: 'The first self-test is not through yet.',
      checkedAt: 1_000_000,
      retryAfterS: 1,
    });
    await vi.advanceTimersByTimeAsync(5);
    await monitor.check();
    expect(monitor.availability).toEqual({ available: true, checkedAt: 1_000_005 });
  });

  test('repeats the self-test every 30 seconds and says when the last one was', async () => {
    const { monitor, starts } = monitored({ current: 'pass' });
    await monitor.check();
    await vi.advanceTimersByTimeAsync(65_000);
    expect(starts).toEqual([0, 30_000, 60_000]);
    expect(monitor.availability.checkedAt).toBe(1_060_000);
  });

  test('says not available on a wrong answer, with the reason, and recovers by itself', async () => {
    const behaviour: Parameters<typeof monitored>[0] = { current: 'wrong' };
    const { monitor, changes } = monitored(behaviour);
    await monitor.check();
    expect(monitor.availability).toMatchObject({
      available: false,
      reason: 'A wrong amplitude.',
      retryAfterS: 1,
    });
    behaviour.current = 'pass';
    await vi.advanceTimersByTimeAsync(1);
    expect(monitor.availability.available).toBe(true);
    expect(changes.map(({ available }) => available)).toEqual([false, true]);
  });

  test('tries again at once after a failure and then ever later, up to 30 seconds', async () => {
    const { monitor, starts } = monitored({ current: 'throw' });
    await monitor.check();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(starts).toEqual([0, 0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000]);
    expect(monitor.availability.reason).toBe('The self-test failed: the engine is gone');
    expect(monitor.availability.retryAfterS).toBe(21);
  });

  test('tries again more often than it tests what is well, where that is wanted', async () => {
    const behaviour: Parameters<typeof monitored>[0] = { current: 'throw' };
    const times = { intervalMs: 100_000, longestRetryMs: 2000 };
    const { monitor, starts } = monitored(behaviour, times);
    await monitor.check();
    await vi.advanceTimersByTimeAsync(6000);
    behaviour.current = 'pass';
    await vi.advanceTimersByTimeAsync(101_500);
    expect(starts).toEqual([0, 0, 1000, 3000, 5000, 7000, 107_000]);
  });

  test('fails a self-test that has started and is not through after 10 seconds', async () => {
    const { monitor } = monitored({ current: 'hang' });
    const outcome = monitor.check();
    await vi.advanceTimersByTimeAsync(10_000);
    await outcome;
    expect(monitor.availability.reason).toBe('The self-test was not through after 10000 ms.');
  });

  test('says to look again in a second while a self-test is under way', async () => {
    const behaviour: Parameters<typeof monitored>[0] = { current: 'wrong' };
    const { monitor, starts } = monitored(behaviour);
    await monitor.check();
    behaviour.current = 'hang';
    await vi.advanceTimersByTimeAsync(5000);
    expect(starts).toHaveLength(2);
    expect(monitor.availability).toMatchObject({ reason: 'A wrong amplitude.', retryAfterS: 1 });
  });

  test('gives a self-test that starts over its whole time again, and leaves no limit behind', async () => {
    const changes: Availability[] = [];
    const starts: (() => void)[] = [];
    const ends: ((fault: undefined) => void)[] = [];
    const monitor = new HealthMonitor({
      now: () => 0,
      lastSignOfLife: () => 0,
      onChange: (availability) => changes.push(availability),
      selfTest: async (onStarted, signal) => {
        starts.push(onStarted);
        return await new Promise((resolve, reject) => {
          ends.push(resolve);
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      },
    });
    const checked = monitor.check();
    starts[0]?.();
    await vi.advanceTimersByTimeAsync(9000);
    starts[0]?.();
    await vi.advanceTimersByTimeAsync(9000);
    expect(changes).toEqual([]);
    ends[0]?.(undefined);
    await checked;
    expect(changes).toEqual([{ available: true, checkedAt: 0 }]);
    monitor.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('lets the last outcome stand while a self-test waits and circuits make progress', async () => {
    const behaviour: Parameters<typeof monitored>[0] = { current: 'pass' };
    const { monitor, live } = monitored(behaviour);
    await monitor.check();
    behaviour.current = 'wait';
    for (let minute = 0; minute < 10; minute++) {
      await vi.advanceTimersByTimeAsync(59_000);
      live();
    }
    expect(monitor.availability).toEqual({ available: true, checkedAt: 1_000_000 });
    monitor.close();
  });

  test('says not available when a self-test waits and nothing has moved for a minute', async () => {
    const behaviour: Parameters<typeof monitored>[0] = { current: 'pass' };
    const { monitor } = monitored(behaviour);
    await monitor.check();
    behaviour.current = 'wait';
    await vi.advanceTimersByTimeAsync(30_000 + 59_000);
    expect(monitor.availability.available).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(monitor.availability).toMatchObject({
      available: false,
      reason: expect.stringContaining('60000 ms'),
    });
    monitor.close();
  });

  test('does not take a self-test that has started for one that waits', async () => {
    const { monitor, changes } = monitored({ current: 'hang' }, { limitMs: 5000, stallMs: 1000 });
    const outcome = monitor.check();
    await vi.advanceTimersByTimeAsync(4000);
    expect(changes).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1000);
    await outcome;
    expect(changes).toHaveLength(1);
    monitor.close();
  });

  test('joins the self-test under way instead of running two', async () => {
    const { monitor, starts } = monitored({ current: 'pass' });
    await Promise.all([monitor.check(), monitor.check()]);
    expect(starts).toHaveLength(1);
  });

  test('runs no self-test once closed, and ends the one under way', async () => {
    const { monitor, starts, changes } = monitored({ current: 'hang' });
    const outcome = monitor.check();
    monitor.close();
    await outcome;
    await monitor.check();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(starts).toHaveLength(1);
    expect(changes).toHaveLength(0);
  });
});
