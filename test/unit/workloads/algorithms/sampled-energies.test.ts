import { expect, test } from 'vitest';
import type { Circuit } from '../../../../src/circuit/circuit.ts';
import type { PauliSum } from '../../../../src/circuit/observable.ts';
import { energySampler, numBases } from '../../../../src/workloads/algorithms/vqe/run-vqe.ts';
import { openTestContext } from '../../../support/procedure-context.ts';

const SHAPE: Circuit = {
  numQubits: 2,
  numBits: 0,
  operations: [
    { kind: 'gate', gate: 'RY', controls: [], targets: [0], angles: [0] },
    { kind: 'gate', gate: 'RX', controls: [], targets: [1], angles: [0] },
  ],
};
const term = (coefficient: number, ...factors: [pauli: 'X' | 'Y' | 'Z', qubit: number][]) => ({
  coefficient,
  factors: factors.map(([pauli, qubit]) => ({ pauli, qubit })),
});
const SUM: PauliSum = [
  term(0.5, ['Z', 0]),
  term(-2, ['Y', 1]),
  term(1, ['X', 0], ['Y', 1]),
  term(3),
];

test('terms share a basis where they agree, and only there', () => {
  expect(numBases(SUM)).toBe(2);
  expect(numBases([term(1, ['X', 0]), term(1, ['Y', 0]), term(1, ['Z', 0])])).toBe(3);
  expect(numBases([term(1, ['X', 0]), term(1, ['Z', 1]), term(1, ['X', 0], ['Z', 1])])).toBe(1);
  expect(numBases([term(4)])).toBe(0);
});

test('estimates lie around the exact value as far as their errors say, each call anew', async () => {
  await using context = openTestContext();
  const sampler = energySampler(context.context.circuits, SUM, 300, 11);
  const numCircuits = 40;
  const angles = Float64Array.from({ length: 2 * numCircuits }, (_, i) => (i % 2 ? 0.8 : 0.5));
  const [first, second] = [
    await sampler(SHAPE, angles, numCircuits),
    await sampler(SHAPE, angles, numCircuits),
  ];
  expect(second.values).not.toEqual(first.values);
  // RY(0.5): ⟨Z⟩ = cos 0.5, ⟨X⟩ = sin 0.5; RX(0.8): ⟨Y⟩ = −sin 0.8.
  const y = -Math.sin(0.8);
  const exact = 0.5 * Math.cos(0.5) - 2 * y + Math.sin(0.5) * y + 3;
  const pulls = [first, second].flatMap(({ values, standardErrors }) =>
    [...values].map((value, i) => (value - exact) / standardErrors[i]!),
  );
  expect(new Set(first.values).size).toBeGreaterThan(5);
  const mean = pulls.reduce((sum, pull) => sum + pull, 0) / pulls.length;
  const meanSquare = pulls.reduce((sum, pull) => sum + pull ** 2, 0) / pulls.length;
  expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(pulls.length));
  expect(meanSquare).toBeGreaterThan(0.5);
  expect(meanSquare).toBeLessThan(1.7);
});
