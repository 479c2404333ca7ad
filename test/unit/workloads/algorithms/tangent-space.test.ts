/** The tangent space against differences of values, and against the parameter-shift rule. */
import { expect, test } from 'vitest';
import type { PauliSum } from '../../../../src/circuit/observable.ts';
import { parameterShift } from '../../../../src/workloads/algorithms/training/gradients.ts';
import { tangentSpace } from '../../../../src/workloads/algorithms/vqe/tangent-space.ts';
import {
  excitationAnsatz,
  hardwareEfficientAnsatz,
  transverseIsingAnsatz,
} from '../../../../src/workloads/algorithms/vqe/vqe-ansatz.ts';
import { oracleExpectations } from '../../../support/parametric-circuits.ts';
import { openTestContext } from '../../../support/procedure-context.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const HAMILTONIAN: PauliSum = [
  { coefficient: 0.7, factors: [{ pauli: 'Z', qubit: 0 }] },
  {
    coefficient: -1.1,
    factors: [
      { pauli: 'X', qubit: 0 },
      { pauli: 'Y', qubit: 1 },
    ],
  },
  {
    coefficient: 0.4,
    factors: [
      { pauli: 'Z', qubit: 0 },
      { pauli: 'Z', qubit: 1 },
    ],
  },
  { coefficient: 2, factors: [] },
];
const ring = { sites: 3, coupling: 1, field: 1, isPeriodic: true };

test.each([
  ['hardware_efficient', hardwareEfficientAnsatz(3, 1)],
  ['a ring with shared parameters', transverseIsingAnsatz(ring, 2)],
  ['excitation', excitationAnsatz(4)],
])('values and gradients of %s are those of the parameter-shift rule', async (_, ansatz) => {
  await using context = openTestContext();
  const random = new RandomStream(3);
  const point = Float64Array.from({ length: ansatz.numParameters }, () => random.angle());
  const space = await tangentSpace(ansatz, HAMILTONIAN, context.context.circuits, point);
  const rule = await parameterShift(ansatz, point, [[]], [HAMILTONIAN], oracleExpectations);
  expect(space.value).toBeCloseTo(rule.values[0]!, 12);
  for (const [p, slope] of rule.gradients.entries()) {
    expect(space.gradient[p]).toBeCloseTo(slope, 12);
  }
  expect(space.spread).toBeCloseTo(2.2, 12);
});

test('at an eigenstate the curvature is the second derivative of the energy', async () => {
  await using context = openTestContext();
  // RY(a) RZ(b) at a = π/2, b = 0 is |+⟩, an eigenstate of −X: E = −sin a·cos b.
  const ansatz = hardwareEfficientAnsatz(1, 1);
  const point = Float64Array.of(Math.PI / 2, 0, 0, 0);
  const energy: PauliSum = [{ coefficient: -1, factors: [{ pauli: 'X', qubit: 0 }] }];
  const at = (move: Float64Array) =>
    tangentSpace(ansatz, energy, context.context.circuits, move).then(({ value }) => value);
  const { curvature, metric } = await tangentSpace(ansatz, energy, context.context.circuits, point);
  const step = 1e-3;
  const shifted = (p: number, q: number, a: number, b: number) => {
    const moved = point.slice();
    moved[p]! += a * step;
    moved[q]! += b * step;
    return at(moved);
  };
  for (let p = 0; p < 4; p++) {
    for (let q = 0; q < 4; q++) {
      const same = (await shifted(p, q, 1, 1)) + (await shifted(p, q, -1, -1));
      const opposite = (await shifted(p, q, 1, -1)) + (await shifted(p, q, -1, 1));
      expect(curvature[p * 4 + q]).toBeCloseTo((same - opposite) / (4 * step * step), 5);
      // Of −X, energies lie 2 apart, so the curvature is twice the metric.
      expect(curvature[p * 4 + q]).toBeCloseTo(2 * metric[p * 4 + q]!, 12);
    }
  }
});

test('a turn that only changes the phase of the whole state is no change of it', async () => {
  await using context = openTestContext();
  // RY(0) RZ(b) leaves |0⟩ as it is, up to a phase.
  const point = Float64Array.of(0, 0.3, 0, 0.4);
  const ansatz = hardwareEfficientAnsatz(1, 1);
  const energy: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'X', qubit: 0 }] }];
  const { metric } = await tangentSpace(ansatz, energy, context.context.circuits, point);
  // ½ for a turn about Y, and nothing for one about Z.
  expect([metric[0], metric[5], metric[10], metric[15]]).toEqual([
    expect.closeTo(0.5, 12),
    expect.closeTo(0, 12),
    expect.closeTo(0.5, 12),
    expect.closeTo(0, 12),
  ]);
});
