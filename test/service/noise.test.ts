/** Circuits and batches with noise over HTTP: methods, values, counts, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNoisy } from '../../src/circuit/circuit.ts';
import { circuitOf } from '../../src/fleet/workers/sent-circuit.ts';
import { batchRecord } from '../../src/service/batches/batch-schema.ts';
import { CircuitJobs } from '../../src/service/circuits/circuit-jobs.ts';
import { circuitRecord } from '../../src/service/circuits/circuit-schema.ts';
import { encodeStored } from '../../src/service/jobs/stored-request.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({}, ['ibm-fez']);
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;

const BELL = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
];
const P = 0.09;
/** Flips each qubit after CX with this probability: the parity of a Bell pair is odd where one alone was flipped. */
const FLIPS = { gates: [{ gates: ['CX'], channel: { type: 'bit_flip', probability: P } }] };
const ODD = 2 * P * (1 - P);
const EXACT = new Map([
  ['00', (1 - ODD) / 2],
  ['01', ODD / 2],
  ['10', ODD / 2],
  ['11', (1 - ODD) / 2],
]);
const NOISY = { circuit: BELL, noise: FLIPS, target_processor: 'qvm', shots: 2000, seed: 5 };
const METHODS = ['statevector', 'density_matrix'] as const;

async function run(more: Body = {}) {
  const answer = await service.submit({ ...NOISY, ...more });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

function postBatch(body: Body) {
  return service.request({
    method: 'POST',
    url: '/quantum/batches',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ target_processor: 'qvm', seed: 5, ...body }),
  });
}

