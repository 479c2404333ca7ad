/** Expected strings of Pauli propagation, against those that propagation has. */
import { expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../src/circuit/circuit.ts';
import { compilePaulis } from '../../../src/compiler/pauli/compile-paulis.ts';
import { expectedStrings } from '../../../src/compiler/pauli/expected-strings.ts';

const gate = (name: string, targets: readonly number[], ...angles: readonly number[]) =>
  ({ kind: 'gate', gate: name, controls: [], targets, angles }) as const;

function stringsOf(
  operations: readonly DynamicOperation[],
  pauli: 'X' | 'Y' | 'Z',
  numQubits = 3,
  maxTerms = 2 ** 20,
): number {
  const circuit: DynamicCircuit = { numQubits, numBits: 0, operations };
  const program = compilePaulis(circuit, { maxTerms });
  if ('problem' in program) throw new Error(program.problem);
  return expectedStrings(program, [{ coefficient: 1, factors: [{ pauli, qubit: 0 }] }]);
}

test('Clifford gates keep one string', () => {
  const operations = [
    gate('H', [0]),
    gate('S', [1]),
    { ...gate('X', [1]), controls: [0] },
    gate('H', [2]),
  ];
  expect(stringsOf(operations, 'Z')).toBe(4);
});

test('a rotation makes two strings of one that it does not commute with', () => {
  expect(stringsOf([gate('RX', [0], 0.3)], 'Z')).toBe(2);
  expect(stringsOf([gate('RX', [0], 0.3)], 'X')).toBe(1);
  // Gates beyond the observable leave one.
  expect(stringsOf([gate('RX', [2], 0.3), gate('RX', [0], 0.3)], 'Z')).toBe(4);
});

test('equal strings are added up: there are no more than the reached qubits have', () => {
  const many = Array.from({ length: 40 }, (_, i) => gate(i % 2 ? 'RX' : 'RZ', [0], 0.1 + i));
  expect(stringsOf(many, 'Y')).toBeLessThanOrEqual(40 * 4);
});

test('the limit of strings bounds each operation', () => {
  const layers = Array.from({ length: 60 }, (_, i) => [
    gate('RX', [i % 6], 0.3),
    gate('RY', [(i + 1) % 6], 0.4),
    gate('RZZ', [i % 6, (i + 1) % 6], 0.5),
  ]).flat();
  expect(stringsOf(layers, 'Z', 6, 16)).toBeLessThanOrEqual(16 * layers.length);
  expect(stringsOf(layers, 'Z', 6)).toBeGreaterThan(16 * layers.length);
});
