/** Estimates before a run: what they answer, what they refuse, and that they leave nothing behind. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProcessorUnavailableError } from '../../src/fleet/errors.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import { BELL, openTestService, START, type TestService } from './support/test-service.ts';

const PATH = '/quantum/estimate';

const post = (service: TestService, body: unknown, url = PATH, headers = {}) =>
  service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Fields of the estimate of a body that is taken. */
async function estimateOf(service: TestService, body: unknown) {
  const answer = await post(service, body);
  expect([answer.statusCode, answer.json().error]).toEqual([200, undefined]);
  return answer.json().data;
}

/** A layer of rotations and a chain of CX, on so many qubits. */
const layers = (numQubits: number, depth: number) =>
  Array.from({ length: depth }, (_, layer) => [
    ...Array.from({ length: numQubits }, (__, qubit) => ({
      gate: 'RX',
      qubit,
      theta: 0.1 + layer + 0.3 * qubit,
    })),
    ...Array.from({ length: numQubits - 1 }, (__, qubit) => ({
      gate: 'CX',
      control: qubit,
      target: qubit + 1,
    })),
  ]).flat();

const DECLARED = 'DETECTOR rec[-1]\nOBSERVABLE_INCLUDE(0) rec[-1]\n';
const TASK = { stim: `X_ERROR(0.1) 0\nM 0\n${DECLARED}` };

describe('on a fleet', () => {
  let opened: FleetService;
  let service: TestService;
  beforeAll(async () => {
    opened = await openFleetService({}, ['ibm-fez']);
    ({ service } = opened);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test('memory is that of the amplitudes of one state', async () => {
    const wide = { circuit: layers(16, 1), target_processor: 'statevector-sim', shots: 10 };
    expect(await estimateOf(service, wide)).toMatchObject({
      kind: 'circuit',
      processor: 'statevector-sim',
      method: 'statevector',
      method_reason: expect.stringContaining('1 MiB'),
      shots: 10,
      memory_bytes: 2 ** 20,
      queue_depth: 0,
    });
    const density = { ...wide, circuit: layers(8, 1), target_processor: 'qvm' };
    const mixed = await estimateOf(service, { ...density, method: 'density_matrix' });
    expect(mixed).toMatchObject({ method: 'density_matrix', memory_bytes: 2 ** 20 });
  });

  test('more gates, qubits, shots and points take longer', async () => {
    const msOf = async (numQubits: number, depth: number, shots: number) => {
      const circuit = layers(numQubits, depth);
      const body = { circuit, target_processor: 'statevector-sim', shots };
      return (await estimateOf(service, body)).run_ms;
    };
    const small = await msOf(14, 10, 100);
    expect(await msOf(14, 100, 100)).toBeGreaterThan(small);
    expect(await msOf(18, 10, 100)).toBeGreaterThan(small);
    expect(await msOf(14, 10, 1_000_000)).toBeGreaterThan(small);
    const circuit = [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }];
    const sweep = (numPoints: number) => ({
      target_processor: 'qvm',
      programs: [{ circuit, inputs: { a: Array.from({ length: numPoints }, (_, i) => i) } }],
      shots: 100,
    });
    const [few, many] = [
      await estimateOf(service, sweep(2)),
      await estimateOf(service, sweep(2000)),
    ];
    expect(many.engine_ms).toBeGreaterThan(10 * few.engine_ms);
    expect([few.shots, many.shots]).toEqual([200, 200_000]);
  });

  test('a batch has the figures of each program, and those of the longest', async () => {
    const noise = { gates: [{ gates: ['*'], channel: { type: 'bit_flip', probability: 0.1 } }] };
    const estimate = await estimateOf(service, {
      target_processor: 'qvm',
      programs: [
        { circuit: BELL.circuit, shots: 10 },
        { circuit: layers(9, 20), observables: [{ pauli: 'Z0' }], return: ['expectation'], noise },
      ],
    });
    const [bell, noisy] = estimate.programs;
    expect(bell).toMatchObject({ method: 'statevector', points: 1, shots: 10, memory_bytes: 64 });
    expect(noisy).toMatchObject({ points: 1 });
    expect(estimate).toMatchObject({
      kind: 'batch',
      method: noisy.method,
      method_reason: noisy.method_reason,
      memory_bytes: noisy.memory_bytes,
      shots: 10 + noisy.shots,
      engine_ms: expect.closeTo(bell.engine_ms + noisy.engine_ms, 2),
    });
  });

  test('values that are estimated from shots count the circuits of each basis and each shift', async () => {
    const program = {
      circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],
      inputs: { a: [0, 1, 2] },
      observables: [{ pauli: 'X0' }, { pauli: 'Z0' }],
      return: ['expectation', 'gradient'],
    };
    const body = { target_processor: 'statevector-sim', programs: [program], shots: 7 };
    // Three points, two bases, and the circuit with two shifted ones.
    expect(await estimateOf(service, body)).toMatchObject({ shots: 3 * 2 * 3 * 7 });
  });

  test('an experiment is estimated for max_shots of all tasks', async () => {
    const estimate = await estimateOf(service, {
      tasks: [TASK, { ...TASK, max_shots: 500 }],
      max_shots: 1_000_000,
      max_errors: 1,
    });
    expect(estimate).toMatchObject({
      kind: 'experiment',
      processor: 'qvm',
      method: 'stabilizer',
      shots: 1_000_500,
      tasks: [{ shots: 1_000_000 }, { shots: 500 }],
    });
    const [long, short] = estimate.tasks;
    expect(long.engine_ms).toBeGreaterThan(100 * short.engine_ms);
  });

  test('further runs of a circuit are in its time', async () => {
    const body = { circuit: layers(9, 5), target_processor: 'statevector-sim', shots: 1 };
    const plain = await estimateOf(service, body);
    const unitary = await estimateOf(service, { ...body, return: ['counts', 'unitary'] });
    expect(unitary.memory_bytes).toBe(plain.memory_bytes * 2 ** 9);
    expect(unitary.run_ms).toBeGreaterThan(3 * plain.run_ms);
  });

  test('large bodies of each kind are read in a process, with the same answer', async () => {
    const spaces = ' '.repeat(70_000);
    for (const body of [
      BELL,
      { target_processor: 'qvm', programs: [{ circuit: BELL.circuit }], shots: 3 },
      { tasks: [TASK], max_shots: 10 },
    ]) {
      const { expected_start_at: _, ...small } = await estimateOf(service, body);
      const { expected_start_at: __, ...large } = await estimateOf(
        service,
        `${JSON.stringify(body).slice(0, -1)}${spaces}}`,
      );
      expect(large).toEqual(small);
    }
  });

  test('nothing is stored, kept or learned', async () => {
    const body = { ...BELL, target_processor: 'qvm' };
    const headers = { 'idempotency-key': 'once' };
    const before = await estimateOf(service, body);
    for (let i = 0; i < 200; i++) {
      expect((await post(service, body, PATH, headers)).statusCode).toBe(200);
    }
    const after = await estimateOf(service, body);
    expect({ ...after, expected_start_at: 0 }).toEqual({ ...before, expected_start_at: 0 });
    expect(opened.fleet.get('qvm')?.load()).toMatchObject({ queueDepth: 0, running: 0 });
    expect((await service.get('/quantum/circuits')).json().data.circuits).toEqual([]);
    // 100 runs may wait: places that estimates had kept would refuse this one.
    const submitted = await post(service, body, '/quantum/circuits', headers);
    expect(submitted.statusCode).toBe(201);
    expect(submitted.headers['idempotent-replayed']).toBeUndefined();
  });
});

