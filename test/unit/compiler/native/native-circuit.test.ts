/** Writing circuits in the gates of a set. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Circuit, operationQubits } from '../../../../src/circuit/circuit.ts';
import { ALL_GATES, findGateSet } from '../../../../src/circuit/synthesis/gate-set.ts';
import { nativeCircuit } from '../../../../src/compiler/native/native-circuit.ts';
import { twoQubitForm } from '../../../../src/compiler/native/two-qubit-form.ts';
import { circuits } from '../../../property/circuit-arbitrary.ts';
import { gate } from '../../../support/random-circuits.ts';
import { differenceUpToPhase, unitaryOf } from '../../../support/small-unitary.ts';

const SETS = [
  ['cx', 'u'],
  ['cz', 'rz', 'sx', 'x'],
  ['ecr', 'rz', 'sx'],
  ['prx', 'cz'],
  ['rxx', 'rx', 'ry'],
  ['rzx', 'rz', 'rx'],
  ['cy', 'rz', 'ry', 'h', 't'],
  ['cx', 'h', 'rz'],
  ['cz', 'h', 'p'],
  ['cz', 'rx', 't'],
  ['iswap', 'rz', 'rx'],
  ['sqrtiswap', 'u2'],
  ['dcx', 'ry', 's'],
];

/** Gates only: what has a unitary. */
const unitaries = circuits.map(
  ({ numQubits, operations }): Circuit => ({
    numQubits: Math.min(numQubits, 5),
    numBits: 0,
    operations: operations.flatMap((operation) => {
      if (operation.kind !== 'gate' && operation.kind !== 'unitary') return [];
      if (operationQubits(operation).some((qubit) => qubit >= 5)) return [];
      const { condition: _, ...plain } = operation;
      return [plain];
    }),
  }),
);

describe.each(SETS)('in %s %s %s %s %s', (...names) => {
  const set = findGateSet(names.filter((name) => name !== undefined))!;

  test('any circuit has gates of the set only, and the same unitary up to a phase', () => {
    fc.assert(
      fc.property(unitaries, (circuit) => {
        const native = nativeCircuit(twoQubitForm(circuit), set);
        for (const operation of native.operations) {
          if (operation.kind !== 'gate') throw new Error(operation.kind);
          expect(set.names.has(operation.gate)).toBe(true);
          expect(operationQubits(operation).length).toBeLessThanOrEqual(2);
        }
        expect(differenceUpToPhase(unitaryOf(native), unitaryOf(circuit))).toBeLessThan(1e-9);
      }),
      { seed: 5, numRuns: 8 },
    );
  });
});

const numPairs = ({ operations }: Circuit) =>
  operations.filter((operation) => operationQubits(operation).length === 2).length;

test.each([
  ['a Toffoli', gate('CCX', [2], [0, 1]), 6],
  ['a CCZ', gate('CCZ', [2], [0, 1]), 6],
  ['a Fredkin gate', gate('CSWAP', [1, 2], [0]), 8],
])('%s takes as few CX as the textbook says', (_, operation, expected) => {
  const circuit = { numQubits: 3, numBits: 0, operations: [operation] };
  const native = nativeCircuit(twoQubitForm(circuit), findGateSet(['cx', 'u'])!);
  expect(numPairs(native)).toBeLessThanOrEqual(expected);
});

test.each([
  ['the opposite of X', [0, 0, -1, 0, -1, 0, 0, 0]],
  ['Y', [0, 0, 0, -1, 0, 1, 0, 0]],
  ['the opposite of Z', [-1, 0, 0, 0, 0, 0, 1, 0]],
])('%s under three controls is itself', (_, entries) => {
  const matrix = Float64Array.from(entries);
  const operation = { kind: 'unitary', controls: [0, 1, 3], targets: [2], matrix } as const;
  const circuit = { numQubits: 4, numBits: 0, operations: [operation] };
  const native = nativeCircuit(twoQubitForm(circuit), findGateSet(['cx', 'u'])!);
  expect(differenceUpToPhase(unitaryOf(native), unitaryOf(circuit))).toBeLessThan(1e-9);
});

test('a SWAP after a CX on the same qubits takes two CX with it instead of four', () => {
  const operations = [gate('CX', [1], [0]), gate('SWAP', [0, 1], [])];
  const native = nativeCircuit({ numQubits: 2, numBits: 0, operations }, findGateSet(['cx', 'u'])!);
  expect(numPairs(native)).toBe(2);
});

test('rotations about Z move past CZ and end at a measurement', () => {
  const operations = [
    gate('T', [0], []),
    gate('CZ', [1], [0]),
    gate('S', [0], []),
    { kind: 'measure', qubits: [0, 1], bits: [0, 1] } as const,
  ];
  const circuit = { numQubits: 2, numBits: 2, operations };
  const native = nativeCircuit(circuit, findGateSet(['prx', 'cz'])!);
  expect(native.operations.map(({ kind }) => kind)).toEqual(['gate', 'measure']);
});

test.each([
  ['ends at a measurement', {}, ['gate', 'measure']],
  [
    'stays before a measurement under a condition, which may not happen',
    { condition: { bits: [0], value: 1 } },
    ['gate', 'gate', 'measure'],
  ],
])('a rotation about Z %s', (_, condition, kinds) => {
  const measure = { kind: 'measure', qubits: [0], bits: [1], ...condition } as const;
  const operations = [gate('SX', [0], []), gate('RZ', [0], [], [0.3]), measure];
  const circuit = { numQubits: 1, numBits: 2, operations };
  const native = nativeCircuit(circuit, findGateSet(['cz', 'rz', 'sx', 'x'])!);
  expect(native.operations.map(({ kind }) => kind)).toEqual(kinds);
});

test('with all gates allowed, named gates are not changed', () => {
  const operations = [gate('CCX', [2], [0, 1]), gate('ISWAP', [0, 1], []), gate('H', [2], [])];
  const circuit = { numQubits: 3, numBits: 0, operations };
  expect(nativeCircuit(circuit, ALL_GATES).operations).toEqual(operations);
});
