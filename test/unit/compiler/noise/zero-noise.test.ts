/** Noise that is zero is no part of a program. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../../src/circuit/circuit.ts';
import { FaultList } from '../../../../src/circuit/errors.ts';
import {
  circuitFromGateObjects,
  noisyCircuitFromGateObjects,
} from '../../../../src/circuit/gate-objects.ts';
import { applyNoise } from '../../../../src/circuit/noise/apply-noise.ts';
import type { ChannelObject } from '../../../../src/circuit/noise/channel-object.ts';
import { noiseModelSchema } from '../../../../src/circuit/noise/noise-model-schema.ts';
import { readNoiseModel } from '../../../../src/circuit/noise/read-noise-model.ts';
import { compile } from '../../../../src/compiler/compile.ts';
import { circuitWork, methodOf } from '../../../../src/fleet/schedule/scheduled-run.ts';
import { profile } from '../../../support/profiles.ts';

const limits = { maxQubits: 30, maxGates: 1000 };
const IDENTITY = [
  [
    [1, 0],
    [0, 0],
  ],
  [
    [0, 0],
    [1, 0],
  ],
] as const;

/** Channels that do nothing, of every type. */
const ZERO: readonly ChannelObject[] = [
  { type: 'bit_flip', probability: 0 },
  { type: 'phase_flip', probability: 0 },
  { type: 'bit_phase_flip', probability: 0 },
  { type: 'pauli', probabilities: { X: 0, Z: 0 } },
  { type: 'depolarizing', probability: 0 },
  { type: 'amplitude_damping', gamma: 0 },
  { type: 'generalized_amplitude_damping', gamma: 0, excited: 0.3 },
  { type: 'phase_damping', gamma: 0 },
  { type: 'thermal_relaxation', t1_us: 50, t2_us: 70, duration_ns: 0 },
  { type: 'reset', probability: 0 },
  { type: 'kraus', matrices: [IDENTITY] },
];

const GATES = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'RY', qubit: 1, theta: 0.3 },
  { gate: 'M', qubits: [0, 1] },
] as const;

/** Expects the program of the circuit without noise, on one state. */
function expectQuiet(circuit: DynamicCircuit): void {
  const ideal = circuitFromGateObjects(GATES, { limits });
  const target = profile();
  expect(compile(circuit, target).program.hash).toBe(compile(ideal, target).program.hash);
  expect(methodOf(circuitWork(circuit), {})).toBe('statevector');
}

describe.each(ZERO)('$type of nothing', (channel) => {
  test('after gates leaves the program as it is', () => {
    const faults = new FaultList();
    const object = noiseModelSchema.parse({ gates: [{ gates: ['*'], channel }] });
    const model = readNoiseModel(object, faults, new Map());
    const circuit = circuitFromGateObjects(GATES, { limits });
    const written = applyNoise(circuit, model!, faults);
    expect(faults.kept).toEqual([]);
    expectQuiet(written!);
  });

  test('among the gates leaves the program as it is', () => {
    const [first, ...rest] = GATES;
    const noise = { gate: 'NOISE', qubits: [0], channel } as const;
    expectQuiet(noisyCircuitFromGateObjects([first, noise, ...rest], { limits }));
  });
});

test('readout without errors and waiting without decay leave the program as it is', () => {
  const faults = new FaultList();
  const object = {
    readout: [{ p1_given_0: 0, p0_given_1: 0 }],
    idle: [{ t1_us: 50, t2_us: 70, durations_ns: { '*': 0 } }],
  };
  const model = readNoiseModel(object, faults, new Map());
  expect(faults.kept).toEqual([]);
  expectQuiet(applyNoise(circuitFromGateObjects(GATES, { limits }), model!, faults)!);
});