describe('on a processor', () => {
  test('the start is the wait of its queue from now, of wide circuits that of wide ones', async () => {
    await using service = await openTestService();
    const startOf = async (body: object) => (await estimateOf(service, body)).expected_start_at;
    expect(await startOf(BELL)).toBe(new Date(START + 12).toISOString());
    const wide = { ...BELL, circuit: layers(20, 1) };
    expect(await startOf(wide)).toBe(new Date(START + 45).toISOString());
  });

  test('what nobody knows is absent: of a device method, time, memory and start', async () => {
    const device = new FakeProcessor({ id: 'superconducting-1', family: 'superconducting' });
    const onDevice = Object.assign(device, {
      runOnDevice: () => Promise.reject(new Error('Nothing runs.')),
      load: () => ({ queueDepth: 17, running: 0 }),
    });
    await using service = await openTestService({ processors: [onDevice] });
    const body = { ...BELL, target_processor: 'superconducting-1' };
    expect(await estimateOf(service, body)).toEqual({
      kind: 'circuit',
      processor: 'superconducting-1',
      shots: 100,
      queue_depth: 17,
    });
  });

  test('a start that is infinitely far away is not known', async () => {
    const processor = new FakeProcessor();
    processor.expectedWaitMs = Number.POSITIVE_INFINITY;
    await using service = await openTestService({ processors: [processor] });
    expect(await estimateOf(service, BELL)).not.toHaveProperty('expected_start_at');
  });

  test('is refused as a submission is while it takes no work, and while its queue is full', async () => {
    await using service = await openTestService();
    const { processor } = service;
    const errors = async () =>
      await Promise.all(
        [PATH, '/quantum/circuits'].map(
          async (path) => (await post(service, BELL, path)).json().error,
        ),
      );
    processor.queueLimit = 0;
    const [full, fullToo] = await errors();
    expect(full).toMatchObject({ status: 503 });
    expect(full).toEqual(fullToo);
    processor.queueLimit = 1;
    processor.setMaintenance({ reason: 'new fans' });
    const [away, awayToo] = await errors();
    expect(away.message).toBe(new ProcessorUnavailableError('statevector-sim', 'new fans').message);
    expect(away).toEqual(awayToo);
  });

  test('an estimate counts for the rate limit alone', async () => {
    const settings = {
      rateLimits: { standard: 3, enterprise: 3 },
      inFlightLimits: { standard: 0, enterprise: 0 },
      storageLimits: { totalBytes: 0, standard: 0, enterprise: 0 },
    };
    await using service = await openTestService({ settings });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await post(service, BELL)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});
