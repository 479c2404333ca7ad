import { describe, expect, test } from 'vitest';
import {
  addToSeed,
  MAX_SEED,
  partSeed,
  philox4x32,
  uniformDraw,
} from '../../../src/math/philox.ts';

const ALL = 0xffffffff;

describe('Philox4x32-10 gives the known answers of Random123', () => {
  type Case = readonly [
    counter: [number, number, number, number],
    key: [number, number],
    block: [number, number, number, number],
  ];
  const knownAnswers: readonly Case[] = [
    [
      [0, 0, 0, 0],
      [0, 0],
      [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
    ],
    [
      [ALL, ALL, ALL, ALL],
      [ALL, ALL],
      [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ],
  ];
  test.each(knownAnswers)('counter %j, key %j', (counter, key, block) => {
    expect(philox4x32(counter, key)).toEqual(block);
  });
});

describe('a uniform draw', () => {
  test('is the first 53 bits of its block: 27 of word 0, 26 of word 1', () => {
    const seed = 5 * 2 ** 32 + 7;
    const [high, low] = philox4x32([11, 12, 13, 0], [7, 5]);
    const bits = (BigInt(high >>> 5) << 26n) | BigInt(low >>> 6);
    expect(uniformDraw(seed, 11, 12, 13)).toBe(Number(bits) / 2 ** 53);
  });

  test('depends on every part of its counter and on both words of its seed', () => {
    const seeds = [0, 1, 2 ** 32, MAX_SEED];
    const draws = seeds.flatMap((seed) => [
      uniformDraw(seed, 0, 0, 0),
      uniformDraw(seed, 1, 0, 0),
      uniformDraw(seed, 0, 1, 0),
      uniformDraw(seed, 0, 0, 1),
      uniformDraw(seed, 2 ** 32 - 1, 0, 0),
    ]);
    expect(new Set(draws).size).toBe(draws.length);
  });

  test('fills [0, 1) evenly', () => {
    const cells = new Array<number>(64).fill(0);
    for (let shot = 0; shot < 64_000; shot++) cells[Math.floor(64 * uniformDraw(9, shot, 0, 0))]!++;
    // A draw outside would have added a 65th cell.
    expect(cells).toHaveLength(64);
    const statistic = cells.reduce((sum, n) => sum + (n - 1000) ** 2 / 1000, 0);
    // χ² with 63 degrees of freedom exceeds 135 once in about 3 million.
    expect(statistic).toBeLessThan(135);
  });
});

test.each([
  [0, 0, 0],
  [5, 7, 12],
  [MAX_SEED, 0, MAX_SEED],
  [MAX_SEED, 1, 0],
  [MAX_SEED - 1, 5, 3],
  [MAX_SEED, MAX_SEED, MAX_SEED - 1],
])('a seed goes on at 0 after the greatest: %i + %i', (seed, by, sum) => {
  expect(addToSeed(seed, by)).toBe(sum);
});

test('the first part of a run has its seed, and the others have seeds that all differ', () => {
  expect(partSeed(MAX_SEED, 0)).toBe(MAX_SEED);
  const seeds = [0, 1, 2 ** 32, MAX_SEED].flatMap((seed) =>
    [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 32 + 1].map((part) => partSeed(seed, part)),
  );
  expect(new Set(seeds).size).toBe(seeds.length);
  for (const seed of seeds) expect(Number.isSafeInteger(seed) && seed >= 0).toBe(true);
});
