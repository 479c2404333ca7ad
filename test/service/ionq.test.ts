/** IonQ's interface over HTTP: jobs, results, listings, sessions and backends, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import { openTestService, type TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({ bodyLimitBytes: 8 * 2 ** 20 });
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Sends a request below /v0.4 as IonQ's clients do. */
async function call(
  method: Method,
  path: string,
  body?: unknown,
  to: TestService = service,
  more: Readonly<Record<string, string>> = {},
) {
  const answer = await to.app.inject({
    method,
    url: `/v0.4${path}`,
    headers: { authorization: `apiKey ${to.key}`, ...more },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, headers: answer.headers, data: JSON.parse(answer.body) };
}

const get = async (path: string) => (await call('GET', path)).data;

const BELL = [
  { gate: 'h', target: 0 },
  { gate: 'cnot', control: 0, target: 1 },
];

function circuit(gates: readonly unknown[], more: object = {}, input: object = {}) {
  return {
    type: 'ionq.circuit.v1',
    backend: 'simulator',
    input: { gateset: 'qis', qubits: 2, circuit: gates, ...input },
    ...more,
  };
}

/** Submits a job and reads it until it has ended. */
async function ended(body: object) {
  const created = await call('POST', '/jobs', body);
  expect([created.status, created.data]).toEqual([
    201,
    { id: expect.stringMatching(/^batch_/), status: 'submitted', session_id: null },
  ]);
  let job = await get(`/jobs/${created.data.id}`);
  while (job.completed_at === null) job = await get(`/jobs/${job.id}`);
  return job;
}

async function completed(body: object) {
  const job = await ended(body);
  expect([job.status, job.failure]).toEqual(['completed', null]);
  return job;
}

/** Faults of a refused job, by path. */
async function refused(body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const { status, data } = await call('POST', '/jobs', body);
  expect(status).toBe(400);
  expect(data).toMatchObject({ statusCode: 400, error: 'Bad Request' });
  return data;
}

describe('POST /v0.4/jobs', () => {
  test('runs a circuit and answers its exact probabilities by decimal outcome', async () => {
    const job = await completed(
      circuit([
        { gate: 'x', target: 1 },
        { gate: 'h', target: 0 },
      ]),
    );
    expect(await get(`/jobs/${job.id}/results/probabilities`)).toEqual({
      2: expect.closeTo(0.5, 12),
      3: expect.closeTo(0.5, 12),
    });
    // No shots were asked for, so there are none.
    expect(Object.keys(job.results)).toEqual([
      'ionq.result.probabilities.json.v1',
      'ionq.result.probabilities.json.v2',
      'probabilities',
    ]);
    const histogram = await call('GET', `/jobs/${job.id}/results/histogram`);
    expect([histogram.status, histogram.data.message]).toEqual([
      404,
      'The job has no counts, because no shots were asked for. Its probabilities are exact.',
    ]);
  });

  test('draws shots beside exact probabilities where they are asked for, also as text', async () => {
    const job = await completed(circuit(BELL, { shots: '300' }));
    expect(job).toMatchObject({ shots: 300, stats: { gate_counts: { '1q': 1, '2q': 1 } } });
    const histogram = await get(`/jobs/${job.id}/results/histogram`);
    expect(Object.keys(histogram)).toEqual(['0', '3']);
    expect(histogram[0] + histogram[3]).toBe(300);
    const shots: string[] = await get(`/jobs/${job.id}/results/shots`);
    expect(shots.filter((each) => each === '3').length).toBe(histogram[3]);
    // In an order that is not that of the outcomes.
    expect(shots).not.toEqual(shots.toSorted());
    expect(await get(`/jobs/${job.id}/results/shots`)).toEqual(shots);
  });

  test('counts on the QPU, 100 shots unless asked otherwise, and says that it is simulated', async () => {
    const job = await completed(circuit(BELL, { backend: 'qpu' }));
    expect(job).toMatchObject({
      backend: 'qpu.forte-1',
      shots: 100,
      output: { simulated: true, basis: 'modelled' },
    });
    const shares = await get(`/jobs/${job.id}/results/probabilities`);
    expect(shares[0] + shares[3]).toBeGreaterThan(0.9);
    expect(shares[0] * 100).toBeCloseTo(Math.round(shares[0] * 100), 9);
  });

  test.each([
    ['aria-1', 0.0005, 0.0133, {}],
    ['forte-1', 0.0002666666666666667, 0.004949333333333333, {}],
    ['harmony', 0.013, 0.0530666666666667, {}],
    ['forte-enterprise-1', 0.0002666666666666667, 0.004949333333333333, {}],
    ['aria-2', 0.0006573333333333332, 0.01856, { backend: 'qpu.aria-2', noise: null }],
    [
      'forte-1',
      0.0002666666666666667,
      0.004949333333333333,
      { backend: 'qpu.forte-1', noise: null },
    ],
  ])('has the noise of %s', async (model, oneQubit, twoQubit, more) => {
    // Gates on one qubit and on two that undo each other; each MS is five gates here and one of IonQ's.
    const pairs = (gate: object, inverse: object) =>
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? gate : inverse));
    const ms = { gate: 'ms', targets: [0, 1], phases: [0.1, 0.2] };
    const gates = [
      ...pairs(ms, { ...ms, phases: [0.6, 0.2] }),
      ...pairs({ gate: 'gpi', target: 2, phase: 0.3 }, { gate: 'gpi', target: 2, phase: 0.3 }),
    ];
    const shots = 20_000;
    const noise = { model, seed: 4 };
    const asked = circuit(gates, { shots, noise, ...more }, { gateset: 'native', qubits: 3 });
    const job = await completed(asked);
    const histogram: Readonly<Record<string, number>> = await get(
      `/jobs/${job.id}/results/histogram`,
    );
    const share = (of: (outcome: number) => boolean) =>
      Object.entries(histogram).reduce((sum, [key, n]) => sum + (of(Number(key)) ? n : 0), 0) /
      shots;
    // A gate keeps a fraction 1 − r of the state; the rest is fully mixed.
    const [keptPair, keptOne] = [(1 - twoQubit) ** 100, (1 - oneQubit) ** 100];
    const deviations = 5 / (2 * Math.sqrt(shots));
    expect(Math.abs(share((key) => key % 4 === 0) - (keptPair + (1 - keptPair) / 4))).toBeLessThan(
      deviations,
    );
    expect(Math.abs(share((key) => key < 4) - (keptOne + (1 - keptOne) / 2))).toBeLessThan(
      deviations,
    );
    if (job.backend === 'simulator') expect(job.noise).toEqual({ model, seed: 4 });
  });

  test('has noise after the gates of a text', async () => {
    const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; ${'cx q[0], q[1]; '.repeat(100)}`;
    const shots = 20_000;
    const body = { type: 'ionq.qasm3.v1', backend: 'simulator', shots, input: { data: text } };
    const job = await completed({ ...body, noise: { model: 'aria-1', seed: 4 } });
    const histogram = await get(`/jobs/${job.id}/results/histogram`);
    const kept = (1 - 0.0133) ** 100;
    const deviations = 5 / (2 * Math.sqrt(shots));
    expect(Math.abs(histogram[0] / shots - (kept + (1 - kept) / 4))).toBeLessThan(deviations);
  });

  test.each([
    [
      'aria-3',
      2,
      'noise.model',
      'there are ideal, forte-1, forte-enterprise-1, aria-1, aria-2 and harmony. Did you mean aria-',
    ],
    ['harmony', 12, 'input.qubits', '12 qubits with the noise of harmony; that device has 11.'],
    [
      'forte-1',
      37,
      'input.qubits',
      '37 qubits with the noise of forte-1; that device has 36. This service takes up to 20 of them, and more in Clifford',
    ],
    ['ideal', 21, 'input.qubits', '21 qubits; the backend simulator takes up to 20 here.'],
  ])('refuses the noise model %s on %i qubits', async (model, qubits, path, words) => {
    const data = await refused(circuit(BELL, { noise: { model } }, { qubits }));
    expect(data['validation']).toEqual({ source: 'body', keys: [path] });
    expect(data['message']).toContain(words);
  });

  test.each([
    [
      'qpu.aria-1',
      26,
      '26 qubits with the noise of aria-1; that device has 25. This service takes up to 20 of them',
    ],
    ['simulator', 21, '21 qubits; the backend simulator takes up to 20 here.'],
  ])(
    'names the limit of the backend %s for a text of %i qubits',
    async (backend, qubits, words) => {
      const data = `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; h q;`;
      const answer = await refused({ type: 'ionq.qasm3.v1', backend, input: { data } });
      expect(answer['validation']).toEqual({ source: 'body', keys: ['input.qubits'] });
      expect(answer['message']).toContain(words);
    },
  );

  test.each(['ionq.circuit.v1', 'ionq.qasm3.v1'])(
    'runs Clifford circuits of all qubits of a device as %s',
    async (type) => {
      const gates = Array.from({ length: 36 }, (_, i) => i);
      const circuit = gates.map((target) => ({ gate: 'x', target }));
      const data = `OPENQASM 3.0; include "stdgates.inc"; qubit[36] q; ${gates.map((i) => `x q[${i}];`).join(' ')}`;
      const input = type === 'ionq.qasm3.v1' ? { data } : { gateset: 'qis', qubits: 36, circuit };
      const job = await completed({ type, backend: 'qpu.forte-1', shots: 100, input });
      expect(job).toMatchObject({ stats: { qubits: 36 } });
      const histogram = await get(`/jobs/${job.id}/results/histogram`);
      expect(histogram[String(2 ** 36 - 1)]).toBeGreaterThan(90);
    },
  );

  test('samples a circuit that is too wide for a list of probabilities', async () => {
    const gates = [{ gate: 'x', target: 17 }];
    const job = await completed(circuit(gates, {}, { qubits: 18 }));
    expect(await get(`/jobs/${job.id}/results/histogram`)).toEqual({ [2 ** 17]: 100 });
    expect(await get(`/jobs/${job.id}/results/probabilities`)).toEqual({ [2 ** 17]: 1 });
  });

  test('is a batch of the same key, which has its name, tags and request', async () => {
    const job = await completed(circuit(BELL, { name: 'bell', shots: 10 }));
    const answer = await service.get(`/quantum/batches/${job.id}`);
    expect(answer.json().data).toMatchObject({
      status: 'completed',
      name: 'bell',
      tags: ['ionq', 'simulator'],
      points: 1,
      request: { target_processor: 'statevector-sim', shots: 10 },
    });
  });

  test('keeps metadata, name and settings as they were sent', async () => {
    const metadata = { text: '"quoted", ,"body":{"metadata":{}} \\" ψ\n', empty: '', 7: 'seven' };
    const settings = {
      error_mitigation: { debiasing: true },
      compilation: { opt: 1, precision: '1E-3' },
    };
    const sent = { name: 'x'.repeat(200), metadata, settings, noise: { model: 'ideal', seed: 5 } };
    const job = await completed(circuit(BELL, sent));
    expect(job).toMatchObject(sent);
    expect(job.metadata).toEqual(metadata);
  });

  test('takes fields that are unknown or null, and a body without a content type', async () => {
    const nothing = {
      shots: null,
      name: null,
      metadata: null,
      session_id: null,
      noise: null,
      settings: null,
    };
    const job = await completed(circuit(BELL, { ...nothing, lang: 'json', dry_run: null }));
    expect(job).toMatchObject({ name: null, metadata: null, session_id: null, dry_run: false });
  });

  test('draws the same shots with the same seed', async () => {
    const body = circuit(BELL, { shots: 50, noise: { model: 'ideal', seed: 77 } });
    const [first, second] = [await completed(body), await completed(body)];
    expect(await get(`/jobs/${first.id}/results/shots`)).toEqual(
      await get(`/jobs/${second.id}/results/shots`),
    );
  });

  test('checks a dry run and does not run it', async () => {
    const job = await completed(circuit(BELL, { dry_run: true, shots: 5 }));
    expect(job).toMatchObject({ dry_run: true, results: null, stats: { qubits: 2 } });
    expect((await call('GET', `/jobs/${job.id}/results/probabilities`)).data).toEqual({
      statusCode: 404,
      error: 'Not Found',
      message: 'The job was a dry run: it was checked, but not run.',
    });
    const faulty = await refused(circuit([{ gate: 'x', target: 2 }], { dry_run: true }));
    expect(faulty['message']).toContain('input.circuit[0].target');
  });

  test('answers a repeat with the same Idempotency-Key with the first job', async () => {
    const header = { 'idempotency-key': 'once' };
    const send = () => call('POST', '/jobs', circuit(BELL), service, header);
    const [first, second] = [await send(), await send()];
    expect(second.data.id).toBe(first.data.id);
  });

  test('takes a circuit of thousands of gates', async () => {
    const gates = Array.from({ length: 4000 }, (_, i) => ({
      gate: 'rx',
      target: i % 2,
      rotation: 0.001,
    }));
    const job = await completed(circuit(gates));
    // Each qubit is turned by two radians: 1 with probability sin²(1).
    const one = Math.sin(1) ** 2;
    expect(await get(`/jobs/${job.id}/results/probabilities`)).toEqual({
      0: expect.closeTo((1 - one) ** 2, 9),
      1: expect.closeTo(one * (1 - one), 9),
      2: expect.closeTo(one * (1 - one), 9),
      3: expect.closeTo(one ** 2, 9),
    });
  });
});

describe('several circuits', () => {
  const body = {
    type: 'ionq.multi-circuit.v1',
    backend: 'simulator',
    shots: 20,
    input: {
      gateset: 'native',
      circuits: [
        { name: 'first', gateset: 'qis', circuit: BELL },
        { qubits: 3, circuit: [{ gate: 'gpi', target: 2, phase: 0.1 }] },
      ],
    },
  };

  test('are one job with a child for each', async () => {
    const job = await completed(body);
    expect(job).toMatchObject({
      type: 'ionq.multi-circuit.v1',
      child_job_ids: [`${job.id}-0`, `${job.id}-1`],
      stats: { circuits: 2, qubits: 3 },
      results: { probabilities: { url: `/v0.4/jobs/${job.id}/results/probabilities/aggregated` } },
    });
    const all = {
      [`${job.id}-0`]: { 0: expect.closeTo(0.5, 12), 3: expect.closeTo(0.5, 12) },
      [`${job.id}-1`]: { 4: expect.closeTo(1, 12) },
    };
    expect(await get(`/jobs/${job.id}/results/probabilities/aggregated`)).toEqual(all);
    expect(await get(`/jobs/${job.id}/results/probabilities`)).toEqual(all);
    const child = await get(`/jobs/${job.id}-0`);
    expect(child).toMatchObject({ name: 'first', parent_job_id: job.id, stats: { qubits: 2 } });
    expect(await get(`/jobs/${job.id}-1/results/histogram`)).toEqual({ 4: 20 });
    expect((await get(`/jobs?parent_job_id=${job.id}`)).jobs).toHaveLength(2);
    expect((await call('GET', `/jobs/${job.id}-2`)).status).toBe(404);
  });

  test('have their faults named by circuit and gate', async () => {
    const circuits = [{ circuit: BELL }, { circuit: [{ gate: 'gpi', phase: 0 }] }, 7];
    const data = await refused({ ...body, input: { ...body.input, circuits } });
    expect(data['validation']).toEqual({
      source: 'body',
      keys: [
        'input.circuits[2]',
        'input.circuits[0].circuit[0].gate',
        'input.circuits[0].circuit[1].gate',
        'input.circuits[1].circuit[0].targets',
      ],
    });
  });
});

describe('OpenQASM', () => {
  const text = `OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q;
bit[2] data;
bit flag;
x q[1];
flag = measure q[1];
reset q[1];
x q[0];
data = measure q;
`;

  test('gives the outcome of each shot by register', async () => {
    const job = await completed({
      type: 'ionq.qasm3.v1',
      backend: 'simulator',
      shots: 3,
      input: { data: text },
    });
    const shot = { registers: { data: [1, 0], flag: [1] } };
    const read = (name: string) => get(`/jobs/${job.id}/artifacts/ionq.result.${name}`);
    expect(await read('shots.json.v2')).toEqual({ shots: [shot, shot, shot] });
    expect(await read('histogram.json.v2')).toEqual({
      histogram: { registers: { data: { '01': 3 }, flag: { 1: 3 } } },
    });
    expect(await read('probabilities.json.v1')).toEqual({ 5: 1 });
    expect((await call('GET', `/jobs/${job.id}/artifacts/compiled`)).status).toBe(404);
  });

  test('without measurements has all qubits measured, exactly on the simulator', async () => {
    const data = 'OPENQASM 3.0;\nqubit[2] q;\nbit[2] c;\nU(pi, 0, pi) q[1];\n';
    const job = await completed({ type: 'ionq.qasm3.v1', backend: 'simulator', input: { data } });
    expect(await get(`/jobs/${job.id}/artifacts/ionq.result.probabilities.json.v2`)).toEqual({
      probabilities: { registers: { output_all: { 10: expect.closeTo(1, 12) } } },
    });
  });

  test('with a fault is refused with the line', async () => {
    const body = {
      type: 'ionq.qasm3.v1',
      backend: 'simulator',
      input: { data: `${text}y r[0];\n` },
    };
    const data = await refused(body);
    expect(data['validation']).toEqual({ keys: ['input.data'], source: 'body' });
    expect(data['message']).toMatch(/line 11.*r/);
  });

  test('that fails while it runs says why in both names of the field', async () => {
    const data =
      'OPENQASM 3.0;\nqubit q;\nbit c;\nc = measure q;\nwhile (c == 0) { c = measure q; }\n';
    const job = await ended({ type: 'ionq.qasm3.v1', backend: 'simulator', input: { data } });
    expect(job).toMatchObject({ status: 'failed', results: null });
    expect(job.failure.error).toMatch(/loop/);
    expect(job.failure.message).toBe(job.failure.error);
  });
});

describe('a body that is refused', () => {
  test('has every fault named', async () => {
    const gates = [
      { gate: 'gpi', target: 0, phase: 0.1 },
      { gate: 'cnot', target: 5 },
      { gate: 'rx', target: 0 },
      { gate: 'swap', targets: [0] },
      { gate: 'x', target: 0, controls: [0] },
      { gate: 'h', target: 0, rotation: 0.2 },
      7,
    ];
    const more = { backend: 'qpu.aria-9', noise: { model: 'aria-9' } };
    const data = await refused(circuit(gates, more));
    expect(data['validation']).toEqual({
      source: 'body',
      keys: [
        'backend',
        'noise.model',
        'input.circuit[0].gate',
        'input.circuit[1].target',
        'input.circuit[2].rotation',
        'input.circuit[3].targets',
        'input.circuit[4].target',
        'input.circuit[5].rotation',
        'input.circuit[6]',
      ],
    });
    for (const said of [
      'There is no backend "qpu.aria-9"; there are simulator, qpu.forte-1, qpu.forte-enterprise-1, qpu.aria-1, qpu.aria-2 and qpu.harmony.',
      'set gateset to "native"',
      'Must not be 5: the circuit has qubits 0 to 1.',
      'swap acts on 2 targets, not on 1.',
      'names that qubit twice',
      'h takes no rotation',
    ]) {
      expect(data['message']).toContain(said);
    }
  });

  test.each([
    ['no type', { type: undefined }, 'type'],
    ['another type', { type: 'ionq.qir.v1' }, 'type'],
    ['no shots', { shots: 0 }, 'shots'],
    ['shots in words', { shots: 'many' }, 'shots'],
    ['too many shots', { shots: 1_000_001 }, 'shots'],
    ['no set of gates', { input: { qubits: 1, circuit: [] } }, 'input.gateset'],
    ['no circuit', { input: { qubits: 1, gateset: 'qis' } }, 'input.circuit'],
    ['too many qubits', { input: { qubits: 21, gateset: 'qis', circuit: [] } }, 'input.qubits'],
    ['no qubits', { input: { qubits: 0, gateset: 'qis', circuit: [] } }, 'input.qubits'],
  ])('for %s names the field', async (_, more, path) => {
    const { validation } = await refused(circuit(BELL, more));
    expect(validation).toEqual({ keys: [path], source: 'body' });
  });

  test.each(['many', '0', '1.5', '1000001', ''])(
    'says what shots may be where they are the text "%s"',
    async (shots) => {
      expect((await refused(circuit(BELL, { shots })))['message']).toBe(
        'shots must be a whole number from 1 to 1000000.',
      );
    },
  );

  test('names a field __proto__ of metadata, which would be lost', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/v0.4/jobs',
      headers: { authorization: `apiKey ${service.key}`, 'content-type': 'application/json' },
      payload: JSON.stringify(circuit(BELL, { metadata: { a: 'b' } })).replace(
        '"a"',
        '"__proto__"',
      ),
    });
    expect([answer.statusCode, JSON.parse(answer.body)]).toMatchObject([
      400,
      {
        message: 'The body cannot be read: a field called __proto__ is not taken.',
        validation: { keys: ['metadata.__proto__'], source: 'body' },
      },
    ]);
  });

  test('says what is wrong with JSON', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/v0.4/jobs',
      headers: { authorization: `apiKey ${service.key}` },
      payload: '{"type": ',
    });
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: 400, error: 'Bad Request' });
  });
});

describe('keys', () => {
  test.each([
    [undefined, /Authorization: apiKey KEY/],
    ['Bearer x', /Authorization: apiKey KEY/],
    ['apiKey qcs_wrong', /key/],
  ])('of the header %j are refused with 401', async (authorization, message) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await service.app.inject({ method: 'GET', url: '/v0.4/jobs', headers });
    expect(answer.json()).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
    expect(answer.json().message).toMatch(message);
  });

  test('need the scope circuits', async () => {
    const key = await service.createKey('standard', ['read']);
    const headers = { authorization: `apiKey ${key}` };
    const answer = await service.app.inject({ method: 'GET', url: '/v0.4/jobs', headers });
    expect(answer.json()).toMatchObject({ statusCode: 403 });
  });

  test('see no jobs of another', async () => {
    const job = await completed(circuit(BELL));
    const headers = { authorization: `apiKey ${await service.createKey()}` };
    const answer = await service.app.inject({
      method: 'GET',
      url: `/v0.4/jobs/${job.id}`,
      headers,
    });
    expect(answer.statusCode).toBe(404);
  });

  test('of the other interface are not read from Authorization there', async () => {
    const headers = { authorization: `apiKey ${service.key}` };
    const answer = await service.app.inject({
      method: 'GET',
      url: '/api/v1/quantum/batches',
      headers,
    });
    expect(answer.statusCode).toBe(401);
  });
});

/** Without noise, jobs run on the only processor of a test's service. */
const IDEAL_QPU = { backend: 'qpu.forte-1', noise: { model: 'ideal' } };

describe('jobs that have not ended', () => {
  test('a read waits for the end of a job, and is answered with it', async () => {
    await using held = await openTestService();
    held.processor.isHolding = true;
    const { data } = await call('POST', '/jobs', circuit(BELL, IDEAL_QPU), held);
    await eventually(() => held.processor.heldBatches.length === 1);
    held.processor.heldBatches[0]!.hooks.onStarted?.();
    const reading = call('GET', `/jobs/${data.id}`, undefined, held);
    held.processor.heldBatches[0]!.finish();
    expect((await reading).data).toMatchObject({ status: 'completed' });
  });

  test('are ready or started after a second’s wait, and can be cancelled and deleted', async () => {
    await using held = await openTestService();
    held.processor.isHolding = true;
    held.processor.expectedStartAt = held.clock.now + 2500;
    const { data } = await call('POST', '/jobs', circuit(BELL, IDEAL_QPU), held);
    const waiting = await call('GET', `/jobs/${data.id}`, undefined, held);
    expect(waiting.data).toMatchObject({ status: 'ready', started_at: null });
    expect((await call('GET', '/jobs?status=ready', undefined, held)).data.jobs).toHaveLength(1);
    expect((await call('GET', '/jobs?status=submitted', undefined, held)).data.jobs).toEqual([]);
    held.processor.heldBatches[0]!.hooks.onStarted?.();
    await eventually(async () => {
      const { data: job } = await call('GET', `/jobs/${data.id}`, undefined, held);
      return job.status === 'started';
    });
    const cancelled = await call('PUT', `/jobs/${data.id}/status/cancel`, undefined, held);
    expect(cancelled.data).toEqual({ id: data.id, status: 'canceled' });
    const job = await call('GET', `/jobs/${data.id}`, undefined, held);
    expect(job.data).toMatchObject({ status: 'canceled', results: null, failure: null });
    const removed = await call('DELETE', `/jobs/${data.id}`, undefined, held);
    expect(removed.data).toEqual({ id: data.id, status: 'deleted' });
    expect((await call('GET', `/jobs/${data.id}`, undefined, held)).status).toBe(404);
  });
});

test('a cancelled job that the other interface runs again is a job with the same facts, and results', async () => {
  await using held = await openTestService();
  held.processor.isHolding = true;
  const more = { ...IDEAL_QPU, name: 'bell', shots: 40, metadata: { course: '1' } };
  const { data } = await call('POST', '/jobs', circuit(BELL, more), held);
  await eventually(() => held.processor.heldBatches.length === 1);
  await call('PUT', `/jobs/${data.id}/status/cancel`, undefined, held);
  held.processor.isHolding = false;
  const url = `/quantum/batches/${data.id}/retry`;
  const answer = await held.request({ method: 'POST', url });
  expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([201, expect.anything()]);
  const { batch_id: again } = answer.json().data;
  const read = async (path: string) =>
    (await call('GET', `/jobs/${again}${path}`, undefined, held)).data;
  await eventually(async () => (await read('')).status === 'completed');
  expect(await read('')).toMatchObject({ name: 'bell', metadata: { course: '1' }, shots: 40 });
  expect(await read('/results/histogram')).toEqual({ 0: 40 });
  expect(await read('/results/shots')).toEqual(Array(40).fill('0'));
  const canceled = await call('GET', `/jobs/${data.id}`, undefined, held);
  expect(canceled.data).toMatchObject({ status: 'canceled', results: null });
});

describe('GET /v0.4/jobs', () => {
  test('lists the jobs of this interface, newest first, in pages', async () => {
    await using own = await openTestService();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      own.clock.now += 1000;
      ids.push((await call('POST', '/jobs', circuit(BELL, IDEAL_QPU), own)).data.id);
    }
    await own.request({
      method: 'POST',
      url: '/quantum/batches',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({
        target_processor: 'statevector-sim',
        shots: 1,
        tags: ['ionq'],
        programs: [{ circuit: [{ gate: 'H', qubit: 0 }] }],
      }),
    });
    const list = async (query: string, more = {}) =>
      (await call('GET', `/jobs?${query}`, undefined, own, more)).data;
    const first = await list('limit=2');
    // The newest batch is another's: it only has the tag.
    expect(first.jobs.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
    const second = await list(`limit=2&next=${first.next}`);
    expect(second.jobs.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0]]);
    expect(second.next).toBeNull();
    expect((await list(`ids=${ids[0]}&ids=${ids[1]}`)).jobs).toHaveLength(2);
    expect((await list('target=simulator')).jobs).toEqual([]);
    // cirq-ionq would ask for the first page again.
    expect(await list('', { 'user-agent': 'cirq/1.7.0 (python/3.11.7)' })).not.toHaveProperty(
      'next',
    );
  });

  test('refuses a cursor that is none', async () => {
    expect((await call('GET', '/jobs?next=7')).data).toMatchObject({ statusCode: 400 });
  });
});

describe('bulk operations', () => {
  test('cancel and delete all that are named', async () => {
    const ids = [(await completed(circuit(BELL))).id, (await completed(circuit(BELL))).id];
    expect((await call('PUT', '/jobs/status/cancel', { ids })).data).toEqual({
      ids,
      status: 'canceled',
    });
    expect((await call('DELETE', '/jobs', { ids })).data).toEqual({ ids, status: 'deleted' });
    expect((await call('GET', `/jobs/${ids[0]}`)).status).toBe(404);
  });

  test('do nothing if one of the ids is unknown, or is a circuit of a job', async () => {
    const [one, many] = [
      await completed(circuit(BELL)),
      await completed({
        type: 'ionq.multi-circuit.v1',
        backend: 'simulator',
        input: { gateset: 'qis', circuits: [{ circuit: BELL }, { circuit: BELL }] },
      }),
    ];
    const ofMany = await call('DELETE', '/jobs', { ids: [one.id, `${many.id}-0`] });
    expect(ofMany.data).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('cancelled or deleted as a whole'),
    });
    expect((await call('PUT', `/jobs/${many.id}-1/status/cancel`)).status).toBe(400);
    expect((await call('DELETE', '/jobs', { ids: [one.id, 'none'] })).status).toBe(404);
    for (const { id } of [one, many]) expect((await call('GET', `/jobs/${id}`)).status).toBe(200);
  });
});

describe('backends', () => {
  test('need no key and are those that the clients know', async () => {
    const listed = await service.app.inject({ method: 'GET', url: '/v0.4/backends' });
    expect(listed.json()).toMatchObject([
      { backend: 'simulator', status: 'available', qubits: 20 },
      {
        backend: 'qpu.forte-1',
        status: 'available',
        qubits: 20,
        simulated: true,
        basis: 'modelled',
        noise_parameters: 'published by IonQ for its noise model',
      },
      {
        backend: 'qpu.forte-enterprise-1',
        qubits: 20,
        noise_parameters: expect.stringContaining('those of forte-1'),
      },
      { backend: 'qpu.aria-1', qubits: 20, basis: 'modelled' },
      { backend: 'qpu.aria-2', qubits: 20 },
      {
        backend: 'qpu.harmony',
        qubits: 11,
        noise_parameters: expect.stringContaining('derived from the average fidelities'),
      },
    ]);
    const one = await service.app.inject({ method: 'GET', url: '/v0.4/backends/simulator' });
    expect(one.json()).toMatchObject({
      supported_native_gates: ['gpi', 'gpi2', 'ms', 'zz', 'nop'],
    });
    const none = await service.app.inject({ method: 'GET', url: '/v0.4/backends/simulatr' });
    expect(none.json()).toEqual({
      statusCode: 404,
      error: 'Not Found',
      message:
        'There is no backend "simulatr"; there are simulator, qpu.forte-1, qpu.forte-enterprise-1, qpu.aria-1, qpu.aria-2 and qpu.harmony. Did you mean simulator?',
    });
  });

  test('the QPU has the characterization of its noise model', async () => {
    const [found] = (await get('/backends/qpu.forte-1/characterizations')).characterizations;
    expect(found).toMatchObject({ qubits: 20, fidelity: { spam: { median: 1 } } });
    // Average infidelities are r/2 and 3r/4 of the depolarizing parameters.
    expect(found.fidelity['1q'].median).toBeCloseTo(1 - 0.0002666666666666667 / 2, 12);
    expect(found.fidelity['2q'].median).toBeCloseTo(1 - (3 * 0.004949333333333333) / 4, 12);
    expect(found.connectivity).toHaveLength((20 * 19) / 2);
    expect(await get(`/backends/qpu.forte-1/characterizations/${found.id}`)).toMatchObject({
      id: found.id,
    });
    expect(await get('/backends/simulator/characterizations')).toEqual({
      characterizations: [],
      pages: 0,
    });
  });
});

describe('estimates and keys', () => {
  test('jobs cost nothing, and more gates are expected to take longer', async () => {
    const estimate = (gates: number) =>
      get(`/jobs/estimate?backend=simulator&qubits=20&1q_gates=${gates}&2q_gates=${gates}`);
    const [few, many] = [await estimate(10), await estimate(100_000)];
    expect(few).toMatchObject({ estimated_total_cost: 0, estimated_cost: 0 });
    expect(many.estimated_execution_time).toBeGreaterThan(few.estimated_execution_time);
    expect((await call('GET', '/jobs/estimate?backend=simulator&qubits=x')).data).toMatchObject({
      statusCode: 400,
      validation: { keys: ['qubits'], source: 'query' },
    });
    const job = await completed(circuit(BELL));
    expect(await get(`/jobs/${job.id}/cost`)).toEqual({
      dry_run: false,
      cost: { value: 0, unit: 'usd' },
    });
  });

  test('a key is shown with a UUID that has its id', async () => {
    const id = service.key.split('_')[1]!;
    const whoami = await get('/whoami');
    expect(whoami.key_name).toBe('test');
    expect(whoami.key_id.replaceAll('-', '').slice(0, 12)).toBe(id.slice(0, 12));
  });
});

describe('sessions', () => {
  test('group jobs until they end', async () => {
    const created = await call('POST', '/sessions', {
      backend: 'simulator',
      settings: { job_count_limit: 2 },
    });
    expect(created.status).toBe(201);
    const { id } = created.data;
    expect(created.data).toMatchObject({ status: 'created', active: true, ended_at: null });
    const send = () => call('POST', '/jobs', circuit(BELL, { session_id: id }));
    const first = await send();
    expect(first.data.session_id).toBe(id);
    expect(await get(`/sessions/${id}`)).toMatchObject({ status: 'started' });
    expect((await get(`/sessions/${id}/jobs`)).jobs.map((job: { id: string }) => job.id)).toEqual([
      first.data.id,
    ]);
    await send();
    expect((await send()).data).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('job_count_limit'),
    });
    const end = await call('POST', `/sessions/${id}/end`);
    expect(end.data).toMatchObject({ status: 'ended', active: false });
    expect((await get('/sessions?active=true')).sessions).toEqual([]);
    expect((await get('/sessions')).sessions).toHaveLength(1);
  });

  test('end when their time is up', async () => {
    await using own = await openTestService();
    const settings = { duration_limit_min: 1, cost_limit: { value: 3 } };
    const { data } = await call('POST', '/sessions', { backend: 'qpu', settings }, own);
    expect(data.settings).toMatchObject({ ...settings, cost_limit: { value: 3, unit: 'usd' } });
    own.clock.now += 60_000;
    const later = await call('GET', `/sessions/${data.id}`, undefined, own);
    expect(later.data).toMatchObject({ status: 'ended', ended_at: data.settings.expires_at });
    const job = await call('POST', '/jobs', circuit(BELL, { session_id: data.id }), own);
    expect(job.status).toBe(400);
  });

  test('of another key, or none, are not found', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await call('GET', `/sessions/${unknown}`)).status).toBe(404);
    expect((await call('POST', '/jobs', circuit(BELL, { session_id: unknown }))).status).toBe(404);
    expect((await call('GET', `/sessions/${unknown}/jobs`)).status).toBe(404);
  });
});

test('a job under a noise model of a device, too wide for state vectors, has counts', async () => {
  const wide = 35;
  const chain = Array.from({ length: wide - 1 }, (_, i) => ({
    gate: 'cnot',
    control: i,
    target: i + 1,
  }));
  const turns = Array.from({ length: wide }, (_, target) => ({
    gate: 'ry',
    target,
    rotation: 0.1,
  }));
  const job = await completed(
    circuit(
      [{ gate: 'h', target: 0 }, ...chain, ...turns],
      {
        shots: 40,
        noise: { model: 'forte-1', seed: 3 },
      },
      { qubits: wide },
    ),
  );
  const histogram: Readonly<Record<string, number>> = await get(
    `/jobs/${job.id}/results/probabilities`,
  );
  const total = Object.values(histogram).reduce((sum, p) => sum + p, 0);
  expect(total).toBeCloseTo(1, 9);
  // A GHZ state alone has two outcomes.
  expect(Object.keys(histogram).length).toBeGreaterThan(2);
});
