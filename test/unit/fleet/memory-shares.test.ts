import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { engineHeapMb, maxQubitsWithin, shareMemory } from '../../../src/fleet/memory-shares.ts';

const MIB = 2 ** 20;

test.each([
  [1024, 2, 2048],
  [6 * 1024, 2, 3072],
  [64 * 1024, 8, 4096],
])('of %i MiB for %i threads each has a heap of %i', (mib, numThreads, heapMb) => {
  expect(engineHeapMb(mib * MIB, numThreads)).toBe(heapMb);
});

describe('shareMemory', () => {
  test('gives the wide engine the bulk and each small one room for the branches of 17 qubits', () => {
    const { small, wide } = shareMemory(12 * 1024 * MIB, 2);
    expect(small).toEqual({
      numThreads: 1,
      maxQubits: { f32: 17, f64: 17 },
      memoryBytes: 44 * MIB,
    });
    expect(wide).toEqual({
      numThreads: 2,
      maxQubits: { f32: 30, f64: 29 },
      memoryBytes: (12 * 1024 - 88) * MIB,
    });
  });

  test('makes small circuits narrower where memory is short', () => {
    const { small, wide } = shareMemory(64 * MIB, 2);
    expect(small.maxQubits).toEqual({ f32: 14, f64: 14 });
    expect(wide.maxQubits).toEqual({ f32: 22, f64: 21 });
    expect(wide.memoryBytes).toBe(48 * MIB);
  });

  test('never gives out more than there is, and each engine what its widest state takes', () => {
    const runs = fc.property(
      fc.integer({ min: 16, max: 16 * 1024 * 1024 }),
      fc.integer({ min: 1, max: 256 }),
      (mib, numThreads) => {
        const { small, wide } = shareMemory(mib * MIB, numThreads);
        const given = numThreads * small.memoryBytes + wide.memoryBytes;
        expect(given).toBeLessThanOrEqual(mib * MIB);
        for (const { maxQubits, memoryBytes } of [small, wide]) {
          expect(8 * 2 ** maxQubits.f32).toBeLessThanOrEqual(memoryBytes);
          expect(16 * 2 ** maxQubits.f64).toBeLessThanOrEqual(memoryBytes);
        }
        // Both self-tests fit: 8 qubits, and 16.
        expect(small.maxQubits.f64).toBeGreaterThanOrEqual(8);
        expect(wide.maxQubits.f64).toBeGreaterThanOrEqual(16);
      },
    );
    fc.assert(runs, { seed: 4, numRuns: 300 });
  });
});

describe('maxQubitsWithin', () => {
  test.each([
    [16 * 2 ** 20, 'f64', 30, 20],
    [16 * 2 ** 20, 'f32', 30, 21],
    [16 * 2 ** 20 - 1, 'f64', 30, 19],
    [2 ** 50, 'f64', 30, 30],
    [16, 'f64', 30, 0],
    [1, 'f64', 30, 0],
  ] as const)('%d bytes in %s and a cap of %d give %d qubits', (bytes, precision, cap, qubits) => {
    expect(maxQubitsWithin(bytes, precision, cap)).toBe(qubits);
  });
});
