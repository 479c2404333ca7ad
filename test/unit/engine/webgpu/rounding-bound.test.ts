import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { drawMargin, expectedUndecided } from '../../../../src/engine/exact-counts.ts';
import { stateErrorBound } from '../../../../src/engine/webgpu/batch/gpu-batch.ts';
import { lowerShape } from '../../../../src/engine/webgpu/batch/lower-shape.ts';
import { gate } from '../../../support/random-circuits.ts';

const U = 2 ** -23;

function boundOf(numQubits: number, operations: readonly Operation[]): number {
  return stateErrorBound(lowerShape({ numQubits, numBits: 0, operations }).list.operations);
}

describe('the bound on the error of a state', () => {
  test('is 0 for permutations of basis states', () => {
    const gates = [
      gate('X', [0]),
      gate('X', [1], [0]),
      gate('SWAP', [0, 2]),
      gate('X', [2], [0, 1]),
    ];
    expect(boundOf(3, gates)).toBe(0);
  });

  test.each<[string, readonly Operation[], number]>([
    // √½ for a constant, 2√2 for a real matrix that is applied.
    ['H', [gate('H', [0])], 3.54],
    // 4.2 for cosine and sine, 2√2 as above.
    ['RY', [gate('RY', [0], [], [0])], 7.05],
    // RZ multiplies a row of the matrix, by 2√2 more; then the matrix is any.
    ['RY and RZ', [gate('RY', [0], [], [0]), gate('RZ', [0], [], [0])], 19.25],
    // Four sums of two products for the second rotation, 4.
    ['RY and RX', [gate('RY', [0], [], [0]), gate('RX', [0], [], [0])], 20.43],
    // A phase of its own.
    ['CP', [gate('CP', [0], [1], [0])], 7.06],
    ['CZ', [gate('Z', [0], [1])], 3.54],
  ])('is what its products and sums add up to: %s', (_, operations, units) => {
    const bound = boundOf(2, operations) / U;
    expect(bound).toBeGreaterThanOrEqual(units);
    expect(bound).toBeLessThan(1.02 * units);
  });

  test('adds up over operations, and a little faster', () => {
    const layer = [gate('RY', [0], [], [0]), gate('X', [1], [0]), gate('RY', [1], [], [0])];
    const one = boundOf(2, layer);
    const bound = boundOf(2, [...layer, gate('X', [0], [1]), ...layer]);
    expect(bound).toBeGreaterThan(2 * one);
    expect(bound).toBeLessThan(2.001 * one);
  });
});

describe('the margin of a draw', () => {
  test('has the error of the state, of squares, and a unit for each mass', () => {
    const unit = 2 ** -30;
    for (const numQubits of [4, 12]) {
      const none = drawMargin(0, numQubits) * unit;
      expect(none).toBeGreaterThan(4 * U + 2 ** numQubits * unit);
      expect(none).toBeLessThan(4.1 * U + (2 ** numQubits + 5) * unit);
      expect(drawMargin(1e-4, numQubits) * unit - none).toBeCloseTo(1.01e-4, 6);
    }
  });

  test('takes in every draw where a state may be anything', () => {
    expect(drawMargin(10, 4)).toBe(2 ** 31);
  });
});

describe('the part of circuits that is expected to be undecided', () => {
  test('is small for few outcomes and shots, and grows to all with any of the factors', () => {
    const base = { numQubits: 2, numOperations: 10 };
    expect(expectedUndecided(base, 0)).toBe(0);
    const few = expectedUndecided(base, 100);
    expect(few).toBeGreaterThan(0.001);
    expect(few).toBeLessThan(0.02);
    expect(expectedUndecided(base, 200) / few).toBeCloseTo(2, 1);
    expect(expectedUndecided({ ...base, numQubits: 4 }, 100) / few).toBeCloseTo(4, 0);
    for (const [more, shots] of [
      [{ numQubits: 12, numOperations: 50 }, 100],
      [{ ...base, numOperations: 1e6 }, 100],
      [base, 1_000_000],
    ] as const) {
      expect(expectedUndecided(more, shots)).toBeGreaterThan(0.99);
    }
  });
});
