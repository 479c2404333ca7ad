/** Circuits of more qubits and classical bits than a state vector holds, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Batch } from '../../src/client/api-types.ts';
import { batchResultOf } from '../../src/client/batch-result.ts';
import { batchResult } from '../../src/service/batches/batch-schema.ts';
import { circuitRecord } from '../../src/service/circuits/circuit-schema.ts';
import { eventually } from '../support/eventually.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({}, [], 100_000);
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;

const post = (url: string, body: Body) =>
  service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ target_processor: 'qvm', ...body }),
  });

async function run(body: Body) {
  const answer = await post('/quantum/circuits', { shots: 100, seed: 3, ...body });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

const HEADER = 'OPENQASM 3.0; include "stdgates.inc";';
const ghz = (numQubits: number) => [
  { gate: 'H', qubit: 0 },
  ...Array.from({ length: numQubits - 1 }, (_, i) => ({ gate: 'CX', control: i, target: i + 1 })),
];

describe('labels of more than 64 bits', () => {
  test('have a hexadecimal digit for every four bits, in counts and memory', async () => {
    const qasm = `${HEADER} qubit q; bit[2000] c; x q; c[1999] = measure q; c[36] = measure q;`;
    const data = await run({ qasm, shots: 2, return: ['counts', 'memory'] });
    const label = `0x8${'0'.repeat(489)}1${'0'.repeat(9)}`;
    expect(BigInt(label)).toBe(2n ** 1999n + 2n ** 36n);
    expect(label).toHaveLength(2 + 2000 / 4);
    expect(data).toMatchObject({ label_format: 'hex', counts: { [label]: 2 } });
    expect(data.memory).toEqual([label, label]);
  });

  test.each([
    [65, '0x10000000000000001'],
    [66, '0x20000000000000001'],
    [96, '0x800000000000000000000001'],
    [97, '0x1000000000000000000000001'],
  ])('begin with the digit of the highest of %i bits', async (numBits, label) => {
    const qasm = `${HEADER} qubit q; bit[${numBits}] c; x q; c[${numBits - 1}] = measure q; c[0] = measure q;`;
    expect((await run({ qasm, shots: 5 })).counts).toEqual({ [label]: 5 });
  });

  test.each([
    ['d = c;', 2n ** 1999n + 1n],
    [`d = "1${'0'.repeat(1998)}1";`, 2n ** 1999n + 1n],
    ['d = ~c;', 2n ** 2000n - 1n - 2n ** 1999n - 1n],
    ['d = rotl(c, 1);', 3n],
    ['d = -1;', 2n ** 2000n - 1n],
    ['d = bit[2000](c);', 2n ** 1999n + 1n],
    ['d[0:1998] = c[1:1999];', 2n ** 1998n],
    ['bit[2000] e = c; e[0] = 0; d = e;', 2n ** 1999n],
    ['int[32] k = popcount(c); d = k;', 2n],
  ])('are those of registers that %s writes', async (statement, value) => {
    const qasm = `${HEADER} qubit q; bit[2000] c; bit[2000] d; x q; c[1999] = measure q; c[0] = measure q; ${statement}`;
    const { counts } = await run({ qasm, shots: 2 });
    const [[label, count]] = Object.entries(counts) as [[string, number]];
    expect(count).toBe(2);
    // Registers follow each other from the first bit on.
    expect((BigInt(label) >> 2000n) % 2n ** 2000n).toBe(value);
  });

  test.each([
    ['bits of a condition', 'if (c == 0) x q[0];', 'depends on more than 2048 bits'],
    [
      'operations in a row',
      `int[32] k = c[0]${' + c[1]'.repeat(3000)}; d = k;`,
      'at most 256 operations in a row. Assign a part of it to a variable first.',
    ],
  ])('may be computed from registers within limits: %s', async (_, statement, problem) => {
    const qasm = `${HEADER} qubit[3000] q; bit[3000] c; bit[40] d; c = measure q; ${statement}`;
    expect(await refusalOf({ qasm })).toEqual([expect.stringContaining(problem)]);
  });

  test('count the ones of wide registers', async () => {
    const qasm = `${HEADER} qubit[3000] q; bit[3000] c; bit[12] d; x q[1:2:2999]; c = measure q; d = popcount(c);`;
    const [label] = Object.keys((await run({ qasm, shots: 1 })).counts);
    expect(BigInt(label!) >> 3000n).toBe(1500n);
  });

  test('are bounded: shots times bits', async () => {
    const qasm = `${HEADER} qubit q; bit[65536] c; x q; c[65535] = measure q;`;
    expect(Object.values((await run({ qasm, shots: 3 })).counts)).toEqual([3]);
    const answer = await post('/quantum/circuits', { qasm, shots: 5000 });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0]).toMatchObject({
      path: 'shots',
      message: '5000 shots of 65536 classical bits; the limit is 4096 shots (2^28 bits in all).',
    });
  });
});

describe('POST /quantum/compile', () => {
  test('writes circuits that no state vector holds', async () => {
    const h = { gate: 'H', qubit: 0 };
    const circuit = [h, h, ...ghz(2000), { gate: 'M', qubits: [0, 1999] }];
    const answer = await post('/quantum/compile', { circuit });
    expect(answer.statusCode).toBe(200);
    const { qubits, compilation } = answer.json().data;
    expect(qubits).toBe(2000);
    expect(compilation.gates).toEqual({ before: 2002, after: 2000 });
    expect(compilation).toMatchObject({ kernels: 0, sweeps: 0, bytes_moved: 0 });
  });
});

describe('the register', () => {
  const tooMany = 'the limit max_qubits is 20000';

  test.each([
    ['gate objects', { circuit: [{ gate: 'H', qubit: 20_000 }] }, tooMany],
    ['qubits', { circuit: [{ gate: 'H', qubit: 0 }], qubits: 20_001 }, tooMany],
    ['OpenQASM', { qasm: `${HEADER} qubit[20001] q; h q[0];` }, tooMany],
  ])('of %s has at most 20,000 qubits', async (_, body, problem) => {
    const answer = await post('/quantum/circuits', { ...body, shots: 1 });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0].message).toContain(problem);
  });

  test('of statevector-sim has as many as its memory holds', async () => {
    const body = { target_processor: 'statevector-sim', circuit: ghz(60), shots: 1 };
    const answer = await post('/quantum/circuits', body);
    expect(answer.json().error.details[0].message).toMatch(
      /the limit max_qubits is 20\. qvm takes up to 20,000 qubits of circuits that are Clifford or little entangled\.$/,
    );
  });
});

/** Faults of a refused request, as `path: message`. */
async function refusalOf(body: Body, url = '/quantum/circuits'): Promise<readonly string[]> {
  const answer = await post(url, { shots: 100, ...body });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([400, expect.anything()]);
  const { details } = answer.json().error;
  return details.map(
    ({ path, message }: { path: string; message: string }) => `${path}: ${message}`,
  );
}

