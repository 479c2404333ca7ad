/** Twirled circuits are the same circuits, up to a phase. Unitaries are products of Kronecker products. */
import { expect, test } from 'vitest';
import type { Circuit } from '../../../../src/circuit/circuit.ts';
import { circuitFromGateObjects } from '../../../../src/circuit/gate-objects.ts';
import { ALL_GATES, findGateSet } from '../../../../src/circuit/synthesis/gate-set.ts';
import { twirled } from '../../../../src/circuit/synthesis/pauli-twirl.ts';
import { circuitUnitary } from '../../../support/kronecker-oracle.ts';

const limits = { maxQubits: 3, maxGates: 1000 };

/** |tr U†V| / d, which is 1 where they differ by a phase alone. */
function overlap(one: Circuit, other: Circuit): number {
  const [u, v] = [circuitUnitary(one), circuitUnitary(other)];
  let [re, im] = [0, 0];
  for (const [i, row] of u.entries()) {
    for (const [j, [a, b]] of row.entries()) {
      const [c, d] = v[i]![j]!;
      re += a * c + b * d;
      im += a * d - b * c;
    }
  }
  return Math.hypot(re, im) / u.length;
}

test.each(['CX', 'CZ', 'ECR', 'ISWAP'])('%s is the same gate under each pair of Paulis', (gate) => {
  const circuit = circuitFromGateObjects([{ gate, qubits: [2, 0] }], { limits, numQubits: 3 });
  const pairs = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const own = twirled(circuit, seed, ALL_GATES);
    const at = own.operations.findIndex((each) => each.kind === 'gate' && each.gate === gate);
    pairs.add(JSON.stringify(own.operations.slice(0, at)));
    expect(overlap(circuit, own), `seed ${seed}`).toBeCloseTo(1, 12);
  }
  // The identity and all others.
  expect(pairs.size).toBe(16);
});

test('a seed gives the same Paulis, in native gates, and leaves other gates alone', () => {
  const names = ['RZ', 'SX', 'X', 'CZ'];
  const objects = [
    { gate: 'SX', qubit: 0 },
    { gate: 'CZ', control: 0, target: 1 },
    { gate: 'CZ', controls: [0, 1], target: 2 },
    { gate: 'CZ', control: 1, target: 2 },
  ];
  const circuit = circuitFromGateObjects(objects, { limits });
  const own = twirled(circuit, 7, findGateSet(names)!);
  expect(own).toEqual(twirled(circuit, 7, findGateSet(names)!));
  expect(own).not.toEqual(twirled(circuit, 8, findGateSet(names)!));
  expect(overlap(circuit, own)).toBeCloseTo(1, 12);
  const used = own.operations.map((each) => (each.kind === 'gate' ? each.gate : each.kind));
  for (const gate of used) expect([...names, 'CCZ']).toContain(gate);
  expect(used.filter((gate) => gate === 'CZ')).toHaveLength(3);
});

test('Paulis of a gate under a condition are under the same condition', () => {
  const condition = { bits: [0], value: 1 };
  const objects = [
    { gate: 'M', qubits: [2], bits: [0] },
    { gate: 'CX', control: 0, target: 1, condition },
  ];
  const { operations } = twirled(circuitFromGateObjects(objects, { limits }), 3, ALL_GATES);
  expect(operations.length).toBeGreaterThan(2);
  for (const each of operations.slice(1)) expect(each).toHaveProperty('condition', condition);
});
