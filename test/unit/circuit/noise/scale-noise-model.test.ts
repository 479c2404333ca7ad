import { describe, expect, test } from 'vitest';
import { FaultList } from '../../../../src/circuit/errors.ts';
import type { NoiseModelObject } from '../../../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../../../src/circuit/noise/read-noise-model.ts';
import { scaleNoiseModel } from '../../../../src/circuit/noise/scale-noise-model.ts';

type GateNoise = NonNullable<NoiseModelObject['gates']>[number];
type Channel = GateNoise['channel'];

/** A channel after gates, multiplied. */
function scaledChannel(channel: Channel, factor: number, gates: string[] = ['*1']): Channel {
  const faults = new FaultList();
  const scaled = scaleNoiseModel({ gates: [{ gates, channel }] }, factor, faults);
  expect(faults.kept).toEqual([]);
  return scaled.gates![0]!.channel;
}

const CHANNELS: readonly Channel[] = [
  { type: 'bit_flip', probability: 0.1 },
  { type: 'phase_flip', probability: 0.1 },
  { type: 'bit_phase_flip', probability: 0.1 },
  { type: 'pauli', probabilities: { X: 0.1, Z: 0.05 } },
  { type: 'depolarizing', probability: 0.1 },
  { type: 'amplitude_damping', gamma: 0.1 },
  { type: 'generalized_amplitude_damping', gamma: 0.1, excited: 0.2 },
  { type: 'phase_damping', gamma: 0.1 },
  { type: 'thermal_relaxation', t1_us: 100, t2_us: 80, duration_ns: 50 },
  { type: 'reset', probability: 0.1 },
  { type: 'loss', probability: 0.1 },
];

describe.each(CHANNELS)('$type', (channel) => {
  test('stays as it is at 1, and is a valid channel at any factor', () => {
    expect(scaledChannel(channel, 1)).toEqual(channel);
    for (const factor of [0.3, 2, 7, 1000]) {
      const faults = new FaultList();
      const gates = [{ gates: ['*1'], channel: scaledChannel(channel, factor) }];
      readNoiseModel({ gates }, faults, new Map());
      expect(faults.kept).toEqual([]);
    }
  });
});

test.each<[Channel, number, Channel]>([
  [{ type: 'bit_flip', probability: 0.1 }, 3, { type: 'bit_flip', probability: 0.3 }],
  [{ type: 'bit_flip', probability: 0.1 }, 9, { type: 'bit_flip', probability: 0.5 }],
  [{ type: 'bit_flip', probability: 0.8 }, 9, { type: 'bit_flip', probability: 0.8 }],
  [{ type: 'depolarizing', probability: 0.1 }, 99, { type: 'depolarizing', probability: 0.75 }],
  [
    { type: 'depolarizing', probability: 0.1, num_qubits: 2 },
    99,
    { type: 'depolarizing', probability: 15 / 16, num_qubits: 2 },
  ],
  [{ type: 'amplitude_damping', gamma: 0.1 }, 99, { type: 'amplitude_damping', gamma: 1 }],
  [
    { type: 'pauli', probabilities: { X: 0.1, Y: 0.15 } },
    4,
    { type: 'pauli', probabilities: { X: 0.2, Y: 0.3 } },
  ],
  [
    { type: 'thermal_relaxation', t1_us: 9, t2_us: 8, duration_ns: 50 },
    2,
    { type: 'thermal_relaxation', t1_us: 9, t2_us: 8, duration_ns: 100 },
  ],
])('%j times %d', (channel, factor, expected) => {
  const { probability, gamma, probabilities } = expected;
  const close = Object.entries(probabilities ?? {}).map(([k, p]) => [k, expect.closeTo(p, 12)]);
  expect(scaledChannel(channel, factor, ['*1'])).toEqual({
    ...expected,
    ...(probability !== undefined && { probability: expect.closeTo(probability, 12) }),
    ...(gamma !== undefined && { gamma: expect.closeTo(gamma, 12) }),
    ...(probabilities && { probabilities: Object.fromEntries(close) }),
  });
});

test('depolarizing noise is complete for the narrowest of its gates', () => {
  const channel: Channel = { type: 'depolarizing', probability: 0.5 };
  expect(scaledChannel(channel, 9, ['*2']).probability).toBeCloseTo(15 / 16, 12);
  expect(scaledChannel(channel, 9, ['CX', 'H']).probability).toBeCloseTo(3 / 4, 12);
});

test('readout errors and waiting times are multiplied, and 0 leaves nothing', () => {
  const model: NoiseModelObject = {
    readout: [{ qubits: [1], p1_given_0: 0.01, p0_given_1: 0.3 }],
    idle: [{ t1_us: 10, t2_us: 8, durations_ns: { CX: 300, M: 0 } }],
  };
  expect(scaleNoiseModel(model, 2, new FaultList())).toEqual({
    readout: [{ qubits: [1], p1_given_0: 0.02, p0_given_1: 0.5 }],
    idle: [{ t1_us: 10, t2_us: 8, durations_ns: { CX: 600, M: 0 } }],
  });
  expect(scaleNoiseModel(model, 0, new FaultList())).toEqual({});
});

test('a Kraus channel has nothing to multiply', () => {
  const matrices: Channel['matrices'] = [
    [
      [
        [1, 0],
        [0, 0],
      ],
      [
        [0, 0],
        [1, 0],
      ],
    ],
  ];
  const model: NoiseModelObject = {
    gates: [{ gates: ['X'], channel: { type: 'kraus', matrices } }],
  };
  const faults = new FaultList();
  expect(scaleNoiseModel(model, 1, faults)).toEqual(model);
  expect(scaleNoiseModel(model, 0, faults)).toEqual({});
  expect(faults.count).toBe(0);
  scaleNoiseModel(model, 2, faults, 'noise');
  expect(faults.kept).toMatchObject([{ path: 'noise.gates[0].channel' }]);
});
