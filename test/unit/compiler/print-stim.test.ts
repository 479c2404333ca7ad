/** Circuits printed in Stim's format: they are read back as the same circuit, or refused. */
import { expect, test } from 'vitest';
import { type Circuit, isStatic } from '../../../src/circuit/circuit.ts';
import { StimUnprintableError } from '../../../src/circuit/errors.ts';
import { noisyCircuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import { matrixOfOperations } from '../../../src/circuit/operation-matrix.ts';
import { readStim } from '../../../src/circuit/stim/read-stim.ts';
import { printStim } from '../../../src/compiler/clifford/print-stim.ts';
import { maxAbsDifference } from '../../../src/math/complex-matrix.ts';

const LIMITS = { maxQubits: 10, maxGates: 1000 };

function circuitOf(gates: Parameters<typeof noisyCircuitFromGateObjects>[0]): Circuit {
  const circuit = noisyCircuitFromGateObjects(gates, { limits: LIMITS });
  if (!isStatic(circuit)) throw new Error('The circuit has noise.');
  return circuit;
}

test('gates are read back as the same unitary, but for its phase', () => {
  const circuit = circuitOf([
    { gate: 'H', qubit: 0 },
    { gate: 'SX', qubit: 1 },
    { gate: 'T', qubit: 0 },
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'ECR', qubits: [1, 2] },
    { gate: 'RY', qubit: 2, theta: 0.3 },
    { gate: 'U', qubit: 1, theta: 0.1, phi: 0.2, lambda: 0.3 },
    { gate: 'RZZ', qubits: [0, 2], theta: Math.PI / 2 },
    { gate: 'ISWAP', qubits: [2, 0] },
  ]);
  const read = readStim(printStim(circuit), LIMITS).circuit;
  if (!isStatic(read)) throw new Error('The text has noise.');
  const [a, b] = [circuit, read].map(({ operations }) =>
    matrixOfOperations(
      operations.filter((each) => each.kind === 'gate' || each.kind === 'unitary'),
      3,
    ),
  );
  const at = a!.findIndex((each) => Math.abs(each) > 0.1) & ~1;
  const norm = a![at]! ** 2 + a![at + 1]! ** 2;
  const [re, im] = [
    (a![at]! * b![at]! + a![at + 1]! * b![at + 1]!) / norm,
    (a![at]! * b![at + 1]! - a![at + 1]! * b![at]!) / norm,
  ];
  const turned = a!.map((_, i) =>
    i % 2 === 0 ? re * a![i]! - im * a![i + 1]! : re * a![i]! + im * a![i - 1]!,
  );
  expect(maxAbsDifference(turned, b!)).toBeLessThan(1e-9);
});

test('measurements into the next bits, resets and feedback are printed', () => {
  const circuit = circuitOf([
    { gate: 'M', qubits: [1, 0], bits: [1, 0] },
    { gate: 'X', qubit: 2, condition: { bits: [0], value: 1 } },
    { gate: 'Z', qubit: 2, condition: { bits: [1], value: 0 } },
    { gate: 'RESET', qubits: [0] },
    { gate: 'M', qubits: [2], bits: [2] },
  ]);
  expect(printStim(circuit)).toBe('M 0 1\nCX rec[-2] 2\nZ 2\nCZ rec[-1] 2\nR 0\nM 2\n');
});

test.each([
  [[{ gate: 'CCX', controls: [0, 1], target: 2 }], 'Operation 0 is a gate on several qubits'],
  [[{ gate: 'M', qubits: [0], bits: [1] }], 'measures bits that are not the next ones'],
  [
    [
      { gate: 'M', qubits: [0], bits: [0] },
      { gate: 'H', qubit: 0, condition: { bits: [0], value: 1 } },
    ],
    'Operation 1 has a condition',
  ],
])('%j is refused', (gates, message) => {
  const print = () => printStim(circuitOf(gates as Parameters<typeof circuitOf>[0]));
  expect(print).toThrow(StimUnprintableError);
  expect(print).toThrow(message);
});
