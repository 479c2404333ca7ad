/** Mitigation against closed forms: decay under folding, zero-noise extrapolation, inverted readout errors. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mitigate } from '../../../../../src/workloads/agents/research/mitigate.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const estimate = z.object({ value: z.number(), standard_error: z.number() });
const result = z.object({
  observables: z.array(
    z.object({
      ideal: z.number(),
      raw: estimate,
      readout_mitigated: estimate.optional(),
      extrapolated: z.object({
        linear: estimate.optional(),
        richardson: estimate.optional(),
        exponential: z
          .object({
            value: z.number().nullable(),
            standard_error: z.number().optional(),
            reason: z.string().optional(),
            asymptote: z.number(),
            decay: z.number().optional(),
          })
          .optional(),
      }),
      by_scale_factor: z.array(
        z.object({
          scale_factor: z.number(),
          raw: estimate,
          readout_mitigated: estimate.optional(),
        }),
      ),
    }),
  ),
  folded_circuits: z.array(
    z.object({
      scale_factor: z.number(),
      gates: z.number(),
      no_gate_error_probability: z.number(),
    }),
  ),
  num_circuits: z.number(),
});

async function run(input: object) {
  await using test = openTestContext();
  const json = await test.run(mitigate, { ...input });
  return { ...result.parse(json), told: test.told };
}

const depolarizing = (probability: number, gates: string) => ({
  gates: [{ gates: [gates], channel: { type: 'depolarizing', probability } }],
});
const TURNS = [0.3, 0.5, -0.2, 0.7].map((theta) => ({ gate: 'RY', qubit: 0, theta }));
/** Bits whose two values are misread unlike, differently by qubit. */
const READOUT = [
  { p1_given_0: 0.02, p0_given_1: 0.08 },
  { qubits: [1], p1_given_0: 0.1, p0_given_1: 0 },
];
const ENTANGLED = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'RY', qubit: 1, theta: 0.6 },
  { gate: 'RX', qubit: 2, theta: -0.9 },
  { gate: 'CX', control: 1, target: 2 },
];
const OBSERVABLES = [
  { pauli: 'Z0 Z1' },
  [
    { pauli: 'X0 X1 Y2', coefficient: 0.7 },
    { pauli: 'Z2', coefficient: -1.5 },
    { pauli: 'I', coefficient: 0.25 },
  ],
];

