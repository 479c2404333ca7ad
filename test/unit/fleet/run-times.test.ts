import { describe, expect, test } from 'vitest';
import { RunTimes } from '../../../src/fleet/run-times.ts';

function runTimes(...times: readonly number[]): RunTimes {
  const all = new RunTimes();
  for (const ms of times) all.add(ms);
  return all;
}

describe('RunTimes', () => {
  test('gives the mean of the last 64 circuits', () => {
    expect(runTimes().meanMs).toBe(0);
    expect(runTimes(10, 30).meanMs).toBe(20);
    const old = Array.from({ length: 100 }, () => 1000);
    const recent = Array.from({ length: 64 }, () => 5);
    expect(runTimes(...old, ...recent).meanMs).toBe(5);
  });

  test('expects no wait while a thread is free', () => {
    const underWay = [{ startedAt: 0, fraction: 0 }];
    expect(runTimes(100).expectedWaitMs(underWay, 0, 2, 50)).toBe(0);
  });

  test('expects the thread that becomes free first when nothing else waits', () => {
    const underWay = [
      // 300 ms for a quarter: 900 ms to go.
      { startedAt: 0, fraction: 0.25 },
      // No progress known, 40 of some 100 ms gone.
      { startedAt: 260, fraction: 0 },
    ];
    expect(runTimes(100).expectedWaitMs(underWay, 0, 2, 300)).toBe(60);
  });

  test('shares what waits and what is under way among the threads', () => {
    const underWay = [
      { startedAt: 0, fraction: 0.5 },
      { startedAt: 0, fraction: 0 },
    ];
    // 50 ms and 50 ms to go, and four circuits of 100 ms.
    expect(runTimes(100).expectedWaitMs(underWay, 4, 2, 50)).toBe(250);
  });
});