/** A Trotter step of a transverse-field Ising chain. */
const trotterStep = (numQubits: number) => [
  ...Array.from({ length: numQubits - 1 }, (_, i) => ({
    gate: 'RZZ',
    qubits: [i, i + 1],
    theta: 0.2,
  })),
  ...Array.from({ length: numQubits }, (_, qubit) => ({ gate: 'RX', qubit, theta: 0.3 })),
];
const ising = (numQubits: number, numSteps: number) =>
  Array.from({ length: numSteps }, () => trotterStep(numQubits)).flat();

/** Gates on random-looking pairs, which entangle all qubits. */
const entangled = (numQubits: number) =>
  Array.from({ length: 12 * numQubits }, (_, k) => {
    const control = (7 * k + 3) % numQubits;
    const target = (control + 1 + ((11 * k) % (numQubits - 1))) % numQubits;
    return [
      { gate: 'RY', qubit: control, theta: 0.3 + k },
      { gate: 'CX', control, target },
    ];
  }).flat();

/**
 * A repetition code whose checks are measured, corrected and used again.
 *
 * @param distance - Data qubits; they are the even ones.
 */
function repetitionCode(distance: number, numRounds: number) {
  const checks = Array.from({ length: distance - 1 }, (_, i) => 2 * i + 1);
  const round = (first: number) => [
    ...checks.flatMap((check) => [
      { gate: 'CX', control: check - 1, target: check },
      { gate: 'CX', control: check + 1, target: check },
    ]),
    ...checks.flatMap((check, i) => [
      { gate: 'M', qubit: check, bits: [first + i] },
      { gate: 'X', qubit: check, condition: { bits: [first + i], value: 1 } },
    ]),
  ];
  const rounds = Array.from({ length: numRounds }, (_, k) => round(k * checks.length)).flat();
  const data = Array.from({ length: distance }, (_, i) => 2 * i);
  const first = numRounds * checks.length;
  return [...rounds, { gate: 'M', qubits: data, bits: data.map((_, i) => first + i) }];
}