async function runBatch(body: Body) {
  const answer = await postBatch(body);
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(batchRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data.programs;
}

/** Faults of a refused request, as `path: message`. */
function faultsIn(answer: Awaited<ReturnType<TestService['submit']>>): readonly string[] {
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([400, expect.anything()]);
  const { details } = answer.json().error;
  return details.map(
    ({ path, message }: { path: string; message: string }) => `${path}: ${message}`,
  );
}

const refusalOf = async (more: Body) => faultsIn(await service.submit({ ...NOISY, ...more }));

describe('a circuit with noise', () => {
  test.each([
    ['qvm', 'statevector'],
    ['qvm', 'density_matrix'],
    ['statevector-sim', 'automatic'],
    ['gpu-fleet', 'automatic'],
  ])('on %s by %s has counts of the exact distribution', async (target, method) => {
    const data = await run({ target_processor: target, method, shots: 20_000 });
    const { statistic, bound } = chiSquared(new Map(Object.entries(data.counts)), EXACT);
    expect(statistic).toBeLessThan(bound);
    expect(data.method).toBe(method === 'automatic' ? 'statevector' : method);
    expect(data.method_reason).toMatch(/\d.*\./);
    expect(data.label_format).toBe('binary');
    if (data.method === 'statevector') expect(data.trajectories).toBeGreaterThan(1);
    else expect(data).not.toHaveProperty('trajectories');
  });

  test.each(METHODS)('by %s returns the same counts for the same seed', async (method) => {
    const first = await run({ method });
    expect((await run({ method })).counts).toEqual(first.counts);
    expect((await run({ method, seed: 6 })).counts).not.toEqual(first.counts);
  });

  test('without a method is exact on qvm where values are asked for', async () => {
    const data = await run({
      return: ['probabilities', 'expectation', 'purity', 'density_matrix'],
      observables: [{ pauli: 'Z0 Z1' }, { pauli: 'X0 X1' }],
    });
    expect(data.method).toBe('density_matrix');
    for (const [label, probability] of EXACT) {
      expect(data.probabilities[label]).toBeCloseTo(probability, 12);
    }
    const [zz, xx] = data.expectation.values;
    expect(zz).toBeCloseTo(1 - 2 * ODD, 12);
    expect(xx).toBeCloseTo(1, 12);
    expect(data.expectation).not.toHaveProperty('standard_error');
    // The mixture of an even and an odd Bell state.
    expect(data.purity).toBeCloseTo((1 - ODD) ** 2 + ODD ** 2, 12);
    const matrix: [number, number][][] = data.density_matrix;
    expect(matrix).toHaveLength(4);
    expect(matrix[0]![3]![0]).toBeCloseTo((1 - ODD) / 2, 12);
    expect(matrix[1]![2]![0]).toBeCloseTo(ODD / 2, 12);
  });

  test('by trajectories has means with standard errors', async () => {
    const data = await run({
      method: 'statevector',
      shots: 5000,
      return: ['probabilities', 'expectation'],
      observables: [{ pauli: 'Z0 Z1' }, { pauli: 'X0 X1' }],
    });
    const { values, standard_error: errors } = data.expectation;
    expect(Math.abs(values[0] - (1 - 2 * ODD))).toBeLessThan(5 * errors[0]);
    expect(errors[0]).toBeCloseTo(Math.sqrt((1 - (1 - 2 * ODD) ** 2) / 5000), 3);
    expect(values[1]).toBeCloseTo(1, 12);
    expect(errors[1]).toBeLessThan(1e-12);
    const sum = Object.values<number>(data.probabilities).reduce((total, each) => total + each, 0);
    expect(sum).toBeCloseTo(1, 12);
    expect(Math.abs(data.probabilities['00'] - EXACT.get('00')!)).toBeLessThan(0.05);
    expect(data).not.toHaveProperty('counts');
  });

  test('has readout errors, also of the measurement that is added', async () => {
    const noise = { readout: [{ qubits: [1], p1_given_0: 1, p0_given_1: 0 }] };
    for (const method of METHODS) {
      const { counts } = await run({
        noise,
        method,
        circuit: [{ gate: 'H', qubit: 0 }],
        qubits: 2,
      });
      expect(Object.keys(counts).sort()).toEqual(['10', '11']);
    }
  });

  test('has the noise of its own operations and of its model', async () => {
    const circuit = [
      { gate: 'X', qubit: 0 },
      { gate: 'NOISE', qubits: [0], channel: { type: 'reset', probability: 1 } },
      { gate: 'X', qubit: 1 },
    ];
    const { counts } = await run({ circuit, noise: undefined });
    expect(counts).toEqual({ 10: 2000 });
    const reset = { gates: [{ gates: ['X'], channel: { type: 'reset', probability: 1 } }] };
    expect((await run({ circuit, noise: reset })).counts).toEqual({ '00': 2000 });
  });

  test('warms a qubit that waits, which a reset then cools', async () => {
    // Qubit 0 waits for qubit 1 long enough to be |1⟩ half of the time.
    const wait = [{ gate: 'X', qubit: 1 }, { gate: 'BARRIER' }];
    const idle = [{ t1_us: 1, t2_us: 1, excited: 0.5, durations_ns: { X: 100_000 } }];
    const text = (resets: string) =>
      `OPENQASM 3; include "stdgates.inc"; qubit[2] q; bit[1] c; x q[1]; barrier q; ${resets} c[0] = measure q[0];`;
    const half = { '0': expect.closeTo(0.5, 9), '1': expect.closeTo(0.5, 9) };
    const probabilities = async (source: Body) =>
      (await run({ circuit: undefined, noise: { idle }, return: ['probabilities'], ...source }))
        .probabilities;
    expect(await probabilities({ qasm: text('') })).toEqual(half);
    expect(await probabilities({ qasm: text('reset q[0];') })).toEqual({ '0': 1 });
    const end = { gate: 'M', qubits: [0] };
    expect(await probabilities({ circuit: [...wait, end] })).toEqual(half);
    const cooled = [...wait, { gate: 'RESET', qubit: 0 }, end];
    expect(await probabilities({ circuit: cooled })).toEqual({ '0': 1 });
  });

  test('that is zero has the counts of the circuit without it', async () => {
    const zero = { gates: [{ gates: ['*'], channel: { type: 'depolarizing', probability: 0 } }] };
    const ideal = await run({ noise: undefined });
    const noisy = await run({ noise: zero });
    expect(noisy.counts).toEqual(ideal.counts);
    expect(noisy).not.toHaveProperty('trajectories');
  });

  test('may name a model', async () => {
    const listed = (await service.get('/quantum/noise-models')).json().data.noise_models;
    expect(listed.map(({ id }: { id: string }) => id)).toContain('ibm-fez');
    const one = (await service.get('/quantum/noise-models/ibm-fez')).json().data;
    expect(one).toEqual(listed.find(({ id }: { id: string }) => id === 'ibm-fez'));
    expect(one).toMatchObject({ basis: 'modelled', source: expect.stringContaining('Median') });
    const ask = { return: ['purity'] };
    const byName = await run({ noise: { model: 'ibm-fez' }, ...ask });
    const copied = await run({ noise: one.noise, ...ask });
    expect(byName.purity).toBe(copied.purity);
    expect(byName.purity).toBeLessThan(1);
  });

  test('is stored with its noise, and retried and repeated with it', async () => {
    const answer = await service.submit(NOISY, { 'idempotency-key': 'noisy-1' });
    const { circuit_id: id, counts } = answer.json().data;
    const again = await service.submit(NOISY, { 'idempotency-key': 'noisy-1' });
    expect(again.json().data.circuit_id).toBe(id);
    const record = (await service.get(`/quantum/circuits/${id}?include=request`)).json().data;
    expect(record).toMatchObject({ counts, request: { noise: FLIPS } });
  });
});

test('a stored circuit is read again with its noise and its method', async () => {
  const { fleet } = opened;
  const { readers } = service.deps;
  const jobs = () => {
    throw new Error('unreachable: a circuit asks for no job');
  };
  const circuits = new CircuitJobs({ fleet, readers, jobs, now: Date.now });
  const body = { ...NOISY, method: 'density_matrix' };
  const request = encodeStored({ shots: 2000, seed: 5, qubits: 2 }, JSON.stringify(body));
  const stored = { id: 'circ_x', keyId: 'key_1', request };
  const checked = await circuits.programsOf(stored, new AbortController().signal);
  expect(checked).toMatchObject({ target: 'qvm', method: 'density_matrix' });
  expect(isNoisy(circuitOf(checked.circuit))).toBe(true);
  await circuits.close();
});

describe('memory', () => {
  test.each(METHODS)('by %s has one label a shot, whose counts are the counts', async (method) => {
    const data = await run({ method, return: ['counts', 'memory'] });
    expect(data.memory).toHaveLength(2000);
    const counts: Record<string, number> = {};
    for (const label of data.memory) counts[label] = (counts[label] ?? 0) + 1;
    expect(counts).toEqual(data.counts);
    // The first shots are not all of one outcome: labels come in the order of shots, not of outcomes.
    expect(new Set(data.memory.slice(0, 40)).size).toBeGreaterThan(1);
    expect((await run({ method, return: ['memory'] })).memory).toEqual(data.memory);
  });

  test('of more than 64 bits has hexadecimal labels, as counts have', async () => {
    const qasm =
      'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[70] c; x q[0]; c[69] = measure q[0]; c[1] = measure q[0];';
    const body = {
      circuit: undefined,
      noise: undefined,
      qasm,
      shots: 3,
      return: ['counts', 'memory'],
    };
    const data = await run(body);
    const label = '0x200000000000000002';
    expect(data).toMatchObject({ label_format: 'hex', counts: { [label]: 3 } });
    expect(data.memory).toEqual([label, label, label]);
  });

  test('of too many shots is refused', async () => {
    expect(await refusalOf({ shots: 100_001, return: ['memory'] })).toEqual([
      'return: memory of 100001 shots; the limit for a JSON answer is 100000.',
    ]);
  });
});

describe('qvm', () => {
  const manyRotations = (numQubits: number) =>
    Array.from({ length: numQubits }, (_, qubit) => ({ gate: 'RY', qubit, theta: 0.3 + qubit }));
  const slightly = {
    gates: [{ gates: ['*'], channel: { type: 'depolarizing', probability: 1e-4 } }],
  };

  test('lists its methods with their limits', async () => {
    const { data } = (await service.get('/quantum/processors/qvm')).json();
    expect(data).toMatchObject({ family: 'qvm', available: true, precision: 'f64' });
    expect(data.methods).toEqual([
      { method: 'statevector', max_qubits: 20, max_noisy_qubits: 20 },
      { method: 'density_matrix', max_qubits: 10, max_noisy_qubits: 10, max_qubits_f64: 10 },
      {
        method: 'stabilizer',
        max_qubits: 5792,
        max_noisy_qubits: 5792,
        near_clifford: { max_qubits: 2000, max_stabilizer_states: 2 ** 18, max_active_qubits: 12 },
      },
      { method: 'matrix_product_state', max_qubits: 20_000, max_noisy_qubits: 20_000 },
      { method: 'sparse', max_qubits: 20_000, max_noisy_qubits: 20_000 },
      { method: 'pauli_propagation', max_qubits: 20_000, max_noisy_qubits: 20_000 },
    ]);
    const other = (await service.get('/quantum/processors/statevector-sim')).json().data;
    expect(other.methods).toEqual([
      { method: 'statevector', max_qubits: 20, max_noisy_qubits: 20 },
    ]);
    const emulator = (await service.get('/quantum/processors/emulator-ibm-fez')).json().data;
    expect([emulator.family, emulator.max_qubits]).toEqual(['emulator', 156]);
    expect(emulator.methods).toEqual(data.methods.slice(0, 2));
  });

  test('runs a circuit without noise on one state, with the counts of statevector-sim', async () => {
    const body = { noise: undefined, circuit: manyRotations(4) };
    const data = await run(body);
    expect(data.method).toBe('statevector');
    expect(data.method_reason).toContain('no noise');
    const other = await run({ ...body, target_processor: 'statevector-sim' });
    expect(data.counts).toEqual(other.counts);
  });

  test('takes trajectories where they are cheaper, and says so with figures', async () => {
    const data = await run({ circuit: manyRotations(9), noise: slightly, shots: 100 });
    expect(data.method).toBe('statevector');
    expect(data.method_reason).toMatch(/about 1 state of 8 KiB for 100 shots.*4 MiB/);
  });

  test('takes trajectories for values of a circuit too wide for a density matrix', async () => {
    const body = { circuit: manyRotations(12), noise: slightly, shots: 50 };
    const data = await run({
      ...body,
      return: ['expectation'],
      observables: [{ pauli: 'Z0' }],
    });
    expect(data.method).toBe('statevector');
    expect(data.method_reason).toContain('128 MiB in single precision');
    expect(data.expectation.standard_error).toHaveLength(1);
    expect(await refusalOf({ ...body, method: 'density_matrix' })).toEqual([
      expect.stringMatching(
        /^method: density_matrix does not take 12 qubits .*density_matrix needs 128 MiB in single precision and takes up to 10 qubits/,
      ),
    ]);
  });

  test('refuses what no method can do, with the figures of each', async () => {
    const distant = Array.from({ length: 400 }, (_, i) => ({
      gate: 'CX',
      control: i % 40,
      target: (i + 1 + ((7 * i) % 39)) % 40,
    }));
    const circuit = [...manyRotations(40), ...distant];
    const [fault] = await refusalOf({ circuit, noise: slightly });
    expect(fault).toMatch(/^circuit: No method takes 40 qubits/);
    expect(fault).toContain('statevector needs 16 TiB and takes up to 20 qubits');
    expect(fault).toContain('density_matrix needs 2^80 amplitudes and takes up to 10 qubits');
    expect(fault).toContain('matrix_product_state may need bonds of 2^20');
  });

  test('is exact after measurements in mid-circuit', async () => {
    const circuit = [
      { gate: 'H', qubit: 0 },
      { gate: 'M', qubits: [0], bits: [0] },
      { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
      { gate: 'M', qubits: [1], bits: [1] },
    ];
    const data = await run({ circuit, noise: undefined, return: ['probabilities'] });
    expect(data.method).toBe('density_matrix');
    expect(data.probabilities['00']).toBeCloseTo(0.5, 12);
    expect(data.probabilities['11']).toBeCloseTo(0.5, 12);
  });

  test('by trajectories has means of values after measurements in mid-circuit', async () => {
    const circuit = [
      { gate: 'H', qubit: 0 },
      { gate: 'M', qubits: [0] },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'M', qubits: [1] },
    ];
    const body = { circuit, return: ['probabilities', 'expectation'], shots: 4000 };
    const observables = [{ pauli: 'Z0 Z1' }];
    const data = await run({ ...body, observables, method: 'statevector' });
    // Bit 0 is read before the noise, and bit 1 after a flip of its qubit.
    for (const [label, probability] of [
      ['00', (1 - P) / 2],
      ['01', P / 2],
      ['10', P / 2],
      ['11', (1 - P) / 2],
    ] as const) {
      expect(Math.abs(data.probabilities[label] - probability)).toBeLessThan(0.04);
    }
    const deviation = data.expectation.values[0] - (1 - 2 * ODD);
    expect(Math.abs(deviation)).toBeLessThan(5 * data.expectation.standard_error[0]);
  });
});

describe('delays of a program', () => {
  const header = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nbit[2] c;\n';
  const idle = (more = {}) => ({
    idle: [{ t1_us: 50, t2_us: 70, durations_ns: { '*': 0 }, ...more }],
  });
  const decayed = (us: number) => Math.exp(-us / 50);
  const probabilities = async (text: string, noise: object | undefined) => {
    const body = { circuit: undefined, qasm: header + text, noise, return: ['probabilities'] };
    return await run(body);
  };

  test.each([
    ['delay[10us] q[0];', [10, 0]],
    ['delay[10000.0ns] q;', [10, 10]],
    ['const int n = 3; duration d = 2us; delay[n * d - 1us] q[1];', [0, 5]],
    ['delay[10us] q[0]; delay[0ns] q; delay[4us] q[1];', [10, 14]],
    // A delay of several qubits begins when all of them are free.
    ['delay[10us] q[0]; delay[4us] q;', [14, 14]],
    ['for int i in [1:3] { delay[i * 2us] q[0]; }', [12, 0]],
  ])('%s relaxes the qubits that wait', async (text, [first, second]) => {
    // Each qubit is measured as soon as it is free.
    const measured = 'c[0] = measure q[0];\nc[1] = measure q[1];';
    const data = await probabilities(`x q;\n${text}\n${measured}`, idle());
    const [a, b] = [decayed(first!), decayed(second!)];
    expect(data.probabilities['11']).toBeCloseTo(a * b, 10);
    expect(data.probabilities['01'] ?? 0).toBeCloseTo(a * (1 - b), 10);
    expect(data).not.toHaveProperty('warnings');
  });

  test('take time in which other qubits wait, as gates do', async () => {
    const text = 'x q;\ndelay[10us] q[0];\ncx q[0], q[1];\ncx q[0], q[1];';
    const data = await probabilities(text, idle({ qubits: [1] }));
    // The decay of qubit 1 before the gates is seen after them.
    expect(data.probabilities['11']).toBeCloseTo(decayed(10), 10);
  });

  test.each([
    ['', 0.9, 1],
    // Many times T1.
    ['delay[2ms] q[0];', 0, 0.1],
  ])('relax the qubits of an emulated device: %s', async (text, least, most) => {
    const data = await run({
      circuit: undefined,
      qasm: `${header}h q[1];\ncx q[1], q[0];\nh q[1];\nreset q[0];\nx q[0];\n${text}\nc[0] = measure q[0];`,
      noise: undefined,
      target_processor: 'emulator-ibm-fez',
      shots: 1000,
    });
    let ones = 0;
    for (const [label, count] of Object.entries<number>(data.counts)) {
      if (label.endsWith('1')) ones += count;
    }
    expect(ones / 1000).toBeGreaterThanOrEqual(least);
    expect(ones / 1000).toBeLessThanOrEqual(most);
    expect(data).not.toHaveProperty('warnings');
  });

  test.each([
    ['without noise', undefined],
    ['under a model without idle qubits', { readout: [{ p1_given_0: 0, p0_given_1: 0 }] }],
  ])('have no effect and a warning %s', async (_, noise) => {
    const data = await probabilities('x q;\ndelay[10us] q;', noise);
    expect(data.probabilities['11']).toBe(1);
    expect(data.warnings).toMatchObject([{ code: 'CIRCUIT_DURATION_IGNORED', line: 6 }]);
    const plain = await probabilities('x q;', noise);
    expect(data.compilation.passes).toEqual(plain.compilation.passes);
  });
});

describe('a bad request', () => {
  test.each([
    [
      { noise: { model: 'ibm-fes' } },
      'noise.model: There is no noise model called "ibm-fes". Did you mean ibm-fez?',
    ],
    [
      { return: ['statevector'] },
      'return: statevector needs a pure state; with noise the state is mixed.',
    ],
    [
      { target_processor: 'statevector-sim', return: ['density_matrix'] },
      'return: density_matrix needs the method density_matrix, which qvm has',
    ],
    [
      { target_processor: 'gpu-fleet', method: 'density_matrix' },
      'method: gpu-fleet does not have density_matrix. gpu-fleet takes automatic, statevector.',
    ],
    [
      { method: 'statevector', return: ['purity'] },
      'return: purity needs the method density_matrix',
    ],
    [{ method: 'magic' }, 'method: '],
    [
      { target_processor: 'emulator-ibm-fez' },
      'noise.gates[0].gates: The noise of emulator-ibm-fez follows native gates',
    ],
    [
      { method: 'statevector', shots: 1, return: ['expectation'], observables: [{ pauli: 'Z0' }] },
      'shots: At least 2',
    ],
    [
      { qubits: 8, return: ['density_matrix'] },
      'return: density_matrix of 8 qubits; the limit for a JSON answer is 7.',
    ],
    [
      { noise: { gates: [{ gates: ['CY2'], channel: { type: 'bit_flip', probability: 0.1 } }] } },
      'noise.gates[0].gates[0]: ',
    ],
    [
      { noise: { gates: [{ gates: ['X'], channel: { type: 'bit_flip', probability: 1.5 } }] } },
      'noise.gates[0].channel.probability: ',
    ],
    [{ noise: { readout: [{ p1_given_0: -1, p0_given_1: 0 }] } }, 'noise.readout[0].p1_given_0: '],
    [{ noise: { gate: [] } }, 'noise'],
  ])('%j is answered with the path', async (more, expected) => {
    const faults = await refusalOf(more);
    expect(faults).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
  });

  test('for a model that does not exist is 404', async () => {
    const answer = await service.get('/quantum/noise-models/nothing');
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error.details[0].code).toBe('SERVICE_NOISE_MODEL_NOT_FOUND');
  });
});

