/** Readout plans of the widest states, which no device here can hold. */
import { describe, expect, test } from 'vitest';
import {
  planBlockMasses,
  planBlocks,
  windowsOf,
} from '../../../../src/engine/webgpu/readout/block-masses.ts';
import { partsWithin } from '../../../../src/engine/webgpu/readout/dispatch.ts';
import {
  batchesOf,
  planExpectation,
  signOfChunk,
  visitedChunks,
} from '../../../../src/engine/webgpu/readout/expectation.ts';
import { planMasses } from '../../../../src/engine/webgpu/readout/masses.ts';
import { RandomStream } from '../../../support/random-stream.ts';

/** 34 qubits: 128 chunks of 1 GiB. */
const NUM_QUBITS = 34;
const CHUNK_QUBITS = 27;

describe('a readout of 34 qubits', () => {
  test.each([0, 1, 2, 5, 9, 14, 20, 26])(
    'adds at most 16^3 masses in an invocation, whichever %i qubits have bins',
    (numBinned) => {
      const random = new RandomStream(numBinned);
      for (let i = 0; i < 20; i++) {
        const asked = random
          .distinct(numBinned, CHUNK_QUBITS)
          .map((qubit) => ({ qubit, image: 0 }));
        for (const groupBits of [0, 13]) {
          const plan = planMasses(CHUNK_QUBITS, asked, groupBits);
          expect(plan.loopQubits.length).toBeLessThanOrEqual(12);
          // Every qubit is in one place, and the sums of a dispatch come back at once.
          const { loopQubits, groupPlaces, threadQubits, sliced } = plan;
          const places = loopQubits.length + groupPlaces.length + threadQubits + sliced.length;
          expect(places).toBe(CHUNK_QUBITS);
          expect(plan.slotBits).toBeLessThanOrEqual(18);
        }
      }
    },
  );

  test.each([10, 24, 27, 28])('adds at most 16^2 Pauli terms, in chunks of 2^%i', (chunkQubits) => {
    for (const maxGroups of [16, 4096]) {
      const { numTerms, numGroups } = planExpectation(chunkQubits, maxGroups);
      expect(numTerms).toBeLessThanOrEqual(256);
      expect(numTerms * numGroups * 256).toBe(2 ** chunkQubits);
    }
  });

  test('keeps qubits of chunks’ numbers apart in Pauli strings', () => {
    const layout = Array.from({ length: NUM_QUBITS }, (_, q) => NUM_QUBITS - 1 - q);
    const factors = [
      { pauli: 'Y', qubit: 0 },
      { pauli: 'Z', qubit: 1 },
      { pauli: 'X', qubit: 33 },
    ] as const;
    const [batch] = batchesOf([{ coefficient: 1, factors }], layout, CHUNK_QUBITS);
    expect(batch).toMatchObject({ flips: 1, chunkFlips: 64 });
    expect(batch?.strings[0]).toMatchObject({ signs: 0, chunkSigns: 96, isImaginary: true });
    expect(visitedChunks(64, 128)).toEqual(Array.from({ length: 64 }, (_, i) => i));
    const signs = [0, 1, 32, 64, 96].map((chunk) => signOfChunk(batch!.strings[0]!, chunk));
    expect(signs).toEqual([1, 1, -1, -1, 1]);
  });

  test.each(['in order', 'reversed', 'shuffled'])('visits each amplitude once, %s', (order) => {
    const inOrder = Array.from({ length: NUM_QUBITS }, (_, q) => q);
    const layouts = new Map<string, readonly number[]>([
      ['in order', inOrder],
      ['reversed', inOrder.toReversed()],
      ['shuffled', new RandomStream(3).shuffled(inOrder)],
    ]);
    const plan = planBlocks(layouts.get(order)!, CHUNK_QUBITS);
    const firstBlocks = new Set<number>();
    const places = new Set<number>();
    let numParts = 0;
    for (const { firstBlock, parts } of windowsOf(plan)) {
      firstBlocks.add(firstBlock);
      for (const { chunk, base } of parts) {
        expect(chunk).toBeLessThan(128);
        places.add(chunk * 2 ** CHUNK_QUBITS + base);
        numParts++;
      }
    }
    const inWindow = 2 ** plan.window.length;
    expect(places.size).toBe(numParts);
    expect(numParts * inWindow).toBe(2 ** NUM_QUBITS);
    expect(firstBlocks.size * 2 ** plan.windowBlocks.length).toBe(2 ** 23);
    const { numTerms, groupPlaces, threadQubits } = planBlockMasses(plan);
    expect(numTerms * 2 ** (groupPlaces.length + threadQubits)).toBe(2 ** CHUNK_QUBITS);
  });
});

test('work is parted where a limit is reached, but never left out', () => {
  const limits = [{ sizeOf: (size: number) => size, most: 10 }];
  expect(partsWithin([4, 6, 1, 20, 3, 3], limits)).toEqual([[4, 6], [1], [20], [3, 3]]);
  expect(partsWithin([], limits)).toEqual([]);
});
