/** Circuits without their noise. */
import { expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../../src/circuit/circuit.ts';
import type { Channel } from '../../../../src/circuit/noise/channel.ts';
import { withoutNoise } from '../../../../src/circuit/noise/noise-facts.ts';

const FLIP: Channel = {
  kind: 'pauli',
  numQubits: 1,
  errors: [
    { flips: 1, signs: 0, probability: 0.1 },
    { flips: 0, signs: 1, probability: 0.2 },
  ],
};
const noise = (channel: Channel): DynamicOperation => ({ kind: 'noise', qubits: [0], channel });
const circuit = (...operations: DynamicOperation[]): DynamicCircuit => ({
  numQubits: 1,
  numBits: 1,
  operations,
});
const MEASURE: DynamicOperation = { kind: 'measure', qubits: [0], bits: [0] };
const MISREAD: DynamicOperation = { kind: 'misread', bits: [0], p1Given0: 0.1, p0Given1: 0.2 };

test('a circuit without its noise keeps noise under a condition', () => {
  const conditional = { ...noise(FLIP), condition: { bits: [0], value: 1 } } as DynamicOperation;
  const stripped = withoutNoise(circuit(noise(FLIP), MEASURE, MISREAD, conditional));
  expect(stripped.operations).toEqual([MEASURE, conditional]);
  const plain = circuit(MEASURE);
  expect(withoutNoise(plain)).toBe(plain);
});
