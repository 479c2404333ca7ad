import { expect, test } from 'vitest';
import { circuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import {
  maxAbsDifference,
  orthonormalizedRows,
  unitarityDefect,
} from '../../../src/math/complex-matrix.ts';

const h = Math.SQRT1_2;
/** H, then S on the other qubit, and noise that no two entries share. */
const noisy = Float64Array.from(
  [
    h,
    0,
    h,
    0,
    0,
    0,
    0,
    0,
    h,
    0,
    -h,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    h,
    0,
    h,
    0,
    0,
    0,
    0,
    0,
    h,
    0,
    -h,
  ],
  (entry, i) => entry + 4e-8 * Math.sin(i * i + 1),
);

test('an almost unitary matrix becomes unitary without moving far', () => {
  const before = unitarityDefect(noisy);
  const unitary = orthonormalizedRows(noisy);
  expect(before).toBeGreaterThan(1e-8);
  expect(unitarityDefect(unitary)).toBeLessThan(1e-14);
  expect(maxAbsDifference(unitary, noisy)).toBeLessThan(2 * before);
});

test('a unitary of gate objects that is off by less than the tolerance is made exact', () => {
  const scale = 1 + 4.9e-7;
  const matrix = [
    [
      [scale, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [scale, 0],
    ],
  ] as const;
  const circuit = circuitFromGateObjects([{ gate: 'UNITARY', qubits: [0], matrix }], {
    limits: { maxQubits: 1, maxGates: 1 },
  });
  const [operation] = circuit.operations;
  const found = operation?.kind === 'unitary' ? operation.matrix : new Float64Array();
  expect(found).toEqual(Float64Array.of(1, 0, 0, 0, 0, 0, 1, 0));
});