describe('stabilizer', () => {
  const FLIPS = {
    gates: [{ gates: ['CX'], qubits: [[0, 1]], channel: { type: 'bit_flip', probability: 1 } }],
  };

  test('runs a GHZ state of 1,000 qubits', async () => {
    const data = await run({ circuit: ghz(1000), shots: 1000 });
    expect(Object.keys(data.counts).sort()).toEqual([
      `0x${'0'.repeat(250)}`,
      `0x${'f'.repeat(250)}`,
    ]);
    for (const count of Object.values(data.counts)) expect(count).toBeGreaterThan(400);
    expect(data).toMatchObject({
      method: 'stabilizer',
      method_reason: expect.stringContaining('A state vector would need 2^1000 amplitudes.'),
      label_format: 'hex',
      qubits: 1000,
    });
    expect(data.measured_qubits).toHaveLength(1000);
  });

  test('runs a repetition code of 4,000 qubits with noise and feed-forward', async () => {
    const [distance, numRounds] = [2000, 2];
    const numChecks = distance - 1;
    const circuit = repetitionCode(distance, numRounds);
    const data = await run({ circuit, noise: FLIPS, shots: 3 });
    expect(data.method).toBe('stabilizer');
    // Qubits 0 and 1 are flipped after each CX from 0 to 1: in each round data qubit 0 by itself, and both of its checks' reading.
    const [label = '', ...others] = Object.keys(data.counts);
    expect(others).toEqual([]);
    const bits = BigInt(label);
    const bit = (i: number) => Number((bits >> BigInt(i)) & 1n);
    expect(Array.from({ length: numRounds }, (_, k) => bit(k * numChecks))).toEqual([1, 0]);
    for (let i = 1; i < numChecks; i++) expect(bit(i)).toBe(0);
    expect(bit(numRounds * numChecks)).toBe(0);
  });

  test('samples Pauli noise as trajectories do', async () => {
    const noise = {
      gates: [
        { gates: ['*2'], channel: { type: 'depolarizing', probability: 0.2, num_qubits: 2 } },
      ],
    };
    const body = { circuit: ghz(3), noise, shots: 20_000 };
    const [frames, states] = [
      await run({ ...body, method: 'stabilizer' }),
      await run({ ...body, method: 'statevector' }),
    ];
    expect([frames.method, states.method]).toEqual(['stabilizer', 'statevector']);
    for (const label of Object.keys(states.counts)) {
      const [a = 0, b = 0] = [frames.counts[label], states.counts[label]];
      expect(Math.abs(a - b)).toBeLessThan(6 * Math.sqrt(a + b));
    }
  });

  test('has the counts of one thread where threads share the shots', async () => {
    // Many shots have the same outcome; with strong noise nearly every one would have its own.
    const channel = { type: 'bit_flip', probability: 0.001 };
    const noise = { gates: [{ gates: ['CX'], channel }] };
    const body = { circuit: ghz(40), noise, shots: 400_000, seed: 2 };
    const shared = await run(body);
    const whole = await run({
      ...body,
      return: ['counts', 'expectation'],
      observables: [{ pauli: 'Z0' }],
    });
    expect(shared.counts).toEqual(whole.counts);
    expect(shared).not.toHaveProperty('trajectories');
  });

  test('has exact expectation values, with noise too', async () => {
    const noise = {
      gates: [
        { gates: ['CX'], channel: { type: 'depolarizing', probability: 0.01, num_qubits: 2 } },
      ],
    };
    const observables = [{ pauli: 'Z0 Z1' }, { pauli: 'Z0' }, { pauli: 'Z98 Z99' }];
    const body = { circuit: ghz(100), return: ['expectation'], observables };
    expect((await run(body)).expectation.values).toEqual([1, 0, 1]);
    const { values } = (await run({ ...body, noise })).expectation;
    const [exact] = (
      await run({
        ...body,
        circuit: ghz(7),
        noise,
        observables: [{ pauli: 'Z5 Z6' }],
        method: 'density_matrix',
      })
    ).expectation.values;
    expect(values[2]).toBeCloseTo(exact, 12);
  });

  test('has the same memory and counts for the same seed', async () => {
    const noise = { gates: [{ gates: ['CX'], channel: { type: 'bit_flip', probability: 0.01 } }] };
    const body = { circuit: ghz(200), noise, shots: 500, return: ['counts', 'memory'] };
    const data = await run(body);
    const counts: Record<string, number> = {};
    for (const label of data.memory) counts[label] = (counts[label] ?? 0) + 1;
    expect(counts).toEqual(data.counts);
    expect((await run(body)).memory).toEqual(data.memory);
  });

  test('runs OpenQASM of thousands of qubits', async () => {
    const qasm = `${HEADER} qubit[3000] q; bit[3000] c; x q[0]; for int i in [0:2998] { cx q[i], q[i + 1]; } c = measure q;`;
    expect((await run({ qasm, shots: 10 })).counts).toEqual({ [`0x${'f'.repeat(750)}`]: 10 });
  });

  test('runs in batches', async () => {
    const answer = await post('/quantum/batches', {
      programs: [{ circuit: ghz(400), name: 'GHZ' }],
      shots: 100,
    });
    expect(answer.statusCode).toBe(201);
    const [program] = answer.json().data.programs;
    expect(program).toMatchObject({ method: 'stabilizer', label_format: 'hex' });
    expect(Object.keys(program.counts[0])).toHaveLength(2);
  });

  test.each([
    [
      {
        circuit: [{ gate: 'T', qubit: 1 }],
        noise: { gates: [{ gates: ['T'], channel: { type: 'amplitude_damping', gamma: 0.1 } }] },
      },
      /^method: stabilizer takes Clifford gates and Pauli noise, and T on qubit 1 is neither; beside other gates it takes no channels that are no Pauli errors/,
    ],
    [{ return: ['statevector'] }, /^method: stabilizer has no statevector/],
    [{ max_bond_dimension: 7 }, /^max_bond_dimension: Only taken with/],
    [
      { noise: { gates: [{ gates: ['CX'], channel: { type: 'amplitude_damping', gamma: 0.1 } }] } },
      /^method: .*and a channel that is no mixture of Pauli errors on qubit 0 is neither/,
    ],
    [{ target_processor: 'gpu-fleet' }, /^method: gpu-fleet does not have stabilizer/],
  ])('is refused with %j', async (more, problem) => {
    expect(await refusalOf({ circuit: ghz(3), method: 'stabilizer', ...more })).toEqual([
      expect.stringMatching(problem),
    ]);
  });
});

