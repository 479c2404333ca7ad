import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  shuffled,
  stratifiedSplits,
} from '../../../../../src/workloads/algorithms/training/model-evaluation.ts';
import { RandomStream } from '../../../../support/random-stream.ts';

const cases = fc
  .record({
    labels: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 60 }),
    numFolds: fc.integer({ min: 2, max: 10 }),
    numRepeats: fc.integer({ min: 1, max: 4 }),
    seed: fc.nat(),
  })
  .filter(({ labels, numFolds }) => numFolds <= labels.length);
const RUNS = { seed: 20, numRuns: 200 };

describe('stratified splits', () => {
  test('test every row once a repeat, and train on all others', () => {
    fc.assert(
      fc.property(cases, ({ labels, ...options }) => {
        const splits = stratifiedSplits(labels, options);
        expect(splits).toHaveLength(options.numFolds * options.numRepeats);
        const all = labels.map((_, row) => row);
        for (let repeat = 0; repeat < options.numRepeats; repeat++) {
          const ofRepeat = splits.filter((split) => split.repeat === repeat);
          expect(ofRepeat.map(({ fold }) => fold)).toEqual([...ofRepeat.keys()]);
          expect(ofRepeat.flatMap((split) => split.test).sort((a, b) => a - b)).toEqual(all);
          for (const { train, test } of ofRepeat) {
            expect([...train, ...test].sort((a, b) => a - b)).toEqual(all);
          }
        }
      }),
      RUNS,
    );
  });

  test('give each fold its share of each class, and of all rows, within one', () => {
    fc.assert(
      fc.property(cases, ({ labels, ...options }) => {
        for (const { test } of stratifiedSplits(labels, options)) {
          for (const label of [0, 1, 2]) {
            const share = labels.filter((other) => other === label).length / options.numFolds;
            const found = test.filter((row) => labels[row] === label).length;
            expect(Math.abs(found - share)).toBeLessThan(1);
          }
          expect(Math.abs(test.length - labels.length / options.numFolds)).toBeLessThan(1);
        }
      }),
      RUNS,
    );
  });

  const labels = Array.from({ length: 40 }, (_, row) => row % 2);
  const splitsOf = (seed: number) => stratifiedSplits(labels, { numFolds: 4, numRepeats: 3, seed });

  test('are those of their seed', () => {
    expect(splitsOf(7)).toEqual(splitsOf(7));
    expect(splitsOf(7)).not.toEqual(splitsOf(8));
  });

  test('differ from repeat to repeat, and classes are dealt apart', () => {
    const [first, , , , second] = splitsOf(7);
    expect(second!.test).not.toEqual(first!.test);
    const evens = first!.test.filter((row) => row % 2 === 0).map((row) => row / 2);
    const odds = first!.test.filter((row) => row % 2 === 1).map((row) => (row - 1) / 2);
    expect(evens).not.toEqual(odds);
  });

  test('put any two rows into one fold as often as chance does', () => {
    const splits = stratifiedSplits(labels, { numFolds: 4, numRepeats: 2000, seed: 3 });
    const together = splits.filter(({ test }) => test.includes(0) && test.includes(2)).length;
    // 4 of the other 19 rows of the class share row 0's fold: 421 of 2000, give or take 18.
    expect(Math.abs(together - (2000 * 4) / 19)).toBeLessThan(4 * 18.3);
  });

  test.each([1, 41, 2.5])('of %d folds are refused', (numFolds) => {
    expect(() => stratifiedSplits(labels, { numFolds, numRepeats: 1, seed: 0 })).toThrow(
      RangeError,
    );
  });
});

test('every order of three is drawn equally often', () => {
  const stream = new RandomStream(5);
  const times = new Map<string, number>();
  for (let i = 0; i < 6000; i++) {
    const order = shuffled(['a', 'b', 'c'], () => stream.uniform()).join('');
    times.set(order, (times.get(order) ?? 0) + 1);
  }
  expect(times.size).toBe(6);
  for (const count of times.values()) expect(Math.abs(count - 1000)).toBeLessThan(4 * 29);
});
