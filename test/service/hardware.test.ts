// @needs service
/**
 * Hardware for real: the device is a processor of a second instance, which insists on its gates and couplers, or a
 * backend of IBM as the mock of its interface has it.
 */
import { afterAll, describe, expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ENDLESS_SHOTS, endlessCircuit } from '../support/lasting-circuit.ts';
import { API_KEY, BACKEND, INSTANCE, MockIbm } from '../support/mock-ibm.ts';
import { type JobRecord, recordOf, ServiceClient } from '../support/service-client.ts';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';
import { test } from '../support/shared-service.ts';
import {
  ANGLES,
  available,
  batchesOf,
  GHZ,
  HARDWARE,
  programsOf,
  SWEEP,
  submitBatch,
  vendorJobIdsOf,
} from './support/hardware-batches.ts';

const COMMON = { ...SMALL_SERVICE, QCS_RATE_LIMIT_STANDARD: '1000000', QCS_LOG_LEVEL: 'warn' };
const DEVICE = 'emulator-iqm-garnet';
/** Qubit 2 is measured into bit 0, and so on: 011 with qubits 0 and 1 equal and qubit 2 one. */
const CIRCUIT = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'X', qubit: 2 },
  { gate: 'CCX', controls: [0, 2], target: 3 },
  { gate: 'M', qubits: [2, 0, 1, 3] },
];

const start = (folder: string, settings: Readonly<Record<string, string>>) =>
  startServiceProcess(folder, { ...COMMON, ...settings });

const post = (client: ServiceClient, body: object, headers = {}) =>
  client.request('POST', '/quantum/circuits', { body, headers });

const submitLater = async (client: ServiceClient, body: object): Promise<string> => {
  const answer = await post(client, body, { prefer: 'respond-async' });
  expect(answer.status).toBe(201);
  return answer.headers.get('location') ?? '';
};

const idIn = (location: string) => location.slice(location.lastIndexOf('/') + 1);
const idOf = (batch: JobRecord) => String(batch['batch_id']);

/** Largest part of the shots that the noise of the emulated device changes: it misreads a bit of 40. */
const MAX_ERRORS = 0.25;

function expectSweep(counts: readonly Readonly<Record<string, number>>[] = [], shots = 400) {
  expect(counts.length).toBe(ANGLES.length);
  for (const [point, a] of ANGLES.entries()) {
    const of = counts[point] ?? {};
    expect(Object.values(of).reduce((sum, count) => sum + count, 0)).toBe(shots);
    expect((of['000'] ?? 0) + (of['111'] ?? 0)).toBeGreaterThan((1 - MAX_ERRORS) * shots);
    expect(Math.abs((of['111'] ?? 0) / shots - Math.sin(a / 2) ** 2)).toBeLessThan(
      0.15 + MAX_ERRORS,
    );
  }
}

