import { describe, expect, test } from 'vitest';
import { hashOfWords } from '../../../src/math/word-hash.ts';
import { RandomStream } from '../../support/random-stream.ts';

describe('hashOfWords', () => {
  test('depends on the words alone, wherever they are', () => {
    const words = Int32Array.of(7, -1, 3, 4, 7, -1, 3);
    expect(hashOfWords(words, 4, 7)).toBe(hashOfWords(words, 0, 3));
    expect(hashOfWords(new Uint32Array(words.buffer), 4, 7)).toBe(hashOfWords(words, 0, 3));
  });

  test('tells lengths and orders apart', () => {
    const words = Int32Array.of(0, 0, 1, 0);
    const hashes = [hashOfWords(words, 0, 1), hashOfWords(words, 0, 2), hashOfWords(words, 2, 4)];
    expect(new Set([...hashes, hashOfWords(words, 1, 3)]).size).toBe(4);
  });

  test('spreads doubles that differ in few bits', () => {
    const random = new RandomStream(1);
    const values = Float64Array.from({ length: 20_000 }, () => Math.cos(random.below(1e9) / 1e9));
    const words = new Int32Array(values.buffer);
    const hashes = new Set(Array.from(values, (_, i) => hashOfWords(words, 2 * i, 2 * i + 2)));
    // 20,000 of 2^32 hashes collide 0.05 times on average; equal values are rare, too.
    expect(hashes.size).toBeGreaterThan(new Set(values).size - 10);
  });
});
