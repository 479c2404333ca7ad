/** Loss of qubits over HTTP: labels with a 2, heralds, rules, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { circuitRecord } from '../../src/service/circuits/circuit-schema.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';

let opened: FleetService;
beforeAll(async () => {
  opened = await openFleetService({}, ['ibm-fez']);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;

async function post(path: string, body: Body) {
  const answer = await opened.service.request({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ target_processor: 'qvm', ...body }),
  });
  return { status: answer.statusCode, body: answer.json() };
}

async function run(body: Body) {
  const { status, body: answer } = await post('/quantum/circuits', {
    shots: 2000,
    seed: 5,
    ...body,
  });
  expect([status, JSON.stringify(answer).slice(0, 600)]).toEqual([201, expect.anything()]);
  expect(circuitRecord.safeParse(answer.data).error?.issues ?? []).toEqual([]);
  return answer.data;
}

async function refused(body: Body, path = '/quantum/circuits') {
  const { status, body: answer } = await post(path, body);
  expect(status).toBe(400);
  return answer.error.details.map((each: { path: string; message: string }) => {
    return `${each.path}: ${each.message}`;
  });
}

const lossAfter = (gate: string, probability: number) => ({
  gates: [{ gates: [gate], channel: { type: 'loss', probability } }],
});
const LOST: Body = { gate: 'NOISE', qubits: [0], channel: { type: 'loss', probability: 1 } };
const BELL: readonly Body[] = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
];
const METHODS = [
  'statevector',
  'density_matrix',
  'stabilizer',
  'matrix_product_state',
  'automatic',
];

describe('counts and memory have a 2 for a lost qubit', () => {
  // A cluster state of two qubits, each lost with probability 0.3 after CZ, read in the bases in which they agree.
  const P = 0.3;
  const kept = (1 - P) ** 2;
  const exact = new Map([
    ['00', kept / 2],
    ['11', kept / 2],
    ['02', (P * (1 - P)) / 2],
    ['12', (P * (1 - P)) / 2],
    ['20', (P * (1 - P)) / 2],
    ['21', (P * (1 - P)) / 2],
    ['22', P * P],
  ]);
  const circuit = [
    ...[0, 1].map((qubit) => ({ gate: 'H', qubit })),
    { gate: 'CZ', control: 0, target: 1 },
    { gate: 'H', qubit: 1 },
  ];

  test.each(METHODS)('by %s', async (method) => {
    const data = await run({
      ...{ circuit, method, noise: lossAfter('CZ', P), shots: 9000 },
      return: ['counts', 'memory'],
    });
    const counts = new Map<string, number>(Object.entries(data.counts));
    const { statistic, bound } = chiSquared(counts, exact);
    expect(statistic).toBeLessThan(bound);
    expect(data.label_format).toBe('binary');
    const listed = Map.groupBy(data.memory as readonly string[], (label) => label);
    expect(new Map([...listed].map(([label, all]) => [label, all.length]))).toEqual(counts);
    expect(data.measured_qubits).toEqual([0, 1]);
  });

  test('and no label has more digits for it', async () => {
    const data = await run({
      circuit: [...BELL, LOST],
      return: ['counts', 'measurements'],
      shots: 100,
    });
    expect(Object.keys(data.counts).toSorted()).toEqual(['02', '12']);
    const { data: packed, bytes_per_shot: width } = data.measurements;
    const bytes = [...Buffer.from(packed, 'base64')];
    expect([width, bytes.length]).toEqual([1, 100]);
    expect(bytes.filter((byte) => byte === 2)).toHaveLength(data.counts['12']);
    expect(bytes.filter((byte) => byte === 0)).toHaveLength(data.counts['02']);
  });
});

test('a reset loads a lost qubit again, and its bits before keep their 2', async () => {
  const circuit = [
    { gate: 'X', qubit: 0 },
    LOST,
    { gate: 'M', qubits: [0], bits: [0] },
    { gate: 'RESET', qubits: [0] },
    { gate: 'X', qubit: 0 },
    { gate: 'M', qubits: [0], bits: [1] },
  ];
  expect((await run({ circuit })).counts).toEqual({ '12': 2000 });
});

test.each([
  ['skip', { '02': 2000 }],
  ['propagate', { '22': 2000 }],
])('the rule %s holds for gates of which a qubit is lost', async (rule, counts) => {
  const noise = { ...lossAfter('X', 1), loss: [{ gates: ['cz'], rule }] };
  const circuit = [
    { gate: 'X', qubit: 0 },
    { gate: 'CZ', control: 0, target: 1 },
  ];
  expect((await run({ circuit, noise })).counts).toEqual(counts);
});

test('values of states take a lost qubit as fully mixed', async () => {
  const data = await run({
    circuit: [...BELL, LOST],
    observables: [[{ pauli: 'Z0 Z1', coefficient: 1 }]],
    return: ['expectation', 'purity', 'density_matrix'],
  });
  expect(data.expectation.values[0]).toBeCloseTo(0, 12);
  expect(data.purity).toBeCloseTo(1 / 4, 12);
  expect(data.density_matrix[3][3][0]).toBeCloseTo(1 / 4, 12);
});

test('OpenQASM has loss as a noise pragma', async () => {
  const qasm = `OPENQASM 3.0; qubit[2] q; x q[1];
#pragma braket noise loss(1) q[0]
`;
  expect((await run({ qasm })).counts).toEqual({ '12': 2000 });
});

test('an emulated device takes loss in the model of a request', async () => {
  const data = await run({
    ...{ circuit: BELL, target_processor: 'emulator-ibm-fez', shots: 500 },
    noise: lossAfter('CZ', 1),
    return: ['counts'],
  });
  expect(data.counts).toEqual({ '22': 500 });
});

describe("a text in Stim's format", () => {
  const stim = `R 0 1
X 1
LOSS_ERROR(0.25) 0 1
HERALD_LOSS_EVENT 0 1
MR 0 1
HERALD_LOSS_EVENT 1
M 1
DETECTOR rec[-3]
DETECTOR rec[-1]
DETECTOR rec[-6]`;

  test.each(METHODS)('loses qubits and reads heralds by %s', async (method) => {
    const data = await run({ stim, method, return: ['counts', 'detection_events'] });
    // From the right: two heralds, two outcomes, the herald after the reset, the last outcome.
    const exact = new Map([
      ['001000', 9 / 16],
      ['001201', 3 / 16],
      ['002010', 3 / 16],
      ['002211', 1 / 16],
    ]);
    const counts = new Map<string, number>(Object.entries(data.counts));
    const { statistic, bound } = chiSquared(counts, exact);
    expect(statistic).toBeLessThan(bound);
    const fired = (detector: number) =>
      [...Buffer.from(data.detection_events.data, 'base64')].filter(
        (byte) => (byte >> detector) % 2 === 1,
      ).length;
    const times = (...labels: readonly string[]) =>
      labels.reduce((sum, label) => sum + (counts.get(label) ?? 0), 0);
    // The outcome of qubit 1 is 1 without errors, and 0 where it is lost.
    expect([fired(0), fired(1), fired(2)]).toEqual([
      times('002010', '002211'),
      0,
      times('001201', '002211'),
    ]);
  });

  test('has no detector error model', async () => {
    const faults = await refused({ stim, shots: 10, return: ['detector_error_model'] });
    expect(faults).toEqual([expect.stringMatching(/^return: A detector error model has no loss/)]);
  });

  test('names the place of a wrong probability', async () => {
    expect(await refused({ stim: 'X 0\nLOSS_ERROR(2) 0\nM 0', shots: 10 })).toEqual([
      expect.stringContaining('line 2'),
    ]);
  });

  test('of more bits than a label has digits for gives measurements', async () => {
    const wide = 'X 0\nLOSS_ERROR(1) 0\nREPEAT 1025 {\nM 0\n}';
    expect(await refused({ stim: wide, shots: 10 })).toEqual([
      expect.stringMatching(/^return: counts of 1025 classical bits; .* limit is 1,024/),
    ]);
    const { measurements } = await run({ stim: wide, shots: 2, return: ['measurements'] });
    expect(measurements).toMatchObject({ shots: 2, bytes_per_shot: 129 });
    expect(Buffer.from(measurements.data, 'base64').every((byte) => byte === 0)).toBe(true);
  });
});

describe('a batch', () => {
  const lossy = [{ gate: 'RX', qubit: 1, theta: { input: 'a' } }, ...BELL, LOST];
  const programs = [{ circuit: lossy, inputs: { a: [0, Math.PI] }, observables: undefined }];

  test.each(['json', 'base64'])(
    'of arrays in %s has labels with a 2 for each point',
    async (array_format) => {
      const asked = { programs, shots: 500, return: ['counts'], array_format };
      const { status, body } = await post('/quantum/batches', asked);
      expect(status).toBe(201);
      const [{ counts, label_format: format }] = body.data.programs;
      expect(format).toBe('binary');
      for (const point of counts) {
        expect(Object.keys(point).toSorted()).toEqual(['02', '12']);
        expect(point['02'] + point['12']).toBe(500);
      }
    },
  );

  test('has expectation values in which a lost qubit is fully mixed', async () => {
    const observables = ['Z0', 'Z1'].map((pauli) => [{ pauli, coefficient: 1 }]);
    const circuit = [lossy[0], LOST];
    const { status, body } = await post('/quantum/batches', {
      programs: [{ circuit, inputs: { a: [0, Math.PI] }, observables }],
      ...{ return: ['expectation'], method: 'density_matrix' },
    });
    expect(status).toBe(201);
    const rounded = body.data.programs[0].expectation.map((values: readonly number[]) =>
      values.map((value) => Math.round(1e9 * value) / 1e9 + 0),
    );
    expect(rounded).toEqual([
      [0, 1],
      [0, -1],
    ]);
  });

  test('takes no hexadecimal labels and no gradients', async () => {
    const hex = { programs, shots: 10, return: ['counts'], label_format: 'hex' };
    expect(await refused(hex, '/quantum/batches')).toEqual([
      expect.stringMatching(/label_format: Hexadecimal labels have no digit/),
    ]);
    const observables = [[{ pauli: 'Z1', coefficient: 1 }]];
    const gradient = { programs: [{ ...programs[0], observables }], return: ['gradient'] };
    expect(await refused(gradient, '/quantum/batches')).toEqual([
      expect.stringMatching(/gradient does not work with loss of qubits/),
    ]);
  });
});

describe('refuses', () => {
  const lossy = { circuit: [...BELL, LOST], shots: 10 };
  test.each<[string, Body, RegExp]>([
    [
      'hexadecimal labels',
      { label_format: 'hex' },
      /^label_format: Hexadecimal labels have no digit/,
    ],
    [
      'probabilities',
      { return: ['probabilities'] },
      /^return: probabilities has no value for outcomes/,
    ],
    [
      'samples of observables',
      {
        circuit: undefined,
        qasm: `OPENQASM 3.0; qubit[1] q; h q[0];
#pragma braket noise loss(0.5) q[0]
#pragma braket result sample z(q[0])
`,
      },
      /^qasm: OpenQASM line 3: The result "sample" has no value/,
    ],
    [
      'a probability that is none',
      { circuit: [{ ...LOST, channel: { type: 'loss', probability: 1.5 } }] },
      /^circuit\[0\]\.channel\.probability: probability must be from 0 to 1/,
    ],
    [
      'a degraded gate that is no rotation of two qubits',
      { noise: { loss: [{ gates: ['CX'], rule: 'degrade' }] } },
      /^noise\.loss\[0\]\.rule: degrade is for RXX, RYY, RZZ alone, not for CX/,
    ],
    [
      'an exchange by other gates than SWAP',
      { noise: { loss: [{ gates: ['CX'], rule: 'exchange' }] } },
      /^noise\.loss\[0\]\.rule: exchange is for SWAP alone/,
    ],
    [
      'rules for gates on one qubit',
      { noise: { loss: [{ gates: ['H'], rule: 'propagate' }] } },
      /^noise\.loss\[0\]\.gates\[0\]: H acts on one qubit/,
    ],
    [
      'unknown rules',
      { noise: { loss: [{ gates: ['CX'], rule: 'ignore' }] } },
      /^noise\.loss\[0\]\.rule: /,
    ],
  ])('%s', async (_, more, message) => {
    expect(await refused({ ...lossy, ...more })).toEqual([expect.stringMatching(message)]);
  });

  test('writing it out compiled', async () => {
    const faults = await refused({ circuit: [...BELL, LOST] }, '/quantum/compile');
    expect(faults).toEqual([expect.stringMatching(/The circuit has noise/)]);
  });
});
