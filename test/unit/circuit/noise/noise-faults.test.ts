import { describe, expect, test } from 'vitest';
import { FaultList } from '../../../../src/circuit/errors.ts';
import { noiseModelSchema } from '../../../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../../../src/circuit/noise/read-noise-model.ts';
import { formFaults } from '../../../../src/errors/form-faults.ts';

const MODELS = new Map([['aspen', {}]]);

/** Faults of a model, of its form or else of its meaning, as `path: message`. */
function faultsOf(value: unknown): readonly string[] {
  const parsed = noiseModelSchema.safeParse(value);
  const faults = new FaultList();
  if (parsed.success) readNoiseModel(parsed.data, faults, MODELS);
  const found = parsed.success
    ? faults.kept
    : formFaults(parsed.error, noiseModelSchema, value, ['noise']);
  return found.map(({ path, message }) => `${path}: ${message}`);
}

const withChannel = (channel: object, gates: readonly string[] = ['X']) => ({
  gates: [{ gates, channel }],
});
const oneQubit = (a: number, b: number) => [
  [
    [a, 0],
    [0, 0],
  ],
  [
    [0, 0],
    [b, 0],
  ],
];
const CHANNEL = 'noise.gates[0].channel';

describe('a fault of a channel names its place and what is possible', () => {
  test.each<[object, string]>([
    [
      { type: 'bit_flip', probability: 1.5 },
      `${CHANNEL}.probability: probability must be from 0 to 1, not 1.5.`,
    ],
    [
      { type: 'depolarizing', probability: -0.1 },
      `${CHANNEL}.probability: probability must be from 0 to 1, not -0.1.`,
    ],
    [
      { type: 'amplitude_damping', gamma: 2 },
      `${CHANNEL}.gamma: gamma must be from 0 to 1, not 2.`,
    ],
    [
      { type: 'generalized_amplitude_damping', gamma: 0.1 },
      `${CHANNEL}.excited: Missing; generalized_amplitude_damping takes gamma, excited.`,
    ],
    [{ type: 'phase_flip' }, `${CHANNEL}.probability: Missing; phase_flip takes probability.`],
    [
      { type: 'phase_flip', probability: 0.1, gamma: 0.1 },
      `${CHANNEL}.gamma: phase_flip takes probability only.`,
    ],
    [{ type: 'phase_flip', p: 0.1 }, `${CHANNEL}.p: phase_flip takes probability, not p.`],
    [
      { type: 'bitflip', probability: 0.1 },
      `${CHANNEL}.type: type must be bit_flip, phase_flip, bit_phase_flip, pauli, depolarizing, amplitude_damping, generalized_amplitude_damping, phase_damping, thermal_relaxation, reset, loss or kraus, not the string "bitflip". Did you mean bit_flip?`,
    ],
    [
      { type: 'pauli', probabilities: { X: 0.7, Y: 0.6 } },
      `${CHANNEL}.probabilities: The probabilities add up to 1.3; at most 1 is possible.`,
    ],
    [
      { type: 'pauli', probabilities: { X: 0.1, ZZ: 0.1 } },
      `${CHANNEL}.probabilities.ZZ: 2 letters, but the first string has 1; all have as many.`,
    ],
    [
      { type: 'pauli', probabilities: { W: 0.1 } },
      `${CHANNEL}.probabilities.W: A Pauli string consists of the letters I, X, Y and Z.`,
    ],
    [
      { type: 'pauli', probabilities: { X: -0.1 } },
      `${CHANNEL}.probabilities.X: A probability is from 0 to 1, not -0.1.`,
    ],
    [
      { type: 'pauli', probabilities: {} },
      `${CHANNEL}.probabilities: pauli needs at least one string, for example {"X": 0.01}.`,
    ],
    [
      { type: 'depolarizing', probability: 0.1, num_qubits: 7 },
      `${CHANNEL}.num_qubits: depolarizing acts on 1 to 6 qubits, not 7: its 4^k − 1 Pauli strings are listed.`,
    ],
    [
      { type: 'thermal_relaxation', t1_us: 50, t2_us: 101, duration_ns: 10 },
      `${CHANNEL}.t2_us: T2 is at most 2·T1 = 100 µs, not 101: relaxation alone dephases that fast.`,
    ],
    [
      { type: 'thermal_relaxation', t1_us: 0, t2_us: 1, duration_ns: -1 },
      `${CHANNEL}.t1_us: t1_us must be greater than 0, not 0.`,
    ],
    [
      { type: 'reset', probability: 0.1, value: 2 },
      `${CHANNEL}.value: value must be 0 or 1, not 2.`,
    ],
    [
      { type: 'kraus', matrices: [oneQubit(1, 0.5)] },
      `${CHANNEL}.matrices: Not complete: Σ K†K differs from 1 by 0.75 in its worst entry; the tolerance is 1e-8.`,
    ],
    [
      { type: 'kraus', matrices: [] },
      `${CHANNEL}.matrices: A channel on 1 qubit has 1 to 4 matrices, not 0.`,
    ],
    [
      { type: 'kraus', matrices: [[[[1, 0]]]] },
      `${CHANNEL}.matrices[0]: 1 row; 1 qubit need 2 rows of 2 entries.`,
    ],
    [
      { type: 'kraus', matrices: [Array.from({ length: 16 }, () => [])] },
      `${CHANNEL}.matrices[0]: Matrices on 4 qubits; the limit for Kraus matrices is 3.`,
    ],
  ])('%j', (channel, fault) => {
    expect(faultsOf(withChannel(channel))[0]).toBe(fault);
  });
});

