import { expect, test } from 'vitest';
import type { Tally } from '../../../src/fleet/error-counting.ts';
import { TaskCounts } from '../../../src/service/experiments/task-counts.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

const tally = (errors: number, discards = 0): Tally => ({
  shots: 1024,
  errors,
  discards,
  errorProbability: 0,
  ms: 1,
});

testSeeds('counts do not depend on the order in which chunks come', seeds(50), (seed) => {
  const stream = new RandomStream(seed);
  const tallies = Array.from({ length: 40 }, () => tally(stream.below(100), stream.below(9)));
  const rules = [
    { maxShots: 40 * 1024 },
    { maxShots: 40 * 1024, maxErrors: 1 + stream.below(1500) },
    { maxShots: 40 * 1024, relativeError: 0.05 + 0.2 * stream.uniform() },
  ];
  for (const rule of rules) {
    const inOrder = new TaskCounts(rule);
    for (const [i, each] of tallies.entries()) inOrder.add(i, each);
    const shuffled = new TaskCounts(rule);
    for (const i of stream.distinct(40, 40)) shuffled.add(i, tallies[i]!);
    expect(shuffled.counted).toEqual(inOrder.counted);
    expect(shuffled.isDone).toBe(true);
    // Those of a service that is started again after any number of chunks, too.
    const half = new TaskCounts(rule);
    const last = stream.below(inOrder.counted.numChunks);
    for (let i = 0; i < last; i++) half.add(i, tallies[i]!);
    const resumed = new TaskCounts(rule, half.counted);
    for (let i = last; i < 40; i++) resumed.add(i, tallies[i]!);
    expect(resumed.counted).toEqual(inOrder.counted);
  }
});

test('a task ends with the chunk that brings it to its errors', () => {
  const counts = new TaskCounts({ maxShots: 10 ** 12, maxErrors: 25 });
  counts.add(0, tally(20));
  expect(counts.isDone).toBe(false);
  expect(counts.expectedChunks).toBe(2);
  counts.add(1, tally(20));
  counts.add(2, tally(20));
  expect(counts).toMatchObject({ isDone: true, counted: { errors: 40, shots: 2048 } });
});

test('without errors so far a task is expected to take all its shots', () => {
  const counts = new TaskCounts({ maxShots: 10_240, maxErrors: 25 });
  counts.add(0, tally(0));
  expect(counts.expectedChunks).toBe(10);
});
