import { describe, expect, test } from 'vitest';
import { simulation } from '../../../../src/workloads/tpu/simulation.ts';
import { openTestContext } from '../../../support/procedure-context.ts';

interface Result {
  readonly name?: string;
  readonly counts?: Readonly<Record<string, number>>;
  readonly probabilities?: Readonly<Record<string, number>>;
  readonly expectations?: readonly number[];
  readonly shots?: number;
  readonly seed?: number;
  readonly qubits: number;
  readonly measured_qubits: readonly number[];
}

async function simulate(input: Parameters<typeof simulation.run>[0], options = {}) {
  await using service = openTestContext(options);
  const whole = await service.run(simulation, JSON.parse(JSON.stringify(input)));
  const results: readonly Result[] = JSON.parse(JSON.stringify(whole['results'] ?? []));
  return { whole, results, told: service.told };
}

function faultsOf(input: unknown): readonly string[] {
  return simulation.faultsOf(input).map(({ path }) => path);
}

const H = { gate: 'H', qubit: 0 };
const ghz = (width: number) => [
  H,
  ...Array.from({ length: width - 1 }, (_, i) => ({ gate: 'CX', control: i, target: i + 1 })),
];

describe('a simulation job', () => {
  test('without an input measures a Bell pair and a GHZ state', async () => {
    const { results, whole, told } = await simulate({});
    const [bell, wide, ...more] = results;
    expect(more).toEqual([]);
    expect(Object.keys(bell?.counts ?? {}).toSorted()).toEqual(['00', '11']);
    expect(Object.keys(wide?.counts ?? {}).toSorted()).toEqual(['00000', '11111']);
    for (const { counts = {} } of results) {
      const shots = Object.values(counts);
      expect(shots.reduce((a, b) => a + b)).toBe(1024);
      // Five standard deviations of 16.
      for (const count of shots) expect(Math.abs(count - 512)).toBeLessThan(80);
    }
    for (const value of bell?.expectations ?? []) expect(value).toBeCloseTo(1, 12);
    expect(bell?.expectations).toHaveLength(2);
    expect(whole).toMatchObject({ circuits: 2, bit_order: 'little-endian', seed: 7 });
    // H and CX on 4 and on 32 amplitudes.
    expect(whole['flops']).toBe(4 * 14 + 2 * 14 + 32 * 14 + 4 * 16 * 14);
    expect(told.units).toBe(2);
    expect(told.progress.at(-1)).toEqual({ fraction: 1, message: '2 of 2 circuits' });
  });

  test('computes of each circuit what that one asks for', async () => {
    const { results } = await simulate({
      shots: 100,
      circuits: [
        { name: 'counts', circuit: [{ gate: 'X', qubit: 1 }] },
        { circuit: [H], shots: 0, probabilities: true },
        {
          circuit: [{ gate: 'RY', qubit: 0, theta: 0.4 }],
          shots: 0,
          observables: [{ pauli: 'Z0' }, [{ pauli: 'X0', coefficient: 2 }, { pauli: 'I' }]],
        },
        { qasm: 'OPENQASM 2.0; qreg q[1]; creg c[1]; measure q -> c;', shots: 3 },
      ],
    });
    expect(results[0]).toMatchObject({ name: 'counts', counts: { '10': 100 }, qubits: 2 });
    expect(results[1]).not.toHaveProperty('counts');
    expect(results[1]?.probabilities?.['0']).toBeCloseTo(0.5, 12);
    expect(results[2]?.expectations?.[0]).toBeCloseTo(Math.cos(0.4), 12);
    expect(results[2]?.expectations?.[1]).toBeCloseTo(2 * Math.sin(0.4) + 1, 12);
    expect(results[2]).not.toHaveProperty('seed');
    expect(results[3]).toMatchObject({ counts: { '0': 3 }, shots: 3, measured_qubits: [0] });
  });

  test('runs what measures on the way, and counts its gates for each shot', async () => {
    const circuit = [
      H,
      { gate: 'M', qubits: [0] },
      { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
      { gate: 'M', qubits: [1] },
    ];
    const { results, whole } = await simulate({ circuits: [{ circuit, shots: 50 }] });
    expect(Object.keys(results[0]?.counts ?? {}).toSorted()).toEqual(['00', '11']);
    expect(whole['flops']).toBe(50 * 2 * 4 * 14);
  });

  test('keeps the order of many circuits, gives each its seed, and the same for the same', async () => {
    const circuits = Array.from({ length: 64 }, (_, i) => ({
      name: `${i}`,
      circuit: ghz((i % 3) + 1),
    }));
    const { results } = await simulate({ circuits, seed: 3 });
    expect(results.map(({ name }) => name)).toEqual(circuits.map(({ name }) => name));
    expect(results.map(({ qubits }) => qubits)).toEqual(circuits.map((_, i) => (i % 3) + 1));
    expect(new Set(results.map(({ seed }) => seed)).size).toBe(64);
    expect(
      new Set(results.map(({ counts }) => Object.values(counts ?? {})[0])).size,
    ).toBeGreaterThan(16);
    expect((await simulate({ circuits, seed: 3 })).results).toEqual(results);
    expect((await simulate({ circuits, seed: 4 })).results).not.toEqual(results);
  });

  test('sweeps a parameter: ⟨Z⟩ of RY(θ) is cos θ', async () => {
    const { whole } = await simulate({
      sweep: {
        circuit: [{ gate: 'RY', qubit: 0, theta: 'theta' }],
        parameters: { theta: { from: 0, to: Math.PI, points: 5 } },
        observables: [{ pauli: 'Z0' }],
      },
    });
    const { points } = JSON.parse(JSON.stringify(whole['sweep']));
    expect(points).toHaveLength(5);
    for (const { values, expectations } of points) {
      expect(expectations[0]).toBeCloseTo(Math.cos(values[0]), 12);
    }
    expect(whole).toMatchObject({ circuits: 5, flops: 5 * 2 * 14 });
  });

  test('counts the gates of a sweep for each shot where something is measured on the way', async () => {
    const { whole } = await simulate({
      sweep: {
        circuit: [
          { gate: 'RX', qubit: 0, theta: 'theta' },
          { gate: 'M', qubits: [0] },
          { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
          { gate: 'M', qubits: [1] },
        ],
        parameters: { theta: [0, Math.PI, 1] },
        shots: 50,
      },
    });
    expect(whole).toMatchObject({ circuits: 3, flops: 3 * 50 * 2 * 4 * 14 });
  });

  test('says so of circuits that are wider than what runs now', async () => {
    const circuits = [{ circuit: ghz(3) }, { circuit: ghz(5) }];
    await expect(simulate({ circuits }, { maxQubits: 4 })).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
      faults: [{ path: 'circuits[1]' }],
    });
  });

  test('ends between circuits when it is cancelled', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(simulate({}, { signal })).rejects.toThrow('cancelled');
  });
});

