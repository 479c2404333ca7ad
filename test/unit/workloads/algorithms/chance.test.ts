/** Random numbers of a run: separate streams, and seeds from which batches may count upwards. */
import { expect, test } from 'vitest';
import { MAX_SEED } from '../../../../src/math/philox.ts';
import { Chance } from '../../../../src/workloads/algorithms/chance.ts';

const draws = (seed: number, stream: number) => {
  const chance = new Chance(seed, stream);
  return Array.from({ length: 100 }, () => chance.uniform());
};

test('a stream depends on its seed and number alone, and no two share a draw', () => {
  expect(draws(1, 0)).toEqual(draws(1, 0));
  const all = [...draws(1, 0), ...draws(1, 1), ...draws(2, 0), ...draws(MAX_SEED, 0)];
  expect(new Set(all).size).toBe(400);
});

test('seeds leave room for a batch, and bits and bounds are kept to', () => {
  const chance = new Chance(3, 2);
  for (let i = 0; i < 1_000; i++) {
    const seed = chance.seed();
    expect(Number.isSafeInteger(seed + 2 ** 32)).toBe(true);
    expect(seed).toBeGreaterThanOrEqual(0);
    expect([0, 1]).toContain(chance.bit());
    expect([0, 1, 2, 3, 4]).toContain(chance.below(5));
  }
});