describe('a fault of a model names its place and what is possible', () => {
  const flip = { type: 'bit_flip', probability: 0.1 };
  const idle = { t1_us: 100, t2_us: 80, durations_ns: { CX: 300 } };
  test.each<[object, string]>([
    [
      withChannel(flip, ['CNTO']),
      'noise.gates[0].gates[0]: There is no gate called "CNTO". Did you mean cnot?',
    ],
    [
      withChannel({ type: 'depolarizing', probability: 0.1, num_qubits: 2 }, ['measure']),
      'noise.gates[0].channel: The channel acts on 2 qubits, but measure acts on 1 qubit.',
    ],
    [
      withChannel({ type: 'depolarizing', probability: 0.1, num_qubits: 2 }, ['BARRIER']),
      'noise.gates[0].qubits: Missing; the channel acts on 2 qubits, and a barrier does not say which.',
    ],
    [withChannel(flip, []), 'noise.gates[0].gates: Name at least one gate; "*" stands for all.'],
    [
      withChannel({ type: 'depolarizing', probability: 0.1, num_qubits: 2 }, ['CX', 'H']),
      'noise.gates[0].channel: The channel acts on 2 qubits, but H acts on 1 qubit.',
    ],
    [
      { gates: [{ gates: ['CX'], qubits: [[0, 1], [2]], channel: flip }] },
      'noise.gates[0].qubits[1]: 1 qubit, but these gates act on 2 qubits.',
    ],
    [
      { gates: [{ gates: ['CX'], qubits: [[1, 1]], channel: flip }] },
      'noise.gates[0].qubits[0][1]: Qubit 1 is named twice.',
    ],
    [
      { gates: [{ gates: ['X'], qubits: [[-1]], channel: flip }] },
      'noise.gates[0].qubits[0][0]: -1 is not a qubit; qubits are whole numbers from 0.',
    ],
    [
      { readout: [{ p1_given_0: 1.1, p0_given_1: 0 }] },
      'noise.readout[0].p1_given_0: p1_given_0 must be from 0 to 1, not 1.1.',
    ],
    [
      { readout: [{ p1_given_0: 0.1 }] },
      'noise.readout[0].p0_given_1: p0_given_1 is missing; give a number (probability that a measured 1 is reported as 0).',
    ],
    [
      { idle: [{ ...idle, t2_us: 201 }] },
      'noise.idle[0].t2_us: T2 is at most 2·T1 = 200 µs, not 201: relaxation alone dephases that fast.',
    ],
    [
      { idle: [{ ...idle, durations_ns: { CNTO: 1 } }] },
      'noise.idle[0].durations_ns.CNTO: There is no gate called "CNTO". Did you mean cnot?',
    ],
    [
      { idle: [{ ...idle, durations_ns: { '*1': -1 } }] },
      'noise.idle[0].durations_ns["*1"]: A duration is from 0 to 1000000000000 ns, not -1.',
    ],
    [
      { idle: [{ ...idle, durations_ns: { CX: 1e13 } }] },
      'noise.idle[0].durations_ns.CX: A duration is from 0 to 1000000000000 ns, not 10000000000000.',
    ],
    [
      { idle: [{ ...idle, durations_ns: { CX: 1, cnot: 2 } }] },
      'noise.idle[0].durations_ns.cnot: CX is named twice.',
    ],
    [
      { idle: [{ t1_us: 1, t2_us: 1 }] },
      'noise.idle[0].durations_ns: Missing; without durations no qubit ever waits. Give some, for example {"*1": 35, "CX": 300, "M": 1000}.',
    ],
    [
      { model: 'apsen' },
      'noise.model: There is no noise model called "apsen". Did you mean aspen?',
    ],
    [{ model: 'aspen', gates: [] }, 'noise.gates: `model` names a whole model; leave out gates.'],
    [{ gate: [] }, 'noise.gate: There is no field "gate" here. Did you mean gates?'],
    [
      { gates: [{ gates: 'X', channel: flip }] },
      'noise.gates[0].gates: gates must be a list, not the string "X"; write ["X"].',
    ],
  ])('%j', (model, fault) => {
    expect(faultsOf(model)[0]).toBe(fault);
  });
});

test('the channels of a model have a limit together', () => {
  const wide = { type: 'depolarizing', probability: 0.1, num_qubits: 6 };
  const model = { gates: Array.from({ length: 300 }, () => ({ gates: ['*6'], channel: wide })) };
  expect(faultsOf(model)).toEqual([
    'noise.gates[244].channel: The channels have too many Pauli strings and entries of Kraus matrices up to this one; the limit is 1000000.',
  ]);
});

test('a model without faults is read', () => {
  const probability = 0.01;
  expect(
    faultsOf({
      gates: [
        { gates: ['*1', 'cnot', '*'], channel: { type: 'bit_flip', probability } },
        {
          gates: ['CX', 'UNITARY', '*'],
          qubits: [[0, 1]],
          channel: { type: 'pauli', probabilities: { ZZ: 0.01 } },
        },
      ],
      readout: [{ qubits: [0], p1_given_0: 0.1, p0_given_1: 0.2 }],
      idle: [{ t1_us: 100, t2_us: 200, durations_ns: { '*1': 35, CX: 300, M: 1000, RESET: 5 } }],
    }),
  ).toEqual([]);
  expect(faultsOf({ model: 'aspen' })).toEqual([]);
});