describe('a simulation is refused', () => {
  const reset = [H, { gate: 'RESET', qubits: [0] }];
  const sweep = {
    circuit: [{ gate: 'RY', qubit: 0, theta: 'theta' }],
    parameters: { theta: [0, 1] },
    observables: [{ pauli: 'Z0' }],
  };

  test.each([
    [
      'a gate that is none',
      { circuits: [{ circuit: [H] }, { circuit: [{ gate: 'HH', qubit: 0 }] }] },
      'circuits[1].circuit[0].gate',
    ],
    ['a circuit without gates', { circuits: [{ circuit: [] }] }, 'circuits[0].circuit'],
    ['a circuit that is not there', { circuits: [{ name: 'nothing' }] }, 'circuits[0].circuit'],
    [
      'a circuit twice over',
      { circuits: [{ circuit: [H], qasm: 'qubit q;' }] },
      'circuits[0].qasm',
    ],
    ['a text that is no program', { circuits: [{ qasm: 'hello' }] }, 'circuits[0].qasm'],
    [
      'a Pauli that is none',
      { circuits: [{ circuit: [H], observables: [{ pauli: 'Q0' }] }] },
      'circuits[0].observables[0].pauli',
    ],
    [
      'a Pauli on a qubit that is not there',
      { circuits: [{ circuit: [H], observables: [{ pauli: 'Z1' }] }] },
      'circuits[0].observables[0].pauli',
    ],
    ['nothing that is asked for', { circuits: [{ circuit: [H], shots: 0 }] }, 'circuits[0].shots'],
    [
      'probabilities past a reset',
      { circuits: [{ circuit: reset, probabilities: true }] },
      'circuits[0].probabilities',
    ],
    [
      'expectation values past a reset',
      { circuits: [{ circuit: reset, observables: [{ pauli: 'Z0' }] }] },
      'circuits[0].observables',
    ],
    [
      'probabilities of too many bits',
      { circuits: [{ circuit: ghz(15), probabilities: true }] },
      'circuits[0].probabilities',
    ],
    [
      'a circuit wider than any',
      { circuits: [{ circuit: ghz(25) }] },
      'circuits[0].circuit[24].target',
    ],
    [
      'more outcomes than a result holds',
      { circuits: [{ circuit: ghz(20), shots: 100_000 }, { circuit: [H] }] },
      'circuits',
    ],
    [
      'more work than there is time for',
      { circuits: [{ circuit: [...ghz(24), ...reset], shots: 1_000 }] },
      'circuits',
    ],
    ['a sweep and circuits', { circuits: [{ circuit: [H] }], sweep }, 'sweep'],
    [
      'a sweep of a parameter that is not used',
      { sweep: { ...sweep, parameters: { theta: [0], phi: [1] } } },
      'sweep.parameters.phi',
    ],
  ])('for %s', (_, input, path) => {
    // A text's fault names its line, too.
    expect(faultsOf(input)).toEqual([expect.stringContaining(path)]);
  });

  test.each([
    ['no circuits', { circuits: [] }],
    ['too many circuits', { circuits: Array(65).fill({ circuit: [H] }) }],
    ['too many shots', { shots: 100_001 }],
    [
      'an angle that is NaN',
      { circuits: [{ circuit: [{ gate: 'RX', qubit: 0, theta: Number.NaN }] }] },
    ],
    [
      'a coefficient that is infinite',
      {
        circuits: [
          { circuit: [H], observables: [{ pauli: 'Z0', coefficient: Number.POSITIVE_INFINITY }] },
        ],
      },
    ],
    ['an unknown field', { circuits: [{ circuit: [H], repeat: 2 }] }],
    ['a seed inside of a sweep', { sweep: { ...sweep, seed: 1 } }],
  ])('for the form of %s', (_, input) => {
    expect(simulation.input.safeParse(input).success).toBe(false);
  });
});
