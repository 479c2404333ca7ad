import { describe, expect, test } from 'vitest';
import { gateCatalog } from '../../../src/circuit/gate-catalog.ts';
import { findOperation } from '../../../src/circuit/gate-object.ts';
import {
  circuitFromGateObjects,
  noisyCircuitFromGateObjects,
} from '../../../src/circuit/gate-objects.ts';
import { GATES } from '../../../src/circuit/gates.ts';
import { maxAbsDifference } from '../../../src/math/complex-matrix.ts';
import { unitaryOf } from '../../support/small-unitary.ts';

const limits = { maxQubits: 8, maxGates: 10 };
const catalog = gateCatalog();
/** Fields that name no qubits. */
const VALUE_FIELDS = 'gate bits matrix channel hamiltonian time label what'.split(' ');

test('the catalog lists every gate of the table and every other operation, once each', () => {
  const others = ['UNITARY', 'EVOLVE', 'M', 'RESET', 'BARRIER', 'NOISE', 'SAVE'];
  const names = [...GATES.map(({ name }) => name), ...others];
  expect(catalog.map(({ gate }) => gate)).toEqual(names);
});

describe.each(catalog.map((entry) => [entry.gate, entry] as const))(
  'the entry of %s',
  (_, entry) => {
    test('has an example that is a circuit, also after a trip through JSON', () => {
      const example = JSON.parse(JSON.stringify(entry.example));
      const circuit = noisyCircuitFromGateObjects([example], { limits });
      expect(circuit.operations).toHaveLength(1);
      if (entry.num_qubits !== null) expect(circuit.numQubits).toBe(Math.max(1, entry.num_qubits));
    });

    test('has aliases that name the same operation', () => {
      for (const alias of [entry.gate, ...entry.aliases]) {
        expect(findOperation(alias.toUpperCase())?.name).toBe(entry.gate);
      }
    });

    test('lists the fields its example uses, with as many qubits as they take', () => {
      const angles = new Set<string>(entry.parameters.map(({ name }) => name));
      for (const [field, value] of Object.entries(entry.example)) {
        if (VALUE_FIELDS.includes(field) || angles.has(field)) continue;
        const operand = entry.operands.find((candidate) => candidate.field === field);
        const count = Array.isArray(value) ? value.length : 1;
        expect(operand?.min, field).toBeLessThanOrEqual(count);
        expect(operand?.max ?? Infinity, field).toBeGreaterThanOrEqual(count);
      }
      for (const angle of angles) expect(entry.example).toHaveProperty(angle);
    });
  },
);

// GPHASE has a matrix of one entry, on no qubits; a circuit has one qubit at least.
const withMatrix = catalog.filter(({ gate, matrix }) => matrix !== null && gate !== 'GPHASE');
test.each(withMatrix.map((entry) => [entry.gate, entry] as const))(
  'the matrix of %s is what its example does',
  (_, { example, matrix }) => {
    const flat = Float64Array.from((matrix ?? []).flat(2));
    const circuit = circuitFromGateObjects([example], { limits });
    expect(maxAbsDifference(unitaryOf(circuit), flat)).toBeLessThan(1e-15);
  },
);

test('the matrix of CX has its control as the least significant bit', () => {
  const matrix = catalog.find(({ gate }) => gate === 'CX')?.matrix;
  expect(matrix?.map((row) => row.map(([re]) => re))).toEqual([
    [1, 0, 0, 0],
    [0, 0, 0, 1],
    [0, 0, 1, 0],
    [0, 1, 0, 0],
  ]);
});

test('entries cross JSON unchanged', () => {
  expect(JSON.parse(JSON.stringify(catalog))).toEqual(catalog);
});
