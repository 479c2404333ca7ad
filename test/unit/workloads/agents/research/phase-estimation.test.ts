/** Phase estimation against phases that are known without it. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { gateObject } from '../../../../../src/circuit/gate-object-schema.ts';
import { circuitFromGateObjects } from '../../../../../src/circuit/gate-objects.ts';
import { phaseEstimation } from '../../../../../src/workloads/agents/research/phase-estimation.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { circuitAmplitudes } from '../../../../support/kronecker-oracle.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const view = z.looseObject({
  estimated_phase: z.number(),
  estimated_phase_probability: z.number(),
  exact_phase: z.number(),
  error: z.number(),
  resolution: z.number(),
  nearest_phase_probability: z.number(),
  eigenphases: z.array(z.object({ phase: z.number(), weight: z.number() })),
  distribution: z.array(z.number()),
  largest_deviation_from_theory: z.number(),
  estimated_energy: z.number().optional(),
  exact_energy: z.number().optional(),
  energy_resolution: z.number().optional(),
  energy_is_unambiguous: z.boolean().optional(),
  counts: z.record(z.string(), z.number()).optional(),
  circuit: z.array(gateObject),
});

async function estimated(input: JsonObject) {
  await using test = openTestContext({ maxQubits: 15 });
  return view.parse(await test.run(phaseEstimation, input));
}

describe('phases', () => {
  test('three digits give the phase of T, 1/8, for certain', async () => {
    const result = await estimated({ unitary: [{ gate: 'T', qubit: 0 }], counting_qubits: 3 });
    expect(result).toMatchObject({ estimated_phase: 0.125, exact_phase: 0.125, error: 0 });
    expect(result.estimated_phase_probability).toBeCloseTo(1, 12);
  });

  test.each([3, 4, 5, 8])(
    '%d digits of 1/3 are the nearest ones with more than 4/π²',
    async (n) => {
      const unitary = [{ gate: 'P', qubit: 0, theta: (2 * Math.PI) / 3 }];
      const result = await estimated({ unitary, counting_qubits: n });
      expect(result.estimated_phase).toBe(Math.round(2 ** n / 3) / 2 ** n);
      expect(result.exact_phase).toBeCloseTo(1 / 3, 12);
      expect(Math.abs(result.error)).toBeLessThanOrEqual(result.resolution / 2);
      expect(result.nearest_phase_probability).toBeGreaterThan(4 / Math.PI ** 2);
      // sin²(πNδ)/(N·sin πδ)², with δ a third of the resolution here.
      const [size, off] = [2 ** n, 1 / 3 - result.estimated_phase];
      const known = (Math.sin(Math.PI * size * off) / (size * Math.sin(Math.PI * off))) ** 2;
      expect(result.estimated_phase_probability).toBeCloseTo(known, 12);
    },
  );

  test('of RZ are told with their global phase', async () => {
    const unitary = [{ gate: 'RZ', qubit: 0, theta: Math.PI / 2 }];
    const low = await estimated({ unitary, counting_qubits: 3, eigenstate: 0 });
    const high = await estimated({ unitary, counting_qubits: 3, eigenstate: 1 });
    expect([low.estimated_phase, high.estimated_phase]).toEqual([1 / 8, 7 / 8]);
  });

  test('of an explicit matrix: SWAP-like on two qubits, with eigenvalues ±1 and ±i', async () => {
    const [o, one, i, minus] = [
      [0, 0],
      [1, 0],
      [0, 1],
      [0, -1],
    ];
    const matrix = [
      [o, one, o, o],
      [one, o, o, o],
      [o, o, i, o],
      [o, o, o, minus],
    ];
    const unitary = [{ gate: 'UNITARY', qubits: [0, 1], matrix }];
    for (const [eigenstate, phase] of [0, 0.25, 0.5, 0.75].entries()) {
      const result = await estimated({ unitary, counting_qubits: 4, eigenstate });
      expect(result.estimated_phase).toBe(phase);
      expect(result.estimated_phase_probability).toBeCloseTo(1, 10);
      expect(result.eigenphases.map((part) => part.phase)).toEqual([
        expect.closeTo(0, 12),
        expect.closeTo(0.25, 12),
        expect.closeTo(0.5, 12),
        expect.closeTo(0.75, 12),
      ]);
    }
  });

  test('that lie alike from any one direction are told apart', async () => {
    for (const centre of [0, 0.737, 1.3, -0.61 + 0.737]) {
      const unitary = [
        { gate: 'RX', qubit: 0, theta: 2e-4 },
        { gate: 'GPHASE', gamma: centre },
      ];
      const { eigenphases } = await estimated({ unitary });
      const phases = eigenphases.map(({ phase }) => phase * 2 * Math.PI);
      const expected = [centre - 1e-4, centre + 1e-4].map((p) => (p + 2 * Math.PI) % (2 * Math.PI));
      expect(phases).toEqual(expected.sort((a, b) => a - b).map((p) => expect.closeTo(p, 10)));
    }
  });

  test('of a prepared mixture come up by their parts', async () => {
    const unitary = [{ gate: 'Z', qubit: 0 }];
    const preparation = [{ gate: 'RY', qubit: 0, theta: 1 }];
    const result = await estimated({ unitary, preparation, counting_qubits: 2 });
    const parts = [Math.cos(0.5) ** 2, 0, Math.sin(0.5) ** 2, 0];
    expect(result.distribution).toEqual(parts.map((p) => expect.closeTo(p, 12)));
    expect(result.estimated_phase).toBe(0);
  });

  test('of equal eigenvalues count as one', async () => {
    const unitary = [{ gate: 'CZ', control: 0, target: 1 }];
    const preparation = [
      { gate: 'H', qubit: 0 },
      { gate: 'H', qubit: 1 },
    ];
    const { eigenphases } = await estimated({ unitary, preparation });
    expect(eigenphases).toEqual([
      { phase: expect.closeTo(0, 12), weight: expect.closeTo(0.75, 12) },
      { phase: expect.closeTo(0.5, 12), weight: expect.closeTo(0.25, 12) },
    ]);
  });
});

describe('energies', () => {
  test('of Z in a field are read from exp(−iHt)', async () => {
    const hamiltonian = [{ pauli: 'Z0', coefficient: 0.5 }];
    const time = Math.PI / 4;
    for (const [eigenstate, energy] of [0.5, -0.5].entries()) {
      // −E·t/2π: 15/16 for E = ½, and 1/16 for −½.
      const asked = { hamiltonian, time, counting_qubits: 4, eigenstate: 1 - eigenstate };
      const result = await estimated(asked);
      expect(result.exact_energy).toBeCloseTo(energy, 12);
      expect(result.estimated_energy).toBeCloseTo(energy, 12);
      expect(result.energy_is_unambiguous).toBe(true);
    }
  });

  test('of three qubits agree with the closed form within the resolution', async () => {
    // −XX −XX − (Z + Z + Z) on an open chain: 1 − 1/sin(π/14).
    const hamiltonian = [
      { pauli: 'X0 X1', coefficient: -1 },
      { pauli: 'X1 X2', coefficient: -1 },
      ...[0, 1, 2].map((q) => ({ pauli: `Z${q}`, coefficient: -1 })),
    ];
    const time = 0.8;
    const results = [];
    for (let eigenstate = 0; eigenstate < 8; eigenstate++) {
      results.push(await estimated({ hamiltonian, time, counting_qubits: 10, eigenstate }));
    }
    for (const result of results) {
      const { exact_energy = Number.NaN, estimated_energy = Number.NaN } = result;
      expect(result.energy_is_unambiguous).toBe(true);
      expect(Math.abs(estimated_energy - exact_energy)).toBeLessThan(result.energy_resolution!);
    }
    const lowest = Math.min(...results.map(({ exact_energy = 0 }) => exact_energy));
    expect(lowest).toBeCloseTo(1 - 1 / Math.sin(Math.PI / 14), 10);
  });

  test('past half a turn are said to be ambiguous', async () => {
    const result = await estimated({ hamiltonian: [{ pauli: 'Z0', coefficient: 10 }] });
    expect(result.energy_is_unambiguous).toBe(false);
  });
});

test('the distribution is that of the circuit given, and of theory', async () => {
  const unitary = [
    { gate: 'RY', qubit: 0, theta: 1 },
    { gate: 'CRX', control: 0, target: 1, theta: 2 },
  ];
  const result = await estimated({ unitary, counting_qubits: 3, preparation: unitary });
  expect(result.largest_deviation_from_theory).toBeLessThan(1e-12);
  const circuit = circuitFromGateObjects(result.circuit, {
    limits: { maxQubits: 5, maxGates: 99 },
  });
  const amplitudes = circuitAmplitudes(circuit);
  const found = new Float64Array(8);
  for (let i = 0; i < 32; i++)
    found[i % 8]! += amplitudes[2 * i]! ** 2 + amplitudes[2 * i + 1]! ** 2;
  expect(result.distribution).toEqual([...found].map((p) => expect.closeTo(p, 10)));
});

test('shots draw estimates with the seed', async () => {
  const unitary = [{ gate: 'P', qubit: 0, theta: 1 }];
  const one = await estimated({ unitary, shots: 1000, seed: 1 });
  const again = await estimated({ unitary, shots: 1000, seed: 1 });
  const other = await estimated({ unitary, shots: 1000, seed: 2 });
  expect(Object.values(one.counts ?? {}).reduce((sum, count) => sum + count, 0)).toBe(1000);
  expect(one.counts).toEqual(again.counts);
  expect(one.counts).not.toEqual(other.counts);
});

const T = [{ gate: 'T', qubit: 0 }];
test.each<[string, JsonObject, string]>([
  ['nothing to estimate', {}, 'unitary'],
  ['both kinds', { unitary: T, hamiltonian: [{ pauli: 'Z0' }] }, 'hamiltonian'],
  ['time without Hamiltonian', { unitary: T, time: 1 }, 'time'],
  ['no time', { hamiltonian: [{ pauli: 'Z0' }], time: 0 }, 'time'],
  ['a state twice', { unitary: T, eigenstate: 0, preparation: T }, 'preparation'],
  ['an eigenstate that is not there', { unitary: T, eigenstate: 2 }, 'eigenstate'],
  ['a unitary that measures', { unitary: [{ gate: 'M', qubits: [0] }] }, 'unitary[0]'],
  ['a unitary that is too wide', { unitary: [{ gate: 'T', qubit: 3 }] }, 'unitary[0].qubit'],
  [
    'a preparation past it',
    { unitary: T, preparation: [{ gate: 'X', qubit: 1 }] },
    'preparation[0].qubit',
  ],
  [
    'a matrix that is not unitary',
    {
      unitary: [
        {
          gate: 'UNITARY',
          qubits: [0],
          matrix: [
            [
              [1, 0],
              [1, 0],
            ],
            [
              [0, 0],
              [1, 0],
            ],
          ],
        },
      ],
    },
    'unitary[0].matrix',
  ],
  ['a Hamiltonian past three qubits', { hamiltonian: [{ pauli: 'Z3' }] }, 'hamiltonian[0].pauli'],
  ['an exponent past the limit', { hamiltonian: [{ pauli: 'Z0' }], time: 1001 }, 'hamiltonian'],
])('refuses %s before it runs', (_, input, path) => {
  expect(phaseEstimation.faultsOf(input)[0]?.path).toBe(path);
});
