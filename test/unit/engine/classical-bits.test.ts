import { describe, expect, test } from 'vitest';
import { conditionHolds, wordsFor, writeBit } from '../../../src/engine/classical-bits.ts';

describe('the classical register', () => {
  test.each([
    [0, 1],
    [1, 1],
    [32, 1],
    [33, 2],
    [1024, 32],
  ])('of %i bits takes %i words', (numBits, words) => {
    expect(wordsFor(numBits)).toBe(words);
  });

  test('writes one bit and leaves the others', () => {
    const words = Uint32Array.of(0, 0xffffffff);
    writeBit(words, 31, 1);
    writeBit(words, 32, 0);
    expect([...words]).toEqual([0x80000000, 0xfffffffe]);
  });
});

describe('a condition', () => {
  const words = Uint32Array.of(0b110, 0b1);

  test.each([
    [[1], 1, true],
    [[0], 1, false],
    [[0, 1], 2, true],
    [[1, 0], 1, true],
    [[1, 0], 2, false],
    [[32, 0, 2], 5, true],
    [[1], 3, false],
  ])('that bits %j read %i holds: %s', (bits, value, holds) => {
    expect(conditionHolds({ bits, value }, words)).toBe(holds);
  });

  test('on more bits than a word is read in full', () => {
    const bits = Array.from({ length: 40 }, (_, i) => i);
    const all = Uint32Array.of(0xffffffff, 0xff);
    expect(conditionHolds({ bits, value: 2 ** 40 - 1 }, all)).toBe(true);
    expect(conditionHolds({ bits, value: 2 ** 40 - 2 }, all)).toBe(false);
    expect(conditionHolds({ bits, value: 2 ** 39 - 1 }, all)).toBe(false);
  });

  test('that is absent holds', () => {
    expect(conditionHolds(undefined, words)).toBe(true);
  });
});
