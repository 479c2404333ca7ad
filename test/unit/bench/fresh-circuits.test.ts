import { expect, test } from 'vitest';
import {
  drawsOf,
  FRESH_FAMILIES,
  type FreshFamily,
  relabelled,
} from '../../../bench/fresh-circuits.ts';
import type { Circuit } from '../../../src/circuit/circuit.ts';
import { writeCircuit } from '../../../src/fleet/workers/sent-circuit.ts';

const FAMILIES = Object.keys(FRESH_FAMILIES) as FreshFamily[];
const VARIED: readonly FreshFamily[] = [
  'qaoa',
  'efficient-su2',
  'quantum-volume',
  'heisenberg',
  'coupled-cluster',
];

const written = (circuit: Circuit) => {
  const form = writeCircuit(circuit);
  if (form === undefined) throw new Error('a circuit with a matrix');
  return form;
};

test.each(FAMILIES)('two circuits of %s have one shape', (family) => {
  const draw = drawsOf(1);
  const [first, second] = [0, 0].map(() => written(FRESH_FAMILIES[family](12, draw)));
  expect(second!.shape).toBe(first!.shape);
});

test.each(VARIED)('every circuit of %s has angles of its own', (family) => {
  const draw = drawsOf(1);
  const [first, second] = [0, 0].map(() => written(FRESH_FAMILIES[family](12, draw)));
  expect(second!.angles).not.toEqual(first!.angles);
});

test.each([
  ['efficient-su2', 12, 164],
  ['quantum-volume', 16, 528],
] as const)('%s at %i qubits has %i gates', (family, numQubits, numGates) => {
  expect(FRESH_FAMILIES[family](numQubits, drawsOf(1)).operations).toHaveLength(numGates);
});

test('a relabelled circuit has the same gates on other qubits', () => {
  const circuit = FRESH_FAMILIES['efficient-su2'](12, drawsOf(1));
  const moved = relabelled(circuit, drawsOf(2));
  const names = (each: Circuit) =>
    each.operations.map((operation) => (operation.kind === 'gate' ? operation.gate : ''));
  expect(names(moved)).toEqual(names(circuit));
  expect(written(moved).angles).toEqual(written(circuit).angles);
  expect(written(moved).shape).not.toBe(written(circuit).shape);
});