describe('a circuit that is Clifford but for a few gates', () => {
  // Four T gates of seven qubits, with bits and observables that are neither 0 nor 1.
  const circuit = [
    ...Array.from({ length: 7 }, (_, qubit) => ({ gate: 'H', qubit })),
    ...[0, 2, 3, 5].flatMap((qubit) => [
      { gate: 'T', qubit },
      { gate: 'H', qubit },
      { gate: 'CX', control: qubit, target: qubit + 1 },
    ]),
    { gate: 'CCX', controls: [0, 2], target: 6 },
  ];
  const observables = [{ pauli: 'Z0 Z1' }, [{ pauli: 'Z3' }, { pauli: 'X5', coefficient: 0.5 }]];

  test('has the exact values of a state vector', async () => {
    const body = { circuit, return: ['probabilities', 'expectation'], observables };
    const bySums = await run({ ...body, method: 'stabilizer' });
    const byState = await run({ ...body, method: 'statevector' });
    expect(bySums.method_reason).toMatch(/sums over \d+ stabilizer states/);
    for (const [i, value] of byState.expectation.values.entries()) {
      expect(bySums.expectation.values[i]).toBeCloseTo(value, 9);
    }
    for (const [label, value] of Object.entries(byState.probabilities)) {
      expect(bySums.probabilities[label]).toBeCloseTo(value as number, 9);
    }
  });

  test('has expectation values and variances in batches', async () => {
    const program = { circuit, observables, return: ['expectation', 'variance'] };
    const methods = ['stabilizer', 'statevector'];
    const answer = await post('/quantum/batches', {
      programs: methods.map((method) => ({ ...program, method })),
    });
    expect(answer.statusCode).toBe(201);
    const [bySums, byState] = answer.json().data.programs;
    expect(bySums.method).toBe('stabilizer');
    for (const name of ['expectation', 'variance']) {
      for (const [i, value] of byState[name][0].entries()) {
        expect(bySums[name][0][i]).toBeCloseTo(value, 9);
      }
    }
  });

  test('has memory, and the same counts for the same seed', async () => {
    const body = { circuit, method: 'stabilizer', shots: 300, seed: 4 };
    const { counts } = await run(body);
    expect((await run(body)).counts).toEqual(counts);
    const { memory } = await run({ ...body, return: ['memory'] });
    expect(memory).toHaveLength(300);
  });

  test.each([
    ['misread bits', { noise: { readout: [{ p1_given_0: 0.1, p0_given_1: 0.2 }] } }],
    ['a reset', { circuit: [...circuit, { gate: 'RESET', qubit: 0 }] }],
    [
      'a gate after a measurement',
      { circuit: [...circuit, { gate: 'M', qubit: 0, bits: [0] }, { gate: 'H', qubit: 0 }] },
    ],
  ])('runs around active qubits with %s', async (_, more) => {
    const body = { circuit, shots: 20, ...more };
    const { method_reason } = await run({ ...body, method: 'stabilizer' });
    expect(method_reason).toMatch(/around a state of up to \d active qubits?, with/);
  });
});

