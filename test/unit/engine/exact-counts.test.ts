import { describe, expect, test } from 'vitest';
import type {
  BatchExecutable,
  BatchRequest,
  BatchResult,
} from '../../../src/engine/batch-request.ts';
import { withExactCounts } from '../../../src/engine/exact-counts.ts';
import { NEVER } from '../../support/engine-runs.ts';

/** A batch of circuits of two angles and one bit; notes what it is asked. */
function fakeBatch(answer: (request: BatchRequest) => BatchResult) {
  const asked: BatchRequest[] = [];
  let numDisposed = 0;
  const batch: BatchExecutable = {
    numAngles: 2,
    run: async (request) => {
      asked.push(request);
      return answer(request);
    },
    [Symbol.asyncDispose]: async () => void numDisposed++,
  };
  return { batch, asked, numDisposed: () => numDisposed };
}

/** Of single precision: circuit k has the counts [k, 10]. */
const single = (undecided?: readonly number[]) =>
  fakeBatch(({ numCircuits }) => ({
    counts: Uint32Array.from({ length: 2 * numCircuits }, (_, i) => (i % 2 === 0 ? i / 2 : 10)),
    expectations: new Float64Array(numCircuits).fill(0.5),
    ...(undecided && { undecided: Uint32Array.from(undecided) }),
  }));

/** Of double precision: the counts are the first angle and the seed. */
const double = () =>
  fakeBatch(({ angles, seeds }) => ({
    counts: Uint32Array.from(Array.from(seeds!, (seed, k) => [angles[2 * k]!, seed]).flat()),
  }));

const ANGLES = Float64Array.of(100, 0, 101, 0, 102, 0, 103, 0);
const REQUEST: BatchRequest = { numCircuits: 4, angles: ANGLES, shots: 7, seed: 20 };

describe('a batch with exact counts', () => {
  test.each([
    [{}, [20, 22]],
    [{ seeds: [5, 6, 7, 8] }, [5, 7]],
  ])('takes those of undecided circuits from double precision: %o', async (seeds, own) => {
    const [first, second] = [single([0, 2]), double()];
    await using batch = withExactCounts(first.batch, async () => second.batch);
    expect(batch.numAngles).toBe(2);
    const asked = { ...REQUEST, ...seeds, observables: [[]], probabilities: true };
    const { counts, expectations, undecided } = await batch.run(asked, NEVER);
    expect([...counts!]).toEqual([100, own[0], 1, 10, 102, own[1], 3, 10]);
    expect([...expectations!]).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(undecided).toBeUndefined();
    // Nothing but the counts is computed again.
    expect(Object.keys(second.asked[0]!).sort()).toEqual([
      'angles',
      'numCircuits',
      'seeds',
      'shots',
    ]);
    expect(second.asked[0]!.shots).toBe(7);
  });

  test('prepares double precision once, where a circuit is undecided, and disposes of both', async () => {
    for (const [undecided, numPrepared] of [
      [undefined, 0],
      [[], 0],
      [[3], 1],
    ] as const) {
      const [first, second] = [single(undecided), double()];
      let prepared = 0;
      const batch = withExactCounts(first.batch, async () => {
        prepared++;
        return second.batch;
      });
      await Promise.all([batch.run(REQUEST, NEVER), batch.run(REQUEST, NEVER)]);
      expect(prepared).toBe(numPrepared);
      await batch[Symbol.asyncDispose]();
      expect([first.numDisposed(), second.numDisposed()]).toEqual([1, numPrepared]);
    }
  });
});
