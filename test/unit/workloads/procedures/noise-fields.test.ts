import { expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../../src/circuit/circuit.ts';
import { loss } from '../../../../src/circuit/noise/named-channels.ts';
import {
  noiseFaults,
  noiseModelOf,
  withNoise,
} from '../../../../src/workloads/procedures/noise-fields.ts';

const LOSSY = {
  gates: [{ gates: ['CX'], channel: { type: 'loss' as const, probability: 0.1 } }],
};
const FAULT = {
  path: 'noise.gates[0].channel',
  message: 'Loss of qubits is not taken here; POST /api/v1/quantum/circuits takes it.',
};

test('a procedure, which reads outcomes as bits, takes no loss of qubits in a model', () => {
  expect(noiseFaults(LOSSY)).toEqual([FAULT]);
  expect(() => noiseModelOf(LOSSY)).toThrow(expect.objectContaining({ faults: [FAULT] }));
});

test('nor in a circuit', () => {
  const circuit: DynamicCircuit = {
    numQubits: 1,
    numBits: 0,
    operations: [{ kind: 'noise', qubits: [0], channel: loss(0.1)! }],
  };
  expect(() => withNoise(circuit, noiseModelOf({}))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ path: 'circuit' })] }),
  );
});
