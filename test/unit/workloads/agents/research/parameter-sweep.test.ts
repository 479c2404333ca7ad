/** Sweeps against closed forms, and what they refuse. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { withFinalMeasurement } from '../../../../../src/circuit/circuit.ts';
import { circuitFromGateObjects } from '../../../../../src/circuit/gate-objects.ts';
import { countsOfRow } from '../../../../../src/fleet/run-outputs.ts';
import { parameterSweep } from '../../../../../src/workloads/agents/research/parameter-sweep.ts';
import { circuitSeed } from '../../../../../src/workloads/algorithms/run-points.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

const view = z.object({
  num_points: z.number(),
  points: z.array(
    z.object({
      values: z.array(z.number()),
      expectations: z.array(z.number()).default([]),
      counts: z.record(z.string(), z.number()).optional(),
      probabilities: z.record(z.string(), z.number()).optional(),
    }),
  ),
  lowest: z.object({ values: z.array(z.number()), expectation: z.number() }).optional(),
});

async function sweep(input: JsonObject, maxQubits = 14) {
  await using test = openTestContext({ maxQubits });
  return { result: view.parse(await test.run(parameterSweep, input)), told: test.told };
}

function faultsOf(input: JsonObject) {
  return parameterSweep.faultsOf(input);
}

const TURNED = [
  { gate: 'RY', qubit: 0, theta: 'a' },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'RZ', qubit: 1, theta: '-0.5*b' },
  { gate: 'H', qubit: 1 },
];

test('noise is refused, in JSON and in OpenQASM', () => {
  const parameters = { a: [0.3, 1.1] };
  const observables = [{ pauli: 'Z0' }];
  const channel = { type: 'bit_flip', probability: 0.1 };
  const circuit = [
    { gate: 'RX', qubit: 0, theta: 'a' },
    { gate: 'NOISE', qubits: [0], channel },
  ];
  expect(faultsOf({ circuit, parameters, observables })).toEqual([
    { path: 'circuit', message: 'A sweep takes circuits without noise.' },
  ]);
  const qasm = 'input float a; qubit q; U(a, 0, 0) q;\n#pragma braket noise bit_flip(0.1) q\n';
  expect(faultsOf({ qasm, parameters, observables })[0]?.message).toContain(
    'line 2, column 1: "#pragma braket noise" where a circuit without noise is needed',
  );
});

describe('known answers', () => {
  test('⟨Z⟩ of RY(θ)|0⟩ is cos θ at every point, and lowest at π', async () => {
    const { result, told } = await sweep({
      circuit: [{ gate: 'RY', qubit: 0, theta: 'theta' }],
      parameters: { theta: { from: 0, to: 2 * Math.PI, points: 41 } },
      observables: [{ pauli: 'Z0' }, [{ pauli: 'X0', coefficient: 2 }, { pauli: 'I' }]],
    });
    expect(result.num_points).toBe(41);
    for (const { values, expectations } of result.points) {
      expect(expectations[0]).toBeCloseTo(Math.cos(values[0]!), 12);
      expect(expectations[1]).toBeCloseTo(2 * Math.sin(values[0]!) + 1, 12);
    }
    expect(result.lowest?.values[0]).toBeCloseTo(Math.PI, 12);
    expect(told.units).toBe(41);
    expect(told.progress.at(-1)).toEqual({ fraction: 1, message: 'point 41 of 41' });
  });

  test('factors and signs of parameters count', async () => {
    // RZ(−b/2) on (|0⟩ cos + |1⟩ sin) and H give ⟨Z₁⟩ = 0 unless the qubits come apart: sin a = 0.
    const { result } = await sweep({
      circuit: [
        { gate: 'H', qubit: 0 },
        { gate: 'RZ', qubit: 0, theta: '-0.5*b' },
      ],
      parameters: { b: [0.3, 1.1] },
      observables: [{ pauli: 'Y0' }],
    });
    expect(result.points.map(({ expectations }) => expectations[0])).toEqual([
      expect.closeTo(-Math.sin(0.15), 12),
      expect.closeTo(-Math.sin(0.55), 12),
    ]);
  });

  test('angles stay with their gates where a reset of |0⟩ is left out', async () => {
    const { result } = await sweep({
      circuit: [
        { gate: 'RESET', qubit: 0 },
        { gate: 'BARRIER' },
        { gate: 'RX', qubit: 0, theta: 0.2 },
        { gate: 'RX', qubit: 0, theta: 'a' },
      ],
      parameters: { a: [0.3, 1.1] },
      observables: [{ pauli: 'Z0' }],
    });
    expect(result.points.map(({ expectations }) => expectations[0])).toEqual([
      expect.closeTo(Math.cos(0.5), 12),
      expect.closeTo(Math.cos(1.3), 12),
    ]);
  });

  test('an OpenQASM program takes its inputs from the parameters, loops included', async () => {
    const { result } = await sweep({
      qasm: 'OPENQASM 3.0; include "stdgates.inc"; input float a; input int n; qubit q; bit c; for int i in [1:n] { rx(a) q; } c = measure q;',
      parameters: { a: [0.4], n: [1, 2, 3] },
      probabilities: true,
    });
    for (const { values, probabilities } of result.points) {
      expect(probabilities?.['1']).toBeCloseTo(Math.sin((0.4 * values[1]!) / 2) ** 2, 12);
    }
  });

  test('a point gives the same counts in a batch as alone, and wider circuits are run one by one', async () => {
    const input = { circuit: TURNED, parameters: { a: [0.7], b: [0.2] }, shots: 1000, seed: 5 };
    const { result: batched } = await sweep(input);
    const { result: alone } = await sweep({ ...input, qubits: 13 });
    const counts = batched.points[0]?.counts ?? {};
    const wide = Object.entries(alone.points[0]?.counts ?? {});
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(1000);
    expect(Object.fromEntries(wide.map(([label, count]) => [label.slice(-2), count]))).toEqual(
      counts,
    );
  });

  test('points that run other gates than their neighbours have their own results', async () => {
    const { result, told } = await sweep({
      qasm: 'OPENQASM 3.0; include "stdgates.inc"; input int n; input float a; qubit q; for int i in [1:n] { rx(a) q; }',
      parameters: { n: [3, 1, 2, 1, 3], a: [0.1, 0.2, 0.3, 0.4, 0.5] },
      combine: 'grid',
      observables: [{ pauli: 'Z0' }],
    });
    expect(result.points).toHaveLength(25);
    for (const [i, { values, expectations }] of result.points.entries()) {
      const [n, a] = [[3, 1, 2, 1, 3][Math.floor(i / 5)]!, 0.1 * ((i % 5) + 1)];
      expect(values).toEqual([n, expect.closeTo(a, 12)]);
      expect(expectations[0]).toBeCloseTo(Math.cos(n * a), 12);
    }
    expect(told.units).toBe(25);
    expect(told.progress.at(-1)?.message).toBe('point 25 of 25');
  });

  test('groups of more points than run at once have the result of each, told in order', async () => {
    const angles = Array.from({ length: 1300 }, (_, i) => 0.002 * i);
    const { result, told } = await sweep({
      qasm: 'OPENQASM 3.0; include "stdgates.inc"; input int n; input float a; qubit q; for int i in [1:n] { rx(a) q; }',
      parameters: { n: [2, 1], a: angles },
      combine: 'grid',
      observables: [{ pauli: 'Z0' }],
    });
    expect(result.points).toHaveLength(2600);
    for (const [i, { expectations }] of result.points.entries()) {
      expect(expectations[0]).toBeCloseTo(Math.cos((i < 1300 ? 2 : 1) * angles[i % 1300]!), 10);
    }
    const done = told.progress.map(({ fraction }) => fraction);
    expect(done).toHaveLength(4);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect([told.units, told.circuits]).toEqual([2600, 2600]);
  });

  test('the points of a wide circuit are one batch, and have the counts of each alone', async () => {
    await using test = openTestContext({ maxQubits: 14 });
    const { circuits } = test.context;
    const batches: number[] = [];
    const run: typeof circuits.run = (shape, request) => {
      batches.push(request.numCircuits ?? 1);
      return circuits.run(shape, request);
    };
    const context = { ...test.context, circuits: { ...circuits, run } };
    const input = { circuit: TURNED, qubits: 14, shots: 20, seed: 5, combine: 'zip' };
    const angles = { a: [0.7, 1.1, 2], b: [0.2, 0.3, 0.4] };
    const result = view.parse(await parameterSweep.run({ ...input, parameters: angles }, context));
    expect(batches).toEqual([3]);
    for (const [i, { counts }] of result.points.entries()) {
      const seed = circuitSeed(5, i);
      const circuit = circuitFromGateObjects(
        [
          { gate: 'RY', qubit: 0, theta: angles.a[i]! },
          { gate: 'CX', control: 0, target: 1 },
          { gate: 'RZ', qubit: 1, theta: -0.5 * angles.b[i]! },
          { gate: 'H', qubit: 1 },
        ],
        { numQubits: 14, limits: { maxQubits: 14, maxGates: 10 } },
      );
      const alone = await circuits.run(withFinalMeasurement(circuit), { shots: 20, seed });
      const { outcomes, occurrences } = countsOfRow(alone, 0, 14);
      const expected = Array.from(outcomes, (outcome, k) => [
        outcome.toString(2).padStart(14, '0'),
        occurrences[k],
      ]);
      expect(counts).toEqual(Object.fromEntries(expected));
    }
  });

  test('what is measured midway is run as it is written', async () => {
    const { result } = await sweep({
      circuit: [
        { gate: 'RX', qubit: 0, theta: 'a' },
        { gate: 'M', qubits: [0], bits: [0] },
        { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
        { gate: 'M', qubits: [1], bits: [1] },
      ],
      parameters: { a: [Math.PI, 0] },
      shots: 50,
    });
    expect(result.points.map(({ counts }) => counts)).toEqual([{ '11': 50 }, { '00': 50 }]);
  });

  test('the same seed gives the same counts, another seed others', async () => {
    const input = { circuit: TURNED, parameters: { a: [1, 1], b: [2, 3] }, shots: 500 };
    const [one, two, other] = [
      await sweep({ ...input, seed: 1 }),
      await sweep({ ...input, seed: 1 }),
      await sweep({ ...input, seed: 2 }),
    ];
    expect(one.result).toEqual(two.result);
    expect(one.result).not.toEqual(other.result);
    // Points draw apart from one another, though their circuits are the same.
    expect(one.result.points[0]?.counts).not.toEqual(one.result.points[2]?.counts);
  });
});

describe('what is refused before it runs', () => {
  const sized = (values: JsonObject) => ({ circuit: TURNED, shots: 10, parameters: values });
  test.each<[string, JsonObject, string]>([
    ['a parameter that no angle names', sized({ a: [1], b: [1], c: [1] }), 'parameters.c'],
    ['an angle that names no parameter', sized({ a: [1] }), 'circuit[2].theta'],
    [
      'a grid past the limit',
      sized({ a: { from: 0, to: 1, points: 101 }, b: { from: 0, to: 1, points: 100 } }),
      'parameters',
    ],
    [
      'zipped lists of different lengths',
      { ...sized({ a: [1], b: [1, 2] }), combine: 'zip' },
      'parameters.b',
    ],
    ['no output', { circuit: TURNED, parameters: { a: [1], b: [1] } }, 'observables'],
    [
      'more numbers than a result holds',
      {
        circuit: TURNED,
        qubits: 12,
        probabilities: true,
        parameters: { a: { from: 0, to: 1, points: 100 }, b: [1] },
      },
      'parameters',
    ],
    [
      'an observable past the register',
      { circuit: TURNED, parameters: { a: [1], b: [1] }, observables: [{ pauli: 'Z7' }] },
      'observables[0].pauli',
    ],
    [
      'an input that the program does not declare',
      {
        qasm: 'OPENQASM 3.0; include "stdgates.inc"; input float a; qubit q; rx(a) q;',
        parameters: { a: [1], z: [2] },
        shots: 1,
      },
      'parameters.z',
    ],
    [
      'text that is no angle',
      { circuit: [{ gate: 'RX', qubit: 0, theta: 'a; b' }], parameters: { a: [1] }, shots: 1 },
      'circuit[0].theta',
    ],
    [
      'names of prototypes',
      {
        circuit: [{ gate: 'RX', qubit: 0, theta: 'constructor' }],
        parameters: { a: [1] },
        shots: 1,
      },
      'circuit[0].theta',
    ],
    [
      'two circuits',
      { circuit: TURNED, qasm: 'OPENQASM 3.0;', parameters: { a: [1], b: [1] }, shots: 1 },
      'qasm',
    ],
  ])('%s', (_, input, path) => {
    expect(faultsOf(input)[0]?.path).toBe(path);
  });

  test('a program that is invalid at a later point ends the run, and the fault names the point', async () => {
    const input = {
      qasm: 'OPENQASM 3.0; include "stdgates.inc"; input int n; qubit[3] q; x q[n];',
      parameters: { n: [1, 5] },
      shots: 1,
    };
    await expect(sweep(input)).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
      message: expect.stringContaining('At point 1 of the inputs'),
    });
  });

  test('registers that grow from point to point end the run', async () => {
    const input = {
      qasm: 'OPENQASM 3.0; include "stdgates.inc"; input int n; qubit[n] q; x q[0];',
      parameters: { n: [1, 2] },
      shots: 1,
    };
    await expect(sweep(input)).rejects.toMatchObject({ code: 'WORKLOADS_TASK_INPUT' });
  });
});
