/** Noise scans against an independent simulation of density matrices, and closed forms. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type DynamicCircuit,
  type DynamicOperation,
  operationQubits,
} from '../../../../../src/circuit/circuit.ts';
import { circuitFromGateObjects } from '../../../../../src/circuit/gate-objects.ts';
import { NAMED_NOISE_MODELS } from '../../../../../src/compiler/device/noise-models.ts';
import { noiseScan } from '../../../../../src/workloads/agents/research/noise-scan.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { densityExpectation } from '../../../../support/density-matrix.ts';
import { exactRun } from '../../../../support/noise-oracle.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { channelOf, depolarizing } from '../../../../support/textbook-channels.ts';

const outcomes = z
  .array(z.object({ outcome: z.string(), probability: z.number() }))
  .transform((list) => new Map(list.map(({ outcome, probability }) => [outcome, probability])));
const view = z.object({
  ideal: z.object({ likeliest_outcomes: outcomes, expectations: z.array(z.number()) }),
  levels: z.array(
    z.object({
      one_qubit_error: z.number().optional(),
      two_qubit_error: z.number().optional(),
      readout_error: z.number().optional(),
      no_gate_error_probability: z.number(),
      trajectories: z.number(),
      total_variation_distance: z.number(),
      classical_fidelity: z.number(),
      largest_probability_standard_error: z.number(),
      expectations: z.array(z.object({ value: z.number(), standard_error: z.number() })),
      likeliest_outcomes: outcomes,
    }),
  ),
});

async function scanned(input: JsonObject) {
  await using test = openTestContext({ maxQubits: 14 });
  const json = await test.run(noiseScan, input);
  return { result: view.parse(json), json, told: test.told };
}

/** Gates of one and two qubits, controlled and not, that leave nothing symmetric. */
const GATES = [
  { gate: 'H', qubit: 0 },
  { gate: 'RY', qubit: 1, theta: 0.7 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'T', qubit: 1 },
  { gate: 'RXX', qubits: [2, 1], theta: 1.1 },
  { gate: 'RY', qubit: 0, theta: -0.4 },
  { gate: 'CRY', control: 1, target: 0, theta: 0.9 },
];

/** GATES, each with a depolarizing channel on its qubits behind it. */
function withErrors(oneQubitError: number, twoQubitError: number): DynamicCircuit {
  const limits = { maxQubits: 3, maxGates: 100 };
  const circuit = circuitFromGateObjects(GATES, { limits });
  const operations = circuit.operations.flatMap((operation): readonly DynamicOperation[] => {
    const qubits = operationQubits(operation);
    const rate = qubits.length === 1 ? oneQubitError : twoQubitError;
    const channel = channelOf(depolarizing(rate, qubits.length));
    return [operation, { kind: 'noise', qubits, channel }];
  });
  return { ...circuit, operations };
}

describe('against the density matrix', () => {
  test.each([
    { one_qubit_error: 0.05, two_qubit_error: 0, readout_error: 0 },
    { one_qubit_error: 0, two_qubit_error: 0.2, readout_error: 0 },
    { one_qubit_error: 0.02, two_qubit_error: 0.1, readout_error: 0 },
    { one_qubit_error: 0.6, two_qubit_error: 0.9, readout_error: 0 },
  ])(
    'distributions and expectation values at %j are exact, or means with standard errors where the circuit is wide',
    async (level) => {
      const input = {
        circuit: GATES,
        levels: [level],
        observables: [{ pauli: 'Z0' }, [{ pauli: 'X1 Y2' }, { pauli: 'Z2', coefficient: -0.5 }]],
      };
      const { result } = await scanned(input);
      const { result: wide } = await scanned({ ...input, qubits: 13, trajectories: 300 });
      const rho = exactRun(withErrors(level.one_qubit_error, level.two_qubit_error)).density;
      const [found, estimated] = [result.levels[0]!, wide.levels[0]!];
      expect(found).toMatchObject({ trajectories: 0, largest_probability_standard_error: 0 });
      expect(estimated.trajectories).toBeGreaterThan(20);
      const spread = estimated.largest_probability_standard_error;
      expect(spread).toBeGreaterThan(0);
      expect(spread).toBeLessThan(0.03);
      for (let i = 0; i < 8; i++) {
        const label = i.toString(2).padStart(3, '0');
        const exact = rho[2 * 9 * i]!;
        expect(found.likeliest_outcomes.get(label) ?? 0).toBeCloseTo(exact, 10);
        const mean = estimated.likeliest_outcomes.get(label.padStart(13, '0')) ?? 0;
        expect(Math.abs(mean - exact)).toBeLessThan(5 * spread);
      }
      const exact = [
        densityExpectation(rho, [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }]),
        densityExpectation(rho, [
          {
            coefficient: 1,
            factors: [
              { pauli: 'X', qubit: 1 },
              { pauli: 'Y', qubit: 2 },
            ],
          },
          { coefficient: -0.5, factors: [{ pauli: 'Z', qubit: 2 }] },
        ]),
      ];
      for (const [i, value] of exact.entries()) {
        expect(found.expectations[i]).toEqual({
          value: expect.closeTo(value, 12),
          standard_error: 0,
        });
        const { value: mean, standard_error } = estimated.expectations[i]!;
        expect(standard_error).toBeLessThan(0.06);
        expect(Math.abs(mean - value)).toBeLessThan(5 * standard_error + 1e-12);
      }
    },
  );
});

