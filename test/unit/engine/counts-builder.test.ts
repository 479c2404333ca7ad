import { describe, expect, test } from 'vitest';
import { CountsBuilder } from '../../../src/engine/counts-builder.ts';
import { TimeSlicer } from '../../../src/engine/time-slicer.ts';
import { NEVER } from '../../support/engine-runs.ts';
import { RandomStream } from '../../support/random-stream.ts';

const slicer = () => new TimeSlicer(NEVER, () => {});

async function countsOf(numBits: number, entries: readonly (readonly [number[], number])[]) {
  const builder = new CountsBuilder(numBits);
  for (const [words, occurrences] of entries) builder.add(Uint32Array.from(words), occurrences);
  const { outcomes, occurrences } = await builder.finish(slicer());
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

  describe('handed over many at a time', () => {
    const finished = async (numBits: number, fill: (builder: CountsBuilder) => void) => {
      const builder = new CountsBuilder(numBits);
      fill(builder);
      const { outcomes, occurrences } = await builder.finish(slicer());
      return { outcomes: [...outcomes], occurrences: [...occurrences] };
    };

    test('become the list itself where they ascend', async () => {
      const outcomes = Uint32Array.of(1, 4, 0x80000000);
      const builder = new CountsBuilder(32);
      builder.addWords(outcomes, Uint32Array.of(3, 2, 1));
      const counts = await builder.finish(slicer());
      expect(counts.outcomes).toBe(outcomes);
      expect([...counts.occurrences]).toEqual([3, 2, 1]);
    });

    test('follow on what came before, and are followed', async () => {
      const counts = await finished(4, (builder) => {
        builder.add(Uint32Array.of(1), 1);
        builder.addWords(Uint32Array.of(2, 5), Uint32Array.of(2, 3));
        builder.addWords(Uint32Array.of(6), Uint32Array.of(4));
        builder.add(Uint32Array.of(9), 5);
      });
      expect(counts).toEqual({ outcomes: [1, 2, 5, 6, 9], occurrences: [1, 2, 3, 4, 5] });
    });

    test.each([
      ['by the last before them', [[2], [2, 3]]],
      ['among themselves', [[1], [3, 2, 2, 3]]],
      ['by one after them', [[], [1, 3], [2]]],
    ])('are sorted and taken together where the order is broken %s', async (_, parts) => {
      const counts = await finished(3, (builder) => {
        for (const part of parts) {
          builder.addWords(
            Uint32Array.from(part),
            Uint32Array.from(part, (value) => 10 * value),
          );
        }
      });
      const all = parts.flat();
      const distinct = [...new Set(all)].sort((a, b) => a - b);
      const sums = distinct.map((value) => 10 * value * all.filter((v) => v === value).length);
      expect(counts).toEqual({ outcomes: distinct, occurrences: sums });
    });

    test.each([
      [20, 3],
      [900, 32],
      [4095, 13],
      [4096, 13],
      [20_000, 14],
      [20_000, 25],
      [20_000, 32],
    ])('%i of %i bits agree with a map', async (length, numBits) => {
      const stream = new RandomStream(length + numBits);
      const outcomes = Uint32Array.from({ length }, () => stream.below(2 ** numBits));
      const expected = new Map<number, number>();
      for (const [i, outcome] of outcomes.entries()) {
        expected.set(outcome, (expected.get(outcome) ?? 0) + i + 1);
      }
      const counts = await finished(numBits, (builder) =>
        builder.addWords(
          outcomes,
          Uint32Array.from({ length }, (_, i) => i + 1),
        ),
      );
      const sorted = [...expected].sort(([a], [b]) => a - b);
      expect(counts.outcomes).toEqual(sorted.map(([outcome]) => outcome));
      expect(counts.occurrences).toEqual(sorted.map(([, sum]) => sum));
    });

    test('end in buffers of their own size, since a thread is sent the whole buffer', async () => {
      const padded = new Uint32Array(100);
      padded.set([3, 5]);
      const builder = new CountsBuilder(3);
      builder.addWords(padded.subarray(0, 2), Uint32Array.of(1, 1));
      const counts = await builder.finish(slicer());
      expect([...counts.outcomes]).toEqual([3, 5]);
      expect(counts.outcomes.buffer.byteLength).toBe(8);
      const merged = new CountsBuilder(3);
      merged.addWords(Uint32Array.of(3, 3, 1), Uint32Array.of(1, 1, 1));
      expect((await merged.finish(slicer())).outcomes.buffer.byteLength).toBe(8);
    });
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

  test('copy an outcome from the place in an array where it begins', async () => {
    const builder = new CountsBuilder(33);
    builder.add(Uint32Array.of(9, 1, 0, 2, 1), 3, 3);
    builder.add(Uint32Array.of(9, 1, 0, 2, 1), 4, 1);
    const { outcomes, occurrences } = await builder.finish(slicer());
    expect([[...outcomes], [...occurrences]]).toEqual([
      [1, 0, 2, 1],
      [4, 3],
    ]);
  });

  test('that are merged are work for each outcome, beside that of sorting', async () => {
    const units: number[] = [];
    class Watched extends TimeSlicer {
      override spend(done: number): boolean {
        units.push(done);
        return super.spend(done);
      }
    }
    const builder = new CountsBuilder(33);
    for (let i = 100; i > 0; i--) builder.add(Uint32Array.of(i, 0), 1);
    await builder.finish(new Watched(NEVER, () => {}));
    const numBytes = 8;
    expect(units).toHaveLength(numBytes + 100);
  });
});
