/** How likely circuits have no error, and circuits without their noise. */
import { expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../../src/circuit/circuit.ts';
import type { Channel } from '../../../../src/circuit/noise/channel.ts';
import { noErrorProbability, withoutNoise } from '../../../../src/circuit/noise/noise-facts.ts';

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

test('the probability of no error is the product of the entanglement fidelities of channels', () => {
  expect(noErrorProbability(circuit(MEASURE, MISREAD))).toBe(1);
  expect(noErrorProbability(circuit(noise(FLIP), noise(FLIP)))).toBeCloseTo(0.49, 12);
  // Amplitude damping, and the same channel with a phase on one of its matrices.
  const kept = Math.sqrt(1 - 0.36);
  const decay = Float64Array.of(0, 0, 0.6, 0, 0, 0, 0, 0);
  for (const [re, im] of [
    [1, 0],
    [0, 1],
  ] as const) {
    const main = Float64Array.of(re, im, 0, 0, 0, 0, kept * re, kept * im);
    const channel: Channel = { kind: 'kraus', numQubits: 1, matrices: [main, decay] };
    expect(noErrorProbability(circuit(noise(channel)))).toBeCloseTo((1 + kept) ** 2 / 4, 12);
  }
});