describe('closed forms', () => {
  test('without noise the result is the ideal one, and nothing is drawn', async () => {
    const { result, told } = await scanned({
      circuit: GATES,
      levels: [{}],
      observables: [{ pauli: 'Z0' }],
    });
    const [level] = result.levels;
    expect(level).toMatchObject({ trajectories: 0, total_variation_distance: 0 });
    expect(level!.classical_fidelity).toBeCloseTo(1, 12);
    expect(level!.likeliest_outcomes).toEqual(result.ideal.likeliest_outcomes);
    expect(level!.expectations).toEqual([
      { value: result.ideal.expectations[0], standard_error: 0 },
    ]);
    expect(told.circuits).toBe(1);
  });

  test('readout errors are exact: distributions by flips, terms by their weight', async () => {
    const { result, told } = await scanned({
      circuit: [
        { gate: 'X', qubit: 0 },
        { gate: 'M', qubits: [0, 1] },
      ],
      levels: [{ readout_error: 0.1 }],
      observables: [[{ pauli: 'Z0' }, { pauli: 'Z0 Z1', coefficient: 2 }, { pauli: 'I' }]],
    });
    const [level] = result.levels;
    expect(Object.fromEntries(level!.likeliest_outcomes)).toEqual({
      '01': expect.closeTo(0.81, 12),
      '00': expect.closeTo(0.09, 12),
      '11': expect.closeTo(0.09, 12),
      '10': expect.closeTo(0.01, 12),
    });
    expect(level!.expectations[0]!.value).toBeCloseTo(-0.8 - 2 * 0.64 + 1, 12);
    expect(level!.total_variation_distance).toBeCloseTo(0.19, 12);
    expect(told.circuits).toBe(2);
  });

  test('bits that nothing is measured into are not misread', async () => {
    const { result } = await scanned({
      circuit: [{ gate: 'M', qubits: [0], bits: [1] }],
      levels: [{ readout_error: 0.25 }],
    });
    const found = Object.fromEntries(result.levels[0]!.likeliest_outcomes);
    expect(found).toEqual({ '00': expect.closeTo(0.75, 12), '10': expect.closeTo(0.25, 12) });
  });

  test('⟨Z⟩ after n gates fades as (1 − 4p/3)^n', async () => {
    const p = 0.03;
    const circuit = Array.from({ length: 12 }, () => ({ gate: 'ID', qubit: 0 }));
    const { result } = await scanned({
      circuit,
      levels: [{ one_qubit_error: p }],
      observables: [{ pauli: 'Z0' }],
    });
    expect(result.levels[0]!.expectations[0]!.value).toBeCloseTo((1 - (4 * p) / 3) ** 12, 12);
    expect(result.levels[0]!.no_gate_error_probability).toBeCloseTo((1 - p) ** 12, 12);
  });

  test('bits whose two values are misread unlike shift what is measured of every Pauli', async () => {
    const noise = { readout: [{ p1_given_0: 0.02, p0_given_1: 0.1 }] };
    const circuit = [{ gate: 'H', qubit: 0 }];
    const observables = [{ pauli: 'Z0' }, { pauli: 'X0' }, { pauli: 'Z0 Z1' }];
    for (const qubits of [2, 13]) {
      const { result } = await scanned({ circuit, qubits, noise, observables, trajectories: 2 });
      const [z, x, zz] = result.levels[0]!.expectations;
      expect(z).toEqual({ value: expect.closeTo(0.08, 12), standard_error: 0 });
      expect(x!.value).toBeCloseTo(0.08 + 0.88, 12);
      expect(zz!.value).toBeCloseTo(0.08 * (0.08 + 0.88), 12);
    }
  });

  test('a noise model may relax qubits, act on three of them, and is multiplied by factors', async () => {
    const gamma = 0.2;
    const noise = {
      gates: [
        { gates: ['X'], channel: { type: 'amplitude_damping', gamma } },
        { gates: ['CCX'], channel: { type: 'bit_flip', probability: 0.1 } },
      ],
    };
    const { result, json } = await scanned({
      circuit: [
        { gate: 'X', qubit: 0 },
        { gate: 'CCX', controls: [1, 2], target: 3 },
      ],
      noise,
      scale_factors: [0, 0.5, 1, 2, 100],
      observables: [{ pauli: 'Z0' }, { pauli: 'Z3' }],
    });
    for (const [i, factor] of [0, 0.5, 1, 2, 5].entries()) {
      const [damped, flipped] = result.levels[i]!.expectations;
      expect(damped!.value).toBeCloseTo(-1 + 2 * gamma * factor, 12);
      expect(flipped!.value).toBeCloseTo(1 - 0.2 * factor, 12);
    }
    expect(json['levels']).toMatchObject([{ scale_factor: 0 }, {}, {}, {}, { scale_factor: 100 }]);
  });

  test('a device is short for its noise model', async () => {
    const input = { circuit: GATES, observables: [{ pauli: 'Z0' }] };
    const { result, json } = await scanned({ ...input, device: 'google-willow' });
    const { json: named } = await scanned({ ...input, noise: { model: 'google-willow' } });
    const { result: written } = await scanned({
      ...input,
      noise: NAMED_NOISE_MODELS.find(({ id }) => id === 'google-willow')!.noise,
    });
    expect(json['rates_source']).toBe(named['rates_source']);
    expect(result.levels[0]!.readout_error).toBeCloseTo((3.7e-3 + 1.06e-2) / 2, 12);
    expect(written.levels[0]!.expectations).toEqual(result.levels[0]!.expectations);
    expect(named['levels']).toMatchObject([{ expectations: result.levels[0]!.expectations }]);
  });

  test("more of a device's noise is further from the ideal", async () => {
    const { result, json, told } = await scanned({
      circuit: GATES,
      device: 'ibm-brisbane',
      scale_factors: [0, 1, 5, 25],
    });
    const distances = result.levels.map((level) => level.total_variation_distance);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(distances[0]).toBe(0);
    // Average infidelities r become error probabilities (1 + 2^−k)·r.
    expect(result.levels[1]).toMatchObject({
      one_qubit_error: expect.closeTo(1.5 * 2.4e-4, 9),
      two_qubit_error: expect.closeTo(1.25 * 7.7e-3, 9),
      readout_error: 2e-2,
    });
    expect(json['basis']).toMatch(/emulated/);
    expect(told.progress.at(-1)?.fraction).toBe(1);
  });
});

