import { expect, test } from 'vitest';
import { countOutcomes } from '../../../../src/engine/stabilizer/run-stabilizer.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { seeds, testSeeds } from '../../../support/seeds.ts';

const slicer = () => new TimeSlicer(NEVER, () => {});

/** Compares outcomes by their highest word first. */
function byValue(a: readonly number[], b: readonly number[]): number {
  const word = a.findLastIndex((value, i) => value !== b[i]);
  return word < 0 ? 0 : a[word]! - b[word]!;
}

testSeeds('equal outcomes are counted, in ascending order', seeds(10), async (seed) => {
  const stream = new RandomStream(seed);
  const stride = 1 + (seed % 4);
  // Few values a word, some beyond 2^31, so that words agree as often as they differ.
  const shots = Array.from({ length: 500 }, () =>
    Array.from({ length: stride }, () => stream.pick([0, 1, 7, 2 ** 31, 2 ** 32 - 1])),
  );
  const counts = await countOutcomes(Uint32Array.from(shots.flat()), stride, 32 * stride, slicer());
  const expected = new Map<string, number>();
  for (const shot of shots.toSorted(byValue)) {
    expected.set(shot.join(), (expected.get(shot.join()) ?? 0) + 1);
  }
  const outcomes = Array.from(counts.occurrences, (_, i) =>
    counts.outcomes.subarray(i * stride, (i + 1) * stride).join(),
  );
  expect(outcomes).toEqual([...expected.keys()]);
  expect([...counts.occurrences]).toEqual([...expected.values()]);
});

test('no shots have no outcomes', async () => {
  const counts = await countOutcomes(new Uint32Array(0), 2, 40, slicer());
  expect(counts.occurrences).toHaveLength(0);
});
