import { expect, test } from 'vitest';
import { EventHeap } from '../../../../../bench/capacity/model/event-heap.ts';
import { NumberLog, NumberLogs } from '../../../../../bench/capacity/model/number-log.ts';
import { SeededDraws } from '../../../../../bench/capacity/model/seeded-draws.ts';
import { jainIndex } from '../../../../../bench/capacity/model/simulation-log.ts';
import { percentilesOf } from '../../../../../src/cli/capacity/percentiles.ts';

test('a percentile is the smallest value that so many do not exceed', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);

  expect(percentilesOf(values)).toEqual({
    count: 100,
    mean: 50.5,
    p50: 50,
    p90: 90,
    p95: 95,
    p99: 99,
    max: 100,
  });
});

test('the percentiles of nothing are 0', () => {
  expect(percentilesOf([])).toEqual({ count: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0 });
});

test('a log keeps more figures than it had room for', () => {
  const log = new NumberLog();
  for (let i = 1; i <= 5000; i++) log.add(i);

  expect(log.percentiles()).toMatchObject({ count: 5000, p50: 2500, max: 5000 });
});

test('figures are told apart by each of their names', () => {
  const logs = new NumberLogs();
  logs.add(['a', 'x'], 1);
  logs.add(['b', 'x'], 3);

  expect([logs.of('a').max, logs.of('x').max, logs.all().count, logs.of('none').count]).toEqual([
    1, 3, 2, 0,
  ]);
});

test('Jain’s index is 1 for equal shares and 1/k where one of k has all', () => {
  expect(jainIndex([3, 3, 3])).toBeCloseTo(1);
  expect(jainIndex([0, 0, 7, 0])).toBeCloseTo(1 / 4);
});

test('events come in order of time, and those of one time in the order in which they were added', () => {
  const heap = new EventHeap<number>();
  const draws = new SeededDraws(1);
  const times = Array.from({ length: 500 }, (_, i) => Math.floor(20 * draws.uniform(i, 0)));
  for (const [i, at] of times.entries()) heap.add(at, i);

  const taken = times.map(() => heap.take());
  const sorted = times.map((_, i) => i).toSorted((a, b) => times[a]! - times[b]! || a - b);
  expect(taken).toEqual(sorted);
  expect(heap.take()).toBeUndefined();
});

test('log-normal draws have median 1 and the spread asked for', () => {
  const draws = new SeededDraws(5);
  const logs = Array.from({ length: 20_000 }, (_, i) => Math.log(draws.logNormal(i, 0, 0.4)));
  const mean = logs.reduce((sum, x) => sum + x, 0) / logs.length;
  const variance = logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / logs.length;

  expect(Math.abs(mean)).toBeLessThan(0.01);
  expect(Math.abs(Math.sqrt(variance) - 0.4)).toBeLessThan(0.01);
});