test('a circuit of 50 qubits with 6 T gates runs by sums over stabilizer states', async () => {
  const all = Array.from({ length: 50 }, (_, qubit) => qubit);
  // H, CZ of distant qubits and T, and the same backwards: X on qubit 9 stays.
  const there = [
    ...all.map((qubit) => ({ gate: 'H', qubit })),
    ...all.map((qubit) => ({ gate: 'CZ', control: qubit, target: (qubit + 17) % 50 })),
    ...all.map((qubit) => ({ gate: 'H', qubit })),
  ];
  const ts = (gate: string) => [1, 8, 22, 30, 41, 49].map((qubit) => ({ gate, qubit }));
  const circuit = [
    { gate: 'X', qubit: 9 },
    ...there,
    ...ts('T'),
    ...ts('TDG'),
    ...there.toReversed(),
  ];
  const data = await run({ circuit, method: 'stabilizer' });
  expect(data).toMatchObject({
    method: 'stabilizer',
    method_reason: expect.stringContaining('sums over 64 stabilizer states'),
    counts: { [`${'0'.repeat(40)}1${'0'.repeat(9)}`]: 100 },
  });
});

describe('matrix_product_state', () => {
  test('runs a chain with little entanglement that no state vector holds', async () => {
    // Rotations there and back: too many for sums over stabilizer states.
    const rotations = [0.3, -0.3].flatMap((theta) =>
      Array.from({ length: 30 }, (_, qubit) => ({ gate: 'RY', qubit, theta })),
    );
    const data = await run({ circuit: [...ghz(300), ...rotations], shots: 200 });
    const ends = [`0x${'0'.repeat(75)}`, `0x${'f'.repeat(75)}`];
    expect(Object.keys(data.counts).sort()).toEqual(ends);
    expect(data).toMatchObject({
      method: 'matrix_product_state',
      method_reason: expect.stringContaining('No bond can exceed 2'),
      label_format: 'hex',
      largest_bond: 2,
    });
    expect(data.truncation_error).toBeLessThan(1e-9);
  });

  test('has the exact values of a state vector', async () => {
    const body = {
      circuit: ising(12, 5),
      return: ['expectation', 'probabilities', 'statevector'],
      observables: [{ pauli: 'Z0 Z1' }, { pauli: 'X5' }],
    };
    const chain = await run({ ...body, method: 'matrix_product_state' });
    const state = await run({ ...body, method: 'statevector' });
    expect(chain.largest_bond).toBeGreaterThan(1);
    for (const [i, value] of state.expectation.values.entries()) {
      expect(chain.expectation.values[i]).toBeCloseTo(value, 7);
    }
    for (const [i, [re, im]] of state.statevector.entries()) {
      expect(chain.statevector[i][0]).toBeCloseTo(re, 6);
      expect(chain.statevector[i][1]).toBeCloseTo(im, 6);
    }
  });

  test('draws the noise of a wide circuit, the same for a seed in several threads', async () => {
    const noise = {
      gates: [
        { gates: ['*2'], channel: { type: 'depolarizing', probability: 0.01 } },
        { gates: ['*1'], channel: { type: 'amplitude_damping', gamma: 0.01 } },
      ],
      readout: [{ p1_given_0: 0.01, p0_given_1: 0.02 }],
    };
    const body = {
      circuit: ising(40, 2),
      noise,
      shots: 60,
      seed: 3,
      return: ['counts', 'expectation'],
      observables: [{ pauli: 'Z0 Z1' }, { pauli: 'Z39' }],
    };
    const data = await run(body);
    expect(data).toMatchObject({
      method: 'matrix_product_state',
      method_reason: expect.stringMatching(
        /^Trajectories: about \d+ matrix product states for 60 shots.*Values are means over trajectories\./,
      ),
      trajectories: expect.any(Number),
    });
    expect(data.trajectories).toBeGreaterThan(20);
    expect(data.largest_bond).toBeGreaterThan(1);
    expect(data.truncation_error).toBeLessThan(1e-9);
    expect(data.expectation.standard_error).toHaveLength(2);
    // Without noise the values are others, by more than chance.
    const { noise: _, ...plain } = body;
    const exact = (await run(plain)).expectation.values;
    for (const [i, value] of data.expectation.values.entries()) {
      expect(Math.abs(value)).toBeLessThan(1);
      expect(Math.abs(value - exact[i])).toBeLessThan(0.5);
    }
    expect((await run(body)).counts).toEqual(data.counts);
    expect((await run({ ...body, seed: 4 })).counts).not.toEqual(data.counts);
  });

  test('begins in given amplitudes, and truncates them by name', async () => {
    const amplitudes = Array.from({ length: 2 ** 8 }, (_, i) => Math.cos(1 + i * i));
    const norm = Math.hypot(...amplitudes);
    const body = {
      initial_state: { amplitudes: amplitudes.map((re) => [re / norm, 0]) },
      circuit: [{ gate: 'CX', control: 0, target: 7 }],
      return: ['statevector'],
      method: 'matrix_product_state',
    };
    const data = await run({ ...body, truncation_threshold: 0 });
    const state = await run({ ...body, method: 'statevector' });
    for (const [i, [re]] of state.statevector.entries()) {
      expect(data.statevector[i][0]).toBeCloseTo(re, 9);
    }
    expect(data.largest_bond).toBe(16);
    const cut = await run({ ...body, max_bond_dimension: 4 });
    expect(cut.largest_bond).toBe(4);
    expect(cut.truncation_error).toBeGreaterThan(0.01);
  });

  test('by name cuts bonds, and states what that left out', async () => {
    const body = { circuit: entangled(12), method: 'matrix_product_state', shots: 50 };
    const cut = await run({ ...body, max_bond_dimension: 4 });
    expect(cut.largest_bond).toBe(4);
    expect(cut.truncation_error).toBeGreaterThan(0.01);
    const whole = await run({ ...body, max_bond_dimension: 64 });
    expect(whole.largest_bond).toBe(64);
    expect(whole.truncation_error).toBeLessThan(1e-9);
    const coarse = await run({ ...body, truncation_threshold: 0.05 });
    expect(coarse.largest_bond).toBeLessThan(64);
  });

  test('has the same counts for the same seed', async () => {
    const body = { circuit: ising(40, 3), method: 'matrix_product_state', shots: 300, seed: 9 };
    expect((await run(body)).counts).toEqual((await run(body)).counts);
  });

  test('runs in batches', async () => {
    const circuit = [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }, ...ghz(50).slice(1)];
    const answer = await post('/quantum/batches', {
      programs: [
        { circuit, inputs: { a: [0.4, 1.1] }, observables: [{ pauli: 'Z0 Z49' }, { pauli: 'Z3' }] },
      ],
      method: 'matrix_product_state',
      max_bond_dimension: 8,
    });
    expect(answer.statusCode).toBe(201);
    const [program] = answer.json().data.programs;
    expect(program.method).toBe('matrix_product_state');
    for (const [k, a] of [0.4, 1.1].entries()) {
      expect(program.expectation[k][0]).toBeCloseTo(1, 9);
      expect(program.expectation[k][1]).toBeCloseTo(Math.cos(a), 9);
    }
  });

  test('has gradients by shifted angles', async () => {
    const circuit = [
      ...Array.from({ length: 40 }, (_, qubit) => ({
        gate: 'RY',
        qubit,
        theta: { input: 'ab'[qubit % 2] },
      })),
      ...Array.from({ length: 39 }, (_, i) => ({ gate: 'CZ', control: i, target: i + 1 })),
      ...Array.from({ length: 40 }, (_, qubit) => ({
        gate: 'RX',
        qubit,
        theta: { input: 'b', scale: 2 },
      })),
    ];
    const observables = [{ pauli: 'Z3 Z4' }, [{ pauli: 'Y0' }, { pauli: 'Z39', coefficient: -2 }]];
    const inputs = { a: [0.3, 1.2], b: [0.7, 0.2] };
    // No observable sees what lies beyond two neighbours, so that a state vector of the qubits around it has the same values.
    const ask = async (body: Body) => {
      const answer = await post('/quantum/batches', {
        programs: [{ circuit, inputs, observables, return: ['expectation', 'gradient'], ...body }],
      });
      expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
      return answer.json().data.programs[0];
    };
    const wide = await ask({});
    expect(wide.method).toBe('matrix_product_state');
    const kept = (from: number, to: number) =>
      circuit
        .filter((gate) =>
          Object.values(gate).every((v) => typeof v !== 'number' || (v >= from && v < to)),
        )
        .map((gate) => ({
          ...gate,
          ...('qubit' in gate
            ? { qubit: gate.qubit - from }
            : { control: gate.control - from, target: gate.target - from }),
        }));
    const first = await ask({
      circuit: kept(0, 8),
      observables: [{ pauli: 'Z3 Z4' }, { pauli: 'Y0' }],
      method: 'statevector',
    });
    const last = await ask({
      circuit: kept(32, 40),
      observables: [{ pauli: 'Z7', coefficient: -2 }],
      method: 'statevector',
    });
    for (const k of [0, 1]) {
      expect(wide.expectation[k][0]).toBeCloseTo(first.expectation[k][0], 9);
      for (const i of [0, 1]) {
        expect(wide.gradient[k][0][i]).toBeCloseTo(first.gradient[k][0][i], 9);
        expect(wide.gradient[k][1][i]).toBeCloseTo(
          first.gradient[k][1][i] + last.gradient[k][0][i],
          9,
        );
      }
    }
  });

  test('states for each point of a batch what was cut, also where the first point needs no bonds', async () => {
    const numQubits = 12;
    const circuit = Array.from({ length: 6 }, (_, layer) => [
      ...Array.from({ length: numQubits }, (_, qubit) => ({
        gate: 'RY',
        qubit,
        theta: { input: 'a', scale: 1 + ((7 * qubit + 3 * layer) % 5) },
      })),
      ...Array.from({ length: numQubits - 1 }, (_, i) => ({
        gate: 'CX',
        control: i,
        target: i + 1,
      })),
    ]).flat();
    const points = [0, 0.3, 0.7, 1.1];
    const observables = [{ pauli: 'Z3 Z8' }];
    const program = { circuit, inputs: { a: points }, observables };
    const limited = { ...program, method: 'matrix_product_state', max_bond_dimension: 5 };
    const body = { programs: [limited, { ...program, method: 'statevector' }, limited] };
    const answer = await post('/quantum/batches', body);
    expect(answer.statusCode).toBe(201);
    const { programs } = answer.json().data;
    expect(batchResult.shape.programs.safeParse(programs).error?.issues ?? []).toEqual([]);
    const [cut, exact, again] = programs;
    expect(again).toEqual({ ...cut, seed: expect.anything() });
    expect(exact).not.toHaveProperty('truncation_error');
    expect(cut.largest_bond).toEqual([1, 5, 5, 5]);
    expect(cut.truncation_error[0]).toBeLessThan(1e-12);
    for (let k = 1; k < points.length; k++) expect(cut.truncation_error[k]).toBeGreaterThan(1e-6);
    for (const [k, [value]] of cut.expectation.entries()) {
      const alone = await run({
        circuit: circuit.map((gate) =>
          'theta' in gate ? { ...gate, theta: points[k]! * gate.theta.scale } : gate,
        ),
        observables,
        return: ['expectation'],
        method: 'matrix_product_state',
        max_bond_dimension: 5,
      });
      expect(alone.expectation.values[0]).toBeCloseTo(value, 9);
      expect(alone.truncation_error).toBeCloseTo(cut.truncation_error[k], 9);
      expect(Math.abs(value - exact.expectation[k][0])).toBeLessThanOrEqual(
        2 * Math.sqrt(cut.truncation_error[k]) + 1e-9,
      );
    }
    const packed = await post('/quantum/batches', { ...body, array_format: 'base64' });
    const [first] = batchResultOf<Pick<Batch, 'programs'>>(packed.json().data).programs;
    expect(first!.largest_bond).toEqual({ shape: [4], data: Float64Array.of(1, 5, 5, 5) });
  });

  test.each([
    [{ max_bond_dimension: 0 }, /^max_bond_dimension: /],
    [{ max_bond_dimension: 2.5 }, /^max_bond_dimension: /],
    [{ max_bond_dimension: 4097 }, /^max_bond_dimension: .*4096/],
    [{ truncation_threshold: -1 }, /^truncation_threshold: /],
    [{ truncation_threshold: 0.2 }, /^truncation_threshold: .*0\.1/],
    [{ method: 'statevector', max_bond_dimension: 8 }, /^max_bond_dimension: Only taken with/],
    [
      {
        method: 'matrix_product_state',
        return: ['statevector'],
        noise: { gates: [{ gates: ['*'], channel: { type: 'bit_flip', probability: 0.1 } }] },
      },
      /^method: matrix_product_state has no statevector under noise/,
    ],
    [
      {
        method: 'matrix_product_state',
        circuit: [
          {
            gate: 'NOISE',
            qubits: [0, 1, 2],
            channel: { type: 'pauli', probabilities: { XXX: 0.7 } },
          },
        ],
      },
      /^method: matrix_product_state takes any noise on up to 2 qubits, but on 3 only Pauli errors/,
    ],
    [
      { method: 'matrix_product_state', return: ['density_matrix'] },
      /^method: matrix_product_state has no density_matrix/,
    ],
    [
      { target_processor: 'statevector-sim', method: 'matrix_product_state' },
      /^method: statevector-sim does not have matrix_product_state/,
    ],
  ])('is refused with %j', async (more, problem) => {
    expect(await refusalOf({ circuit: ghz(3), ...more })).toEqual([expect.stringMatching(problem)]);
  });
});

