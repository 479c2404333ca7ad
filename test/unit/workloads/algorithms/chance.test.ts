/** Random numbers of a run: separate streams, and seeds from which batches may count upwards. */
import { expect, test } from 'vitest';
import { MAX_SEED } from '../../../../src/math/philox.ts';
import { Chance, drawMultinomial } from '../../../../src/workloads/algorithms/chance.ts';

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

test('a multinomial draw spreads its trials by their probabilities', () => {
  const probabilities = [0.5, 0, 0.3, 0.2];
  const counts = drawMultinomial(new Chance(4, 0), 40_000, probabilities);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40_000);
  for (const [i, p] of probabilities.entries()) {
    expect(Math.abs(counts[i]! - 40_000 * p)).toBeLessThanOrEqual(
      4 * Math.sqrt(40_000 * p * (1 - p)),
    );
  }
  expect(drawMultinomial(new Chance(4, 0), 10, [1])).toEqual([10]);
});