test('the same seed gives the same result, another seed another', async () => {
  const input = {
    circuit: GATES,
    qubits: 13,
    levels: [{ two_qubit_error: 0.3 }],
    trajectories: 20,
  };
  const one = await scanned({ ...input, seed: 1 });
  expect((await scanned({ ...input, seed: 1 })).json).toEqual(one.json);
  expect((await scanned({ ...input, seed: 2 })).result).not.toEqual(one.result);
});

const IDENTITY = [
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

test.each<[string, JsonObject, string]>([
  ['neither levels nor device', { circuit: GATES }, 'levels'],
  ['device and noise', { circuit: GATES, device: 'ibm-fez', noise: {} }, 'noise'],
  ['a model that is not known', { circuit: GATES, noise: { model: 'ibm-fes' } }, 'noise.model'],
  [
    'a model that is not valid',
    { circuit: GATES, noise: { readout: [{ p1_given_0: 2, p0_given_1: 0 }] } },
    'noise.readout[0].p1_given_0',
  ],
  [
    'a Kraus channel multiplied',
    {
      circuit: GATES,
      noise: { gates: [{ gates: ['*1'], channel: { type: 'kraus', matrices: IDENTITY } }] },
      scale_factors: [2],
    },
    'noise.gates[0].channel',
  ],
  [
    'long strings of bits that are misread unlike',
    {
      circuit: [{ gate: 'H', qubit: 15 }],
      device: 'google-willow',
      observables: [{ pauli: Array.from({ length: 16 }, (_, qubit) => `Z${qubit}`).join(' ') }],
    },
    'observables',
  ],
  ['levels and device', { circuit: GATES, levels: [{}], device: 'ibm-fez' }, 'device'],
  ['factors without device', { circuit: GATES, levels: [{}], scale_factors: [1] }, 'scale_factors'],
  [
    'gates on three qubits',
    { circuit: [{ gate: 'CCX', controls: [0, 1], target: 2 }], levels: [{}] },
    'circuit[0]',
  ],
  [
    'what comes after a measurement',
    {
      circuit: [
        { gate: 'M', qubits: [0] },
        { gate: 'H', qubit: 0 },
      ],
      levels: [{}],
    },
    'circuit',
  ],
  ['too many qubits', { circuit: [{ gate: 'H', qubit: 16 }], levels: [{}] }, 'circuit[0].qubit'],
  [
    'too much work',
    {
      circuit: GATES,
      qubits: 16,
      device: 'ibm-fez',
      trajectories: 20_000,
      scale_factors: [1, 2, 3, 4, 5, 6],
    },
    'trajectories',
  ],
  [
    'observables past the register',
    { circuit: GATES, levels: [{}], observables: [{ pauli: 'Z9' }] },
    'observables[0].pauli',
  ],
])('refuses %s before it runs', (_, input, path) => {
  expect(noiseScan.faultsOf(input)[0]?.path).toBe(path);
});
