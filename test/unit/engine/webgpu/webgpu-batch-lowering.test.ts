/** Shapes of batches as what the kernel does: matrices taken apart, and operations cut into stages. */
import { describe, expect, test } from 'vitest';
import { batchStages } from '../../../../src/engine/webgpu/batch/batch-kernels.ts';
import {
  type BatchOperation,
  touched,
} from '../../../../src/engine/webgpu/batch/batch-operations.ts';
import { writeAngleWords } from '../../../../src/engine/webgpu/batch/batch-words.ts';
import { lowerShape, twoLevelFactors } from '../../../../src/engine/webgpu/batch/lower-shape.ts';
import { identity, maxAbsDifference, multiply } from '../../../../src/math/complex-matrix.ts';
import {
  gate,
  randomDiagonal,
  randomGates,
  randomMonomial,
  randomUnitary,
} from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const MAKERS = { unitary: randomUnitary, diagonal: randomDiagonal, monomial: randomMonomial };

/** The product of the factors. */
function productOf({ phases, matrices }: ReturnType<typeof twoLevelFactors>) {
  const numRows = phases.length;
  let product = identity(numRows);
  for (const [row, { re, im }] of phases.entries()) {
    product.set([re, im], 2 * (row * numRows + row));
  }
  for (const { from, to, matrix } of matrices) {
    const factor = identity(numRows);
    for (const [i, { re, im }] of matrix.entries()) {
      const row = i < 2 ? from : to;
      const column = i % 2 === 0 ? from : to;
      factor.set([re, im], 2 * (row * numRows + column));
    }
    product = multiply(factor, product);
  }
  return product;
}

describe('a unitary', () => {
  test.each(Object.keys(MAKERS).flatMap((kind) => [1, 2, 3, 4].map((k) => [kind, k] as const)))(
    'that is %s on %i qubits is the product of its two-level matrices',
    (kind, numTargets) => {
      const make = Object.entries(MAKERS).find(([name]) => name === kind)![1];
      const unitary = make(new RandomStream(4800 + numTargets), numTargets);
      const factors = twoLevelFactors(unitary);
      expect(maxAbsDifference(productOf(factors), unitary)).toBeLessThan(1e-12);
      for (const { from, to } of factors.matrices) {
        const differing = from ^ to;
        expect([from & differing, differing & (differing - 1)]).toEqual([0, 0]);
      }
    },
  );
});

/** Whether two operations commute. */
function commute(a: BatchOperation, b: BatchOperation): boolean {
  const moved = (operation: BatchOperation) =>
    operation.kind === 'phase' ? 0 : 1 << operation.pivot;
  return (moved(a) & touched(b)) === 0 && (moved(b) & touched(a)) === 0;
}

describe('stages', () => {
  test.each([5, 8, 12])('of %i qubits do every operation in an order that is the same', (n) => {
    const circuit = randomGates(new RandomStream(4900 + n), n, 60, 3);
    const shape = { numQubits: n, numBits: 0, operations: circuit };
    const { operations } = lowerShape(shape).list;
    const stages = batchStages(operations, n);
    const order = stages.flatMap((stage) => stage.operations);
    expect(new Set(order)).toEqual(new Set(operations));
    expect(order).toHaveLength(operations.length);
    const place = new Map(order.map((operation, i) => [operation, i]));
    for (const [i, a] of operations.entries()) {
      for (const b of operations.slice(i + 1)) {
        if (!commute(a, b)) expect(place.get(a)!).toBeLessThan(place.get(b)!);
      }
    }
    for (const { registers, operations: done } of stages) {
      expect(registers).toHaveLength(4);
      const pivots = done.flatMap((each) => (each.kind === 'phase' ? [] : [each.pivot]));
      expect(pivots.filter((pivot) => !registers.includes(pivot))).toEqual([]);
    }
  });
});

describe('lowering', () => {
  test.each([
    [
      'rotations of one qubit',
      [gate('RY', [0], [], [0]), gate('RZ', [0], [], [0]), gate('H', [0])],
    ],
    ['a phase before a rotation', [gate('P', [0], [], [0]), gate('RX', [0], [], [0])]],
    ['phases of the same qubits', [gate('CP', [1], [0], [0]), gate('CZ', [1], [0])]],
  ])('makes one operation of %s', (_, operations) => {
    const { list } = lowerShape({ numQubits: 2, numBits: 0, operations });
    expect(list.operations).toHaveLength(1);
  });

  test.each([
    ['two flips alike', [gate('CX', [1], [0]), gate('CX', [1], [0])]],
    ['a SWAP', [gate('SWAP', [0, 1])]],
    ['a phase of the whole state', [gate('GPHASE', [], [], [1])]],
  ])('makes no operation of %s', (_, operations) => {
    const { list } = lowerShape({ numQubits: 2, numBits: 0, operations });
    expect(list.operations).toEqual([]);
  });
});

test('angles are halves of turns in fixed point, by workgroup, angle and circuit', () => {
  const words = new Int32Array(8).fill(-1);
  const turn = 4 * Math.PI;
  writeAngleWords(
    Float64Array.of(0.25, -0.25, 1.125, 3.5, 0.125, 0).map((x) => x * turn),
    2,
    2,
    words,
  );
  const expected = [2 ** 30, 2 ** 29, -(2 ** 30), -(2 ** 31), 2 ** 29, -1, 0, -1];
  const errors = expected.map((word, i) => Math.abs(words[i]! - word));
  expect(Math.max(...errors)).toBeLessThanOrEqual(8);
});
