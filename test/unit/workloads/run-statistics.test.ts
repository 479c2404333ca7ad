import { describe, expect, test } from 'vitest';
import { RunStatistics } from '../../../src/workloads/run-statistics.ts';

/** A clock that stands still until it is moved. */
function openStatistics(windowMs = 60_000) {
  const clock = { now: 1_000_000, setBy: 0 };
  const elapsedMs = () => clock.now;
  const now = () => clock.now + clock.setBy;
  return { clock, statistics: new RunStatistics({ now, elapsedMs, windowMs }) };
}

describe('RunStatistics', () => {
  test('knows nothing before the first run, and says so in finite numbers', () => {
    const { statistics } = openStatistics();
    expect(statistics.snapshot()).toEqual({
      completed: 0,
      failed: 0,
      cancelled: 0,
      completedPerS: 0,
      unitsPerS: 0,
      windowS: 1,
      measuredAt: 1_000_000,
      p50Ms: null,
      p95Ms: null,
    });
  });

  test('divides by the time since the start while the window is not full', () => {
    const { clock, statistics } = openStatistics();
    for (let i = 0; i < 6; i++) statistics.finished('completed', 10, 50);
    clock.now += 10_000;
    const { completedPerS, unitsPerS, windowS, measuredAt } = statistics.snapshot();
    expect(windowS).toBe(10);
    expect(completedPerS).toBeCloseTo(0.6, 12);
    expect(unitsPerS).toBeCloseTo(30, 12);
    expect(measuredAt).toBe(1_010_000);
  });

  test('takes at least one bucket of time for the rate of a first run', () => {
    const { clock, statistics } = openStatistics();
    clock.now += 1;
    statistics.finished('completed', 1, 1);
    expect(statistics.snapshot()).toMatchObject({ completedPerS: 1, windowS: 1 });
  });

  test('forgets what the window has passed, but not the totals', () => {
    const { clock, statistics } = openStatistics();
    statistics.finished('completed', 10, 5);
    clock.now += 59_999;
    expect(statistics.snapshot().completedPerS).toBeCloseTo(1 / 60, 5);
    clock.now += 1;
    expect(statistics.snapshot()).toMatchObject({ completed: 1, completedPerS: 0, unitsPerS: 0 });
  });

  test('tells a steady rate as it is, however long it lasts', () => {
    const { clock, statistics } = openStatistics();
    for (let i = 0; i < 1000; i++) {
      clock.now += 250;
      statistics.finished('completed', 10, 3);
      if (i < 20) continue;
      const { completedPerS, unitsPerS } = statistics.snapshot();
      expect(Math.abs(completedPerS - 4)).toBeLessThan(0.2);
      expect(unitsPerS / completedPerS).toBeCloseTo(3, 9);
    }
  });

  test('starts the rate from nothing after a pause longer than many windows', () => {
    const { clock, statistics } = openStatistics();
    for (let i = 0; i < 100; i++) statistics.finished('completed', 10, 1);
    clock.now += 1e9;
    expect(statistics.snapshot().completedPerS).toBe(0);
    statistics.finished('completed', 10, 1);
    const { completedPerS, windowS } = statistics.snapshot();
    expect(completedPerS * windowS).toBeCloseTo(1, 9);
  });

  test('counts failed and cancelled runs apart, and not in rates or durations', () => {
    const { clock, statistics } = openStatistics();
    statistics.finished('failed', 900, 7);
    statistics.finished('cancelled', 900, 7);
    statistics.finished('completed', 10, 2);
    clock.now += 2_000;
    expect(statistics.snapshot()).toMatchObject({
      completed: 1,
      failed: 1,
      cancelled: 1,
      completedPerS: 0.5,
      unitsPerS: 1,
      p50Ms: 10,
      p95Ms: 10,
    });
  });

  test('tells percentiles of the last 256 durations by nearest rank', () => {
    const { statistics } = openStatistics();
    for (let ms = 1; ms <= 100; ms++) statistics.finished('completed', ms, 1);
    expect(statistics.snapshot()).toMatchObject({ p50Ms: 50, p95Ms: 95 });
    for (let i = 0; i < 256; i++) statistics.finished('completed', 7, 1);
    expect(statistics.snapshot()).toMatchObject({ p50Ms: 7, p95Ms: 7 });
  });

  test.each([-3_600_000, 3_600_000])(
    'keeps its window when the clock of the machine is set by %d ms',
    (setBy) => {
      const { clock, statistics } = openStatistics();
      clock.now += 30_000;
      for (let i = 0; i < 60; i++) statistics.finished('completed', 10, 1);
      clock.setBy = setBy;
      expect(statistics.snapshot()).toMatchObject({
        completedPerS: 2,
        windowS: 30,
        measuredAt: 1_030_000 + setBy,
      });
      statistics.finished('completed', 10, 1);
      clock.now += 30_001;
      expect(statistics.snapshot()).toMatchObject({
        completed: 61,
        unitsPerS: expect.closeTo(1, 1),
      });
    },
  );

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a window of %d ms', (ms) => {
    expect(() => openStatistics(ms)).toThrow(RangeError);
  });
});
