import { describe, expect, test } from 'vitest';
import { CountsBuilder } from '../../../src/engine/counts-builder.ts';
import { Pacer } from '../../../src/engine/pacer.ts';
import { NEVER } from '../../support/engine-runs.ts';
import { RandomStream } from '../../support/random-stream.ts';

const pacer = () => new Pacer(NEVER, () => {});

async function countsOf(numBits: number, entries: readonly (readonly [number[], number])[]) {
  const builder = new CountsBuilder(numBits);
  for (const [words, occurrences] of entries) builder.add(Uint32Array.from(words), occurrences);
  const { outcomes, occurrences } = await builder.finish(pacer());
  return { outcomes: [...outcomes], occurrences: [...occurrences] };
}

describe('counts', () => {
  test('keep outcomes that come ascending as they are', async () => {
    const counts = await countsOf(3, [
      [[0], 4],
      [[5], 1],
      [[7], 2],
    ]);
    expect(counts).toEqual({ outcomes: [0, 5, 7], occurrences: [4, 1, 2] });
  });

  test('sort outcomes, and take equal ones together', async () => {
    const counts = await countsOf(32, [
      [[0x80000000], 1],
      [[5], 2],
      [[0x80000000], 3],
      [[0x01000000], 4],
      [[5], 5],
    ]);
    expect(counts).toEqual({ outcomes: [5, 0x01000000, 0x80000000], occurrences: [7, 4, 4] });
  });

  test('take neighbours together that are equal from the start', async () => {
    const counts = await countsOf(2, [
      [[1], 1],
      [[1], 2],
    ]);
    expect(counts).toEqual({ outcomes: [1], occurrences: [3] });
  });

  test('compare long outcomes from their highest word', async () => {
    const counts = await countsOf(64, [
      [[0, 2], 1],
      [[9, 1], 2],
      [[8, 1], 3],
    ]);
    expect(counts).toEqual({ outcomes: [8, 1, 9, 1, 0, 2], occurrences: [3, 2, 1] });
  });

  test('of nothing are empty', async () => {
    expect(await countsOf(5, [])).toEqual({ outcomes: [], occurrences: [] });
  });

  test.each([1, 7, 33, 1024])('of %i bits agree with a map of strings', async (numBits) => {
    const stream = new RandomStream(numBits);
    const numWords = Math.ceil(numBits / 32);
    const expected = new Map<string, number>();
    const entries = Array.from({ length: 500 }, () => {
      const words = Array.from({ length: numWords }, () => stream.below(3));
      const key = [...words].reverse().join(',');
      expected.set(key, (expected.get(key) ?? 0) + 2);
      return [words, 2] as const;
    });
    const { outcomes, occurrences } = await countsOf(numBits, entries);
    const keys = occurrences.map((_, i) =>
      outcomes
        .slice(i * numWords, (i + 1) * numWords)
        .reverse()
        .join(','),
    );
    expect(new Map(keys.map((key, i) => [key, occurrences[i]!]))).toEqual(expected);
    // Single digits, so that the order of texts is that of numbers.
    expect(keys).toEqual([...expected.keys()].sort());
  });
});