describe('a batch with noise', () => {
  const circuit = [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }];
  const damping = { gates: [{ gates: ['RY'], channel: { type: 'phase_flip', probability: 0.2 } }] };
  const inputs = { a: [0.3, 1.1, 2.4] };

  test('by density_matrix has exact values and gradients', async () => {
    const [program] = await runBatch({
      programs: [{ circuit, inputs, observables: [{ pauli: 'X0' }, { pauli: 'Z0' }] }],
      noise: damping,
      return: ['expectation', 'variance', 'gradient'],
    });
    expect(program).toMatchObject({ method: 'density_matrix', points: 3 });
    for (const [k, a] of inputs.a.entries()) {
      // A phase flip shrinks X by 1 − 2p and leaves Z as it is.
      const x = 0.6 * Math.sin(a);
      expect(program.expectation[k][0]).toBeCloseTo(x, 12);
      expect(program.expectation[k][1]).toBeCloseTo(Math.cos(a), 12);
      expect(program.variance[k][0]).toBeCloseTo(1 - x ** 2, 12);
      expect(program.gradient[k][0][0]).toBeCloseTo(0.6 * Math.cos(a), 10);
      expect(program.gradient[k][1][0]).toBeCloseTo(-Math.sin(a), 10);
    }
    expect(program).not.toHaveProperty('standard_error');
  });

  test('by trajectories estimates variances, and refuses gradients', async () => {
    const program = { circuit, inputs, observables: [{ pauli: 'X0' }] };
    const body = { noise: damping, method: 'statevector', shots: 2000 };
    const [found] = await runBatch({ ...body, programs: [{ ...program, return: ['variance'] }] });
    for (const [k, a] of inputs.a.entries()) {
      expect(Math.abs(found.variance[k][0] - (1 - (0.6 * Math.sin(a)) ** 2))).toBeLessThan(0.1);
    }
    const refused = await postBatch({ ...body, programs: [{ ...program, return: ['gradient'] }] });
    expect(faultsIn(refused)).toEqual([
      expect.stringContaining('gradient needs the method density_matrix'),
    ]);
  });

  test('by trajectories has the counts and means of single circuits with their seeds', async () => {
    const programs = [
      {
        circuit,
        inputs,
        noise: damping,
        observables: [{ pauli: 'X0' }],
        return: ['counts', 'expectation'],
      },
    ];
    const [program] = await runBatch({ programs, method: 'statevector', shots: 300 });
    expect(program.method).toBe('statevector');
    for (const [k, theta] of inputs.a.entries()) {
      const alone = await run({
        circuit: [{ gate: 'RY', qubit: 0, theta }],
        noise: damping,
        method: 'statevector',
        shots: 300,
        seed: 5 + k,
        return: ['counts', 'expectation'],
        observables: [{ pauli: 'X0' }],
      });
      expect(program.counts[k]).toEqual(alone.counts);
      expect(program.expectation[k]).toEqual(alone.expectation.values);
      expect(program.standard_error[k]).toEqual(alone.expectation.standard_error);
    }
  });

  test('has the noise of its programs, where these have some', async () => {
    const flip = { gates: [{ gates: ['X'], channel: { type: 'bit_flip', probability: 1 } }] };
    const x = [{ gate: 'X', qubit: 0 }];
    const programs = await runBatch({
      programs: [{ circuit: x }, { circuit: x, noise: {} }],
      noise: flip,
      shots: 10,
    });
    expect(programs.map(({ counts }: Body) => counts)).toEqual([[{ 0: 10 }], [{ 1: 10 }]]);
  });

  test('refuses what its method does not have', async () => {
    const program = { circuit, inputs, observables: [{ pauli: 'X0' }] };
    const refused = async (more: Body) =>
      faultsIn(await postBatch({ programs: [program], noise: damping, ...more }));
    expect(await refused({ method: 'statevector', shots: 10, return: ['gradient'] })).toEqual([
      expect.stringContaining('programs[0].return: gradient needs the method density_matrix'),
    ]);
    expect(await refused({ target_processor: 'statevector-sim' })).toEqual([
      expect.stringContaining('programs[0].shots: Required: with noise'),
    ]);
    expect(await refused({ noise: { model: 'none' } })).toEqual([
      expect.stringContaining('noise.model: There is no noise model called "none".'),
    ]);
  });
});