describe('a circuit that no method takes', () => {
  test('is refused with what each method would need', async () => {
    const [fault] = await refusalOf({ circuit: entangled(60) });
    expect(fault).toMatch(/^circuit: No method takes 60 qubits .*statevector needs 16 EiB/);
    expect(fault).toMatch(/matrix_product_state may need bonds of 2\^30/);
  });
});

test.each([
  [
    'stabilizer',
    {
      circuit: [
        ...ghz(300),
        { gate: 'M', qubit: 0, bits: [0] },
        { gate: 'H', qubit: 1, condition: { bits: [0], value: 1 } },
        { gate: 'M', qubit: 1, bits: [1] },
      ],
      // The outcomes of more shots have no room beside the states of 20 qubits.
      shots: 500_000,
    },
  ],
  ['matrix_product_state', { circuit: entangled(50), shots: 1 }],
  [
    'stabilizer',
    // 9,000 rotations of sums over 2^18 stabilizer states.
    {
      circuit: Array.from({ length: 500 }, (_, layer) => [
        ...Array.from({ length: 18 }, (_, qubit) => ({ gate: 'RX', qubit, theta: 0.1 + layer })),
        ...Array.from({ length: 17 }, (_, control) => ({ gate: 'CZ', control, target: 17 })),
      ]).flat(),
      shots: 1,
    },
  ],
])('%s stops when it is cancelled', async (method, body) => {
  const answer = await service.submit(
    { target_processor: 'qvm', method, ...body },
    { prefer: 'respond-async' },
  );
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const url = `/quantum/circuits/${answer.json().data.circuit_id}`;
  const statusOf = async () => (await service.get(url)).json().data.status;
  await eventually(async () => expect(await statusOf()).toBe('running'));
  await service.request({ method: 'POST', url: `${url}/cancel` });
  await eventually(async () => expect(await statusOf()).toBe('cancelled'));
  // The engine is free again.
  await run({ circuit: ghz(2000), shots: 5 });
});