describe('exact values', () => {
  test('decay by 1 − 4p/3 a gate under depolarizing noise, which the exponential undoes', async () => {
    const p = 0.03;
    const { observables, folded_circuits } = await run({
      circuit: TURNS,
      observables: [{ pauli: 'Z0' }, [{ pauli: 'X0' }, { pauli: 'I', coefficient: 2 }]],
      noise: depolarizing(p, '*1'),
      scale_factors: [1, 1.5, 3, 5],
    });
    const ideals = [Math.cos(1.3), 2 + Math.sin(1.3)];
    const mixed = [0, 2];
    for (const [o, found] of observables.entries()) {
      expect(found.ideal).toBeCloseTo(ideals[o]!, 12);
      for (const { scale_factor, raw, readout_mitigated } of found.by_scale_factor) {
        const kept = (1 - (4 * p) / 3) ** (4 * scale_factor);
        expect(raw.value).toBeCloseTo(mixed[o]! + kept * (ideals[o]! - mixed[o]!), 12);
        expect(raw.standard_error).toBe(0);
        expect(readout_mitigated!.value).toBeCloseTo(raw.value, 12);
      }
      const { linear, exponential, richardson } = found.extrapolated;
      expect(exponential!.asymptote).toBe(mixed[o]);
      expect(exponential!.value).toBeCloseTo(ideals[o]!, 9);
      expect(exponential!.decay).toBeCloseTo(-4 * Math.log(1 - (4 * p) / 3), 9);
      const off = (value: number) => Math.abs(value - ideals[o]!);
      expect(off(linear!.value)).toBeLessThan(off(found.raw.value));
      expect(off(richardson!.value)).toBeLessThan(off(linear!.value));
    }
    expect(folded_circuits.map(({ gates }) => gates)).toEqual([4, 6, 12, 20]);
    for (const { gates, no_gate_error_probability } of folded_circuits) {
      expect(no_gate_error_probability).toBeCloseTo((1 - p) ** gates, 12);
    }
  });

  test('lose readout errors to rounding, whatever the observable, and fold to the same', async () => {
    const { observables, told } = await run({
      circuit: ENTANGLED,
      observables: OBSERVABLES,
      noise: { readout: READOUT },
      scale_factors: [1, 3],
    });
    for (const { ideal, raw, readout_mitigated, extrapolated } of observables) {
      expect(Math.abs(raw.value - ideal)).toBeGreaterThan(0.01);
      expect(readout_mitigated!.value).toBeCloseTo(ideal, 12);
      expect(extrapolated.richardson!.value).toBeCloseTo(ideal, 11);
    }
    // The ideal values, and two groups at two scale factors.
    expect(told.circuits).toBe(5);
    expect(told.units).toBe(5);
  });

  test('of readings follow from the errors of each bit', async () => {
    const { observables } = await run({
      circuit: [{ gate: 'X', qubit: 0 }],
      qubits: 2,
      observables: [{ pauli: 'Z0' }, { pauli: 'Z0 Z1' }],
      noise: { readout: [{ p1_given_0: 0.02, p0_given_1: 0.08 }] },
      scale_factors: [1, 3],
    });
    expect(observables[0]!.raw.value).toBeCloseTo(-0.84, 12);
    expect(observables[1]!.raw.value).toBeCloseTo(-0.84 * 0.96, 12);
  });

  test('are nearer to the ideal ones after both steps, with gate noise, relaxation and readout errors', async () => {
    const noise = {
      gates: [
        ...depolarizing(0.004, '*2').gates,
        { gates: ['*1'], channel: { type: 'amplitude_damping', gamma: 0.002 } },
      ],
      readout: READOUT,
      idle: [{ t1_us: 100, t2_us: 80, durations_ns: { '*1': 30, CX: 300 } }],
    };
    const { observables } = await run({ circuit: ENTANGLED, observables: OBSERVABLES, noise });
    for (const { ideal, raw, readout_mitigated, extrapolated } of observables) {
      const off = (value: number) => Math.abs(value - ideal);
      expect(off(readout_mitigated!.value)).toBeLessThan(off(raw.value));
      expect(off(extrapolated.linear!.value)).toBeLessThan(off(readout_mitigated!.value));
      expect(off(extrapolated.richardson!.value)).toBeLessThan(off(extrapolated.linear!.value));
    }
  });

  test('are extrapolated without the inversion if it is not wanted', async () => {
    const { observables } = await run({
      circuit: TURNS,
      observables: [{ pauli: 'Z0' }],
      noise: { readout: [{ p1_given_0: 0.1, p0_given_1: 0.1 }] },
      readout_mitigation: false,
      extrapolation: ['linear'],
    });
    const [found] = observables;
    expect(found).not.toHaveProperty('readout_mitigated');
    expect(Object.keys(found!.extrapolated)).toEqual(['linear']);
    expect(found!.extrapolated.linear!.value).toBeCloseTo(0.8 * Math.cos(1.3), 12);
  });

  test('decay to the asymptote that is given, and say why where they do not', async () => {
    const input = {
      circuit: TURNS,
      observables: [{ pauli: 'Z0' }],
      noise: { gates: [{ gates: ['RY'], channel: { type: 'amplitude_damping', gamma: 0.05 } }] },
    };
    const { observables } = await run({ ...input, asymptote: 1 });
    expect(observables[0]!.extrapolated.exponential).toMatchObject({ asymptote: 1 });
    const middle = await run({ ...input, asymptote: observables[0]!.raw.value });
    expect(middle.observables[0]!.extrapolated.exponential).toMatchObject({
      value: null,
      reason: expect.stringMatching(/asymptote/),
    });
  });
});

describe('values from shots', () => {
  const noise = { ...depolarizing(0.02, '*2'), readout: READOUT };
  const input = { circuit: ENTANGLED, observables: OBSERVABLES, noise };

  test('agree with the exact ones within their standard errors, at every step', async () => {
    const exact = await run(input);
    const sampled = await run({ ...input, shots: 20_000, seed: 3 });
    for (const [o, found] of sampled.observables.entries()) {
      const known = exact.observables[o]!;
      expect(found.ideal).toBeCloseTo(known.ideal, 12);
      const pairs = [
        [found.raw, known.raw],
        [found.readout_mitigated, known.readout_mitigated],
        [found.extrapolated.linear, known.extrapolated.linear],
        [found.extrapolated.richardson, known.extrapolated.richardson],
        ...found.by_scale_factor.map(({ raw }, i) => [raw, known.by_scale_factor[i]!.raw]),
      ];
      for (const [estimated, value] of pairs) {
        expect(estimated!.standard_error).toBeGreaterThan(0);
        expect(Math.abs(estimated!.value - value!.value)).toBeLessThan(
          4.5 * estimated!.standard_error,
        );
      }
    }
  });

  test('have the errors that many repetitions spread by', async () => {
    const runs = await Promise.all(
      Array.from({ length: 100 }, (_, seed) =>
        run({ ...input, observables: [OBSERVABLES[0]], shots: 200, seed, scale_factors: [1, 3] }),
      ),
    );
    for (const name of ['linear', 'exponential', 'richardson'] as const) {
      const found = runs.map(({ observables }) => observables[0]!.extrapolated[name]!);
      const values = found.map(({ value }) => value!);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const spread = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 99;
      const told = found.reduce((sum, each) => sum + each.standard_error! ** 2, 0) / 100;
      // The spread of a variance of 100 values is 14 %.
      expect(spread / told).toBeGreaterThan(0.5);
      expect(spread / told).toBeLessThan(1.5);
    }
  });

  test('grow in error by the inverse of what readout errors leave', async () => {
    const { observables } = await run({
      circuit: [{ gate: 'H', qubit: 0 }],
      observables: [{ pauli: 'Z0' }],
      noise: { readout: [{ p1_given_0: 0.1, p0_given_1: 0.2 }] },
      scale_factors: [1, 3],
      shots: 1_000,
      seed: 1,
    });
    const { raw, readout_mitigated } = observables[0]!;
    expect(readout_mitigated!.standard_error).toBeCloseTo(raw.standard_error / 0.7, 12);
    expect(readout_mitigated!.value).toBeCloseTo((raw.value - 0.1) / 0.7, 12);
  });

  test('come for circuits too wide for a density matrix, and the same for the same seed', async () => {
    const circuit = Array.from({ length: 11 }, (_, qubit) => ({ gate: 'X', qubit }));
    const wide = {
      circuit: [...circuit, { gate: 'CX', control: 0, target: 10 }],
      observables: [{ pauli: 'Z9' }],
      noise: { ...depolarizing(0.05, '*1'), readout: READOUT },
      scale_factors: [1, 3],
      shots: 500,
      seed: 2,
    };
    const first = await run(wide);
    const [{ by_scale_factor }] = first.observables as [(typeof first.observables)[number]];
    for (const { scale_factor, readout_mitigated } of by_scale_factor) {
      const { value, standard_error } = readout_mitigated!;
      const expected = -((1 - (4 * 0.05) / 3) ** scale_factor);
      expect(Math.abs(value - expected)).toBeLessThan(4.5 * standard_error);
    }
    expect((await run(wide)).observables).toEqual(first.observables);
    expect((await run({ ...wide, seed: 3 })).observables).not.toEqual(first.observables);
  });
});