describe('a processor of another instance', () => {
  const folder = temporaryFolder();
  /** At the second instance: the key with which the first one comes, and all that it submits there. */
  let there: ServiceClient;
  let settings: Readonly<Record<string, string>>;
  let service: ServiceProcess;
  let client: ServiceClient;

  test.beforeAll(async ({ service: { origin, key } }) => {
    there = new ServiceClient(origin, key);
    settings = {
      QCS_HARDWARE_PROVIDER: 'service',
      QCS_HARDWARE_URL: origin,
      QCS_HARDWARE_TOKEN: key,
      QCS_HARDWARE_BACKEND: DEVICE,
      QCS_HARDWARE_JOBS: '5',
    };
    service = await start(folder.path, settings);
    client = new ServiceClient(service.origin, service.key ?? '');
    await available(client);
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    folder[Symbol.dispose]();
  });

  /** The job at the second instance that bears a tag: a batch. */
  async function jobWithTag(tag: string): Promise<JobRecord | undefined> {
    // Checked: a listing has the records of batches.
    const data = (await there.get(`/quantum/batches?tag=${tag}`)) as { batches: JobRecord[] };
    expect(data.batches.length).toBeLessThan(2);
    return data.batches[0];
  }

  test('runs circuits fitted to it; counts come back in the caller’s bits', async () => {
    expect(await client.get(`/quantum/processors/${HARDWARE}`)).toMatchObject({
      family: 'superconducting',
      max_qubits: 20,
      basis: 'modelled',
      native_gates: ['PRX', 'CZ'],
      vendor: { name: 'Quantum Compute Service', device: DEVICE, queue_depth: expect.any(Number) },
    });
    const answer = await post(client, { circuit: CIRCUIT, target_processor: HARDWARE, shots: 400 });
    expect(answer.status).toBe(201);
    const record = recordOf(answer);
    const counts: Readonly<Record<string, number>> = Object(record['counts']);
    // Bits 0 to 3 are qubits 2, 0, 1 and 3; 3 is one exactly where 0 is.
    // Noise of the device, readout above all, leaves 8 shots of 10 or more as they are.
    expect((counts['0001'] ?? 0) + (counts['1111'] ?? 0)).toBeGreaterThan(280);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(400);
    expect(Math.abs((counts['1111'] ?? 0) - 200)).toBeLessThan(100);
    expect(record['measured_qubits']).toEqual([2, 0, 1, 3]);
    const job = await jobWithTag(String(record['circuit_id']));
    expect(record['backend']).toEqual({
      execution: 'hardware',
      vendor: 'Quantum Compute Service',
      device: DEVICE,
      vendor_job_id: job?.['batch_id'],
      basis: 'modelled',
    });
    expect(record['timing']).toMatchObject({ vendor_queue_ms: expect.any(Number) });

    // Conditions and measurements in mid-circuit go the same way.
    const teleported = [
      { gate: 'X', qubit: 0 },
      { gate: 'M', qubits: [0], bits: [0] },
      { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
      { gate: 'RESET', qubits: [0] },
      { gate: 'M', qubits: [0, 1], bits: [1, 2] },
    ];
    const dynamic = await post(client, {
      circuit: teleported,
      target_processor: HARDWARE,
      shots: 200,
    });
    const ofTeleported: Readonly<Record<string, number>> = Object(recordOf(dynamic)['counts']);
    expect(ofTeleported['101']).toBeGreaterThan(150);

    // A program that names the device's qubits is not put on others.
    const apart = 'OPENQASM 3.0; include "stdgates.inc"; bit[1] c; cz $0, $9; c[0] = measure $0;';
    const far = await post(there, { qasm: apart, target_processor: DEVICE, shots: 1 });
    expect(JSON.parse(far.text).error.details[0]).toMatchObject({
      path: 'qasm',
      message: 'Operation 0: CZ acts on qubits 0 and 9, which nothing couples.',
    });
  });

  test('runs a batch as jobs of several circuits, and gives counts and estimates', async () => {
    const structural = {
      qasm: 'OPENQASM 3.0; include "stdgates.inc"; input int n; qubit[2] q; for int i in [1:n] { x q[0]; } cx q[0], q[1];',
      inputs: { n: [1, 2, 3] },
      shots: 100,
    };
    const observables = [
      { pauli: 'Z0' },
      { pauli: 'Z1 Z2' },
      [{ pauli: 'X0 X1 X2' }, { pauli: 'Z0', coefficient: 0.5 }],
    ];
    const estimated = {
      circuit: GHZ,
      inputs: { a: ANGLES },
      observables,
      shots: 4000,
      return: ['expectation', 'gradient'],
    };
    const earlier = (await batchesOf(there)).map(idOf);
    const record = await client.finalRecord(
      await submitBatch(client, [SWEEP, structural, estimated]),
    );
    expect([record.status, record['error']]).toEqual(['completed', undefined]);
    const [sweep, loops, values] = programsOf(record);
    expectSweep(sweep?.counts);
    for (const [point, label] of ['11', '00', '11'].entries()) {
      expect(loops?.counts?.[point]?.[label]).toBeGreaterThan(70);
    }
    for (const [point, a] of ANGLES.entries()) {
      // Z flips the sign of |111⟩ and CZ flips it back.
      const exact = [Math.cos(a), 1, Math.sin(a) + 0.5 * Math.cos(a)];
      const slopes = [-Math.sin(a), 0, Math.cos(a) - 0.5 * Math.sin(a)];
      for (const [o, value] of exact.entries()) {
        expect(Math.abs((values?.expectation[point]?.[o] ?? 9) - value)).toBeLessThan(0.4);
        expect(Math.abs((values?.gradient[point]?.[o]?.[0] ?? 9) - slopes[o]!)).toBeLessThan(0.4);
      }
      expect(values?.standard_error[point]?.[1]).toBeLessThan(0.02);
    }
    // Seven points, two settings of measurement for four more, and two shifts of each. Those of one number of shots
    // that are asked for together are a job.
    const circuits = 4 + 3 + 4 * 2 + 4 * 2 * 2;
    const jobs = (await batchesOf(there)).filter((each) => !earlier.includes(idOf(each)));
    expect(record['executed_on']).toEqual([
      {
        backend: {
          execution: 'hardware',
          vendor: 'Quantum Compute Service',
          device: DEVICE,
          basis: 'modelled',
          vendor_job_ids: expect.anything(),
        },
        circuits,
        execution_ms: expect.any(Number),
      },
    ]);
    expect([...vendorJobIdsOf(record)].sort()).toEqual(jobs.map(idOf).sort());
    expect(jobs.length).toBe(4);
    expect(jobs.reduce((sum, each) => sum + Number(each['points']), 0)).toBe(circuits);
  });

  test('kill -9 and cancels while jobs wait there: some are found again, the others are cancelled there', async () => {
    // The only thread of the second instance is busy.
    const endless = await submitLater(there, {
      circuit: endlessCircuit(16),
      target_processor: 'statevector-sim',
      shots: ENDLESS_SHOTS,
    });
    try {
      await eventually(async () => (await there.record(endless)).status === 'running');
      const earlier = (await batchesOf(there)).map(idOf);
      const jobsThere = async () =>
        (await batchesOf(there)).filter((each) => !earlier.includes(idOf(each)));
      const body = { circuit: CIRCUIT, target_processor: HARDWARE, shots: 50 };
      const [kept, dropped] = [await submitLater(client, body), await submitLater(client, body)];
      const keptBatch = await submitBatch(client, [SWEEP, { ...SWEEP, shots: 300 }]);
      const droppedBatch = await submitBatch(client, [{ ...SWEEP, shots: 200 }]);
      await eventually(async () => (await jobsThere()).length === 5);
      await service.stop('SIGKILL');

      service = await start(folder.path, settings);
      client = new ServiceClient(service.origin, client.key);
      for (const each of [dropped, droppedBatch]) {
        const cancelled = await client.request('POST', `${each}/cancel`);
        expect(recordOf(cancelled).status).toBe('cancelled');
      }
      await eventually(async () => {
        expect((await jobWithTag(idIn(dropped)))?.status).toBe('cancelled');
        const ended = (await jobsThere()).filter(({ status }) => status === 'cancelled');
        expect(ended.length).toBe(2);
      });
      await there.request('POST', `${endless}/cancel`);
      const record = await client.finalRecord(kept);
      expect(record.status).toBe('completed');
      const batch = await client.finalRecord(keptBatch);
      expect(batch.status).toBe('completed');
      const [first, second] = programsOf(batch);
      expectSweep(first?.counts);
      expectSweep(second?.counts, 300);
      // None was submitted twice.
      const jobs = await jobsThere();
      expect(jobs.length).toBe(5);
      const completed = jobs.filter(({ status }) => status === 'completed').map(idOf);
      const { vendor_job_id: ofKept } = Object(record['backend']);
      expect([ofKept, ...vendorJobIdsOf(batch)].sort()).toEqual(completed.sort());
      expect(ofKept).toBe((await jobWithTag(idIn(kept)))?.['batch_id']);
    } finally {
      await there.request('POST', `${endless}/cancel`);
    }
  });
});

test('a backend of IBM, as the mock of its interface has it, runs circuits and gives its calibration', async ({
  onTestFinished,
}) => {
  using folder = temporaryFolder();
  await using mock = await MockIbm.open();
  const service = await start(folder.path, {
    QCS_HARDWARE_PROVIDER: 'ibm',
    QCS_HARDWARE_URL: `${mock.origin}/api/v1`,
    QCS_HARDWARE_IAM_URL: mock.origin,
    QCS_HARDWARE_TOKEN: API_KEY,
    QCS_HARDWARE_INSTANCE: INSTANCE,
    QCS_HARDWARE_BACKEND: BACKEND,
  });
  onTestFinished(() => service.stop('SIGKILL').then(() => {}));
  const client = new ServiceClient(service.origin, service.key ?? '');
  await available(client);
  const processor = await client.get(`/quantum/processors/${HARDWARE}`);
  expect(processor).toMatchObject({
    max_qubits: 4,
    max_shots: 100_000,
    basis: 'measured',
    symmetric_couplers: false,
    vendor: { name: 'IBM Quantum', device: BACKEND, queue_depth: 7 },
    calibration: { basis: 'reported', calibrated_at: '2026-02-03T09:05:06.000Z' },
  });
  const answer = await post(client, { circuit: CIRCUIT, target_processor: HARDWARE, shots: 200 });
  expect(answer.status).toBe(201);
  const record = recordOf(answer);
  expect(Object.keys(Object(record['counts'])).sort()).toEqual(['0001', '1111']);
  expect(record['backend']).toMatchObject({ vendor_job_id: 'job0', device: BACKEND });
  expect(record['timing']).toMatchObject({ vendor_queue_ms: 2000, execution_ms: 500 });
  expect(mock.jobs[0]?.tags).toEqual([record['circuit_id']]);

  // What hardware cannot give is refused with the reason.
  const exact = await post(client, {
    circuit: CIRCUIT,
    target_processor: HARDWARE,
    shots: 1,
    return: ['statevector'],
  });
  expect(exact.status).toBe(400);
  expect(exact.text).toContain('can be computed only by a simulator');
  const wide = await post(client, {
    circuit: [{ gate: 'H', qubit: 4 }],
    target_processor: HARDWARE,
    shots: 1,
  });
  expect(wide.status).toBe(400);
  const many = await post(client, { circuit: CIRCUIT, target_processor: HARDWARE, shots: 100_001 });
  expect(many.text).toContain('max_shots');
  mock.instead.set('/jobs', [
    { status: 409, body: { errors: [{ code: 1, message: 'The instance has no time left.' }] } },
  ]);
  const failed = await post(client, { circuit: CIRCUIT, target_processor: HARDWARE, shots: 1 });
  expect(failed.status).toBe(400);
  expect(failed.text).toContain('The instance has no time left.');
  expect(service.log()).not.toContain(API_KEY);
});