describe('errors of measurements and resets', () => {
  // An exact density matrix in numpy; Qiskit Aer's errors on "measure" and "reset" give the same counts.
  const EXACT = {
    '000': 0.6196187185318083,
    '010': 0.08831518750339129,
    '100': 0.05544083128600681,
    '110': 0.14256213759258896,
    '001': 0.06433480592404106,
    '011': 0.009169736610990235,
    '101': 0.005756403114328529,
    '111': 0.014802179436844785,
  };

  test.each(['density_matrix', 'statevector', 'matrix_product_state', 'sparse'])(
    'the method %s has the counts of an exact density matrix',
    async (method) => {
      const shots = 20_000;
      const answer = await service.submit({
        target_processor: 'qvm',
        shots,
        seed: 5,
        method,
        circuit: [
          { gate: 'RY', qubit: 0, theta: 0.7 },
          { gate: 'M', qubits: [0], bits: [0] },
          { gate: 'RESET', qubit: 0 },
          { gate: 'RY', qubit: 1, theta: 1.1 },
          { gate: 'CX', control: 1, target: 0 },
          { gate: 'M', qubits: [0, 1], bits: [1, 2] },
        ],
        noise: {
          gates: [
            { gates: ['M'], channel: { type: 'amplitude_damping', gamma: 0.2 } },
            {
              gates: ['RESET'],
              qubits: [[0]],
              channel: { type: 'bit_flip', probability: 0.1 },
            },
          ],
        },
      });
      expect(answer.statusCode, answer.body.slice(0, 400)).toBe(201);
      const counts: Record<string, number> = answer.json().data.counts;
      for (const [label, probability] of Object.entries(EXACT)) {
        const deviation = Math.sqrt(shots * probability * (1 - probability));
        const off = Math.abs((counts[label] ?? 0) - shots * probability);
        expect(off, label).toBeLessThan(5 * deviation);
      }
    },
  );
});