test('OpenQASM is taken, and an observable that is the identity needs no measurement', async () => {
  const { observables, num_circuits } = await run({
    qasm: 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; h q[0]; cx q[0], q[1];',
    observables: [{ pauli: 'I', coefficient: 3 }],
    noise: { model: 'iqm-garnet' },
    extrapolation: ['linear', 'richardson'],
  });
  expect(observables[0]!.ideal).toBeCloseTo(3, 12);
  expect(observables[0]!.raw).toEqual({ value: 3, standard_error: 0 });
  expect(observables[0]!.extrapolated.linear!.value).toBeCloseTo(3, 12);
  expect(num_circuits).toBe(0);
});

const H = { gate: 'H', qubit: 0 };
test.each<[string, object, string]>([
  ['a measurement in the middle', { circuit: [{ gate: 'M', qubits: [0] }, H] }, 'circuit'],
  ['a reset', { circuit: [H, { gate: 'RESET', qubits: [0] }, H] }, 'circuit'],
  [
    'noise in the circuit',
    { circuit: [{ gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: 0.1 } }] },
    'circuit[0].gate',
  ],
  ['no gate', { circuit: [{ gate: 'M', qubits: [0] }] }, 'circuit'],
  ['scale factors without 1', { scale_factors: [1.5, 3] }, 'scale_factors'],
  ['factors that fold alike', { scale_factors: [1, 3, 3.1] }, 'scale_factors[2]'],
  ['an asymptote of no exponential', { extrapolation: ['linear'], asymptote: 0 }, 'asymptote'],
  ['a fit listed twice', { extrapolation: ['linear', 'linear'] }, 'extrapolation[1]'],
  ['a model that is not known', { noise: { model: 'ibm-fes' } }, 'noise.model'],
  [
    'a channel that is not valid',
    { noise: { gates: [{ gates: ['H'], channel: { type: 'bit_flip', probability: 2 } }] } },
    'noise.gates[0].channel.probability',
  ],
  [
    'readings that say nothing',
    { noise: { readout: [{ p1_given_0: 0.4, p0_given_1: 0.6 }] } },
    'noise.readout',
  ],
  ['observables past the register', { observables: [{ pauli: 'Z9' }] }, 'observables[0].pauli'],
  ['exact values of wide circuits', { qubits: 11 }, 'shots'],
  [
    'too many folded gates',
    { circuit: Array.from({ length: 900 }, () => H), scale_factors: [1, 9, 19] },
    'scale_factors',
  ],
  [
    'too much work',
    { circuit: Array.from({ length: 800 }, () => H), qubits: 16, shots: 1_000_000 },
    'shots',
  ],
])('refuses %s before it runs', async (_, input, path) => {
  const whole = {
    circuit: [H, { gate: 'T', qubit: 0 }],
    observables: [{ pauli: 'Z0' }],
    noise: depolarizing(0.01, '*1'),
    ...input,
  };
  expect((await mitigate.lateFaultsOf!(whole))[0]?.path).toBe(path);
  // In a plan the input is known only then.
  await using service = openTestContext();
  await expect(mitigate.run(whole, service.context)).rejects.toMatchObject({ faults: [{ path }] });
});
