// @needs processes
/** Hardware for real: the device is a processor of a second instance, which insists on its gates and couplers. */
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ENDLESS_SHOTS, endlessCircuit } from '../support/lasting-circuit.ts';
import { API_KEY, BACKEND, INSTANCE, MockIbm } from '../support/mock-ibm.ts';
import { type JobRecord, recordOf, ServiceClient } from '../support/service-client.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

const COMMON = { QCS_RATE_LIMIT_STANDARD: '1000000', QCS_LOG_LEVEL: 'warn' };
const DEVICE = 'emulator-iqm-garnet';
const HARDWARE = 'superconducting-1';
/** Qubit 2 is measured into bit 0, and so on: 011 with qubits 0 and 1 equal and qubit 2 one. */
const CIRCUIT = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'X', qubit: 2 },
  { gate: 'CCX', controls: [0, 2], target: 3 },
  { gate: 'M', qubits: [2, 0, 1, 3] },
];

const running: ServiceProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop('SIGKILL')));
});

async function start(folder: string, settings: Readonly<Record<string, string>>) {
  const service = await startServiceProcess(folder, { ...COMMON, ...settings });
  running.push(service);
  return service;
}

const clientOf = ({ origin, key = '' }: ServiceProcess, given = key) =>
  new ServiceClient(origin, given);

const settingsFor = (device: ServiceProcess): Readonly<Record<string, string>> => ({
  QCS_HARDWARE_PROVIDER: 'service',
  QCS_HARDWARE_URL: device.origin,
  QCS_HARDWARE_TOKEN: device.key ?? '',
  QCS_HARDWARE_BACKEND: DEVICE,
  QCS_HARDWARE_REFRESH_S: '10',
});

const available = (client: ServiceClient) =>
  eventually(async () => {
    expect(await client.get(`/quantum/processors/${HARDWARE}`)).toMatchObject({ available: true });
  });

const post = (client: ServiceClient, body: object, headers = {}) =>
  client.request('POST', '/quantum/circuits', { body, headers });

const submitLater = async (client: ServiceClient, body: object): Promise<string> => {
  const answer = await post(client, body, { prefer: 'respond-async' });
  expect(answer.status).toBe(201);
  return answer.headers.get('location') ?? '';
};

/** Jobs at the second instance that came from the first, by the tag that they bear: batches. */
async function jobsWithTag(client: ServiceClient, tag: string): Promise<readonly JobRecord[]> {
  const data = await client.get(`/quantum/batches?tag=${tag}`);
  // Checked: a listing has the records of batches.
  return (data as { readonly batches: readonly JobRecord[] }).batches;
}

const idIn = (location: string) => location.slice(location.lastIndexOf('/') + 1);

describe('a processor of another instance', () => {
  test('runs circuits fitted to it; counts come back in the caller’s bits', async () => {
    using folders = temporaryFolder();
    const device = await start(`${folders.path}/device`, { QCS_EMULATORS: 'iqm-garnet' });
    const service = await start(`${folders.path}/service`, settingsFor(device));
    const client = clientOf(service);
    await available(client);
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
    const [there] = await jobsWithTag(clientOf(device), String(record['circuit_id']));
    expect(record['backend']).toEqual({
      execution: 'hardware',
      vendor: 'Quantum Compute Service',
      device: DEVICE,
      vendor_job_id: there?.['batch_id'],
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
    const there2 = clientOf(device);
    const apart = 'OPENQASM 3.0; include "stdgates.inc"; bit[1] c; cz $0, $9; c[0] = measure $0;';
    const far = await post(there2, { qasm: apart, target_processor: DEVICE, shots: 1 });
    expect(JSON.parse(far.text).error.details[0]).toMatchObject({
      path: 'qasm',
      message: 'Operation 0: CZ acts on qubits 0 and 9, which nothing couples.',
    });
  });

  test('kill -9 and a cancel while jobs wait there: one is found again, the other is cancelled there', async () => {
    using folders = temporaryFolder();
    const device = await start(`${folders.path}/device`, {
      QCS_EMULATORS: 'iqm-garnet',
      QCS_THREADS: '1',
    });
    const there = clientOf(device);
    const endless = await submitLater(there, {
      circuit: endlessCircuit(16),
      target_processor: 'statevector-sim',
      shots: ENDLESS_SHOTS,
    });
    await eventually(async () => (await there.record(endless)).status === 'running');

    const folder = `${folders.path}/service`;
    const before = await start(folder, settingsFor(device));
    const key = before.key ?? '';
    await available(clientOf(before));
    const body = { circuit: CIRCUIT, target_processor: HARDWARE, shots: 50 };
    const [kept, dropped] = [
      await submitLater(clientOf(before), body),
      await submitLater(clientOf(before), body),
    ];
    for (const location of [kept, dropped]) {
      await eventually(async () => (await jobsWithTag(there, idIn(location))).length === 1);
    }
    await before.stop('SIGKILL');

    const after = await start(folder, settingsFor(device));
    const client = clientOf(after, key);
    const cancelled = await client.request('POST', `${dropped}/cancel`);
    expect(recordOf(cancelled).status).toBe('cancelled');
    await eventually(async () => {
      const [found] = await jobsWithTag(there, idIn(dropped));
      expect(found?.status).toBe('cancelled');
    });
    await there.request('POST', `${endless}/cancel`);
    const record = await client.finalRecord(kept);
    expect(record.status).toBe('completed');
    const circuits = await jobsWithTag(there, idIn(kept));
    expect(circuits.map(({ status }) => status)).toEqual(['completed']);
    expect(record['backend']).toMatchObject({ vendor_job_id: circuits[0]?.['batch_id'] });
  });

  test('that cannot be reached is not available, with the reason, and comes back', async () => {
    using folders = temporaryFolder();
    const device = await start(`${folders.path}/device`, { QCS_EMULATORS: 'iqm-garnet' });
    const service = await start(`${folders.path}/service`, settingsFor(device));
    const client = clientOf(service);
    await available(client);
    await device.stop('SIGTERM');
    await eventually(async () => {
      expect(await client.get(`/quantum/processors/${HARDWARE}`)).toMatchObject({
        available: false,
        reason: expect.stringContaining('The other service could not be reached'),
        // What it was is still known.
        max_qubits: 20,
      });
    });
    const refused = await post(client, { circuit: CIRCUIT, target_processor: HARDWARE, shots: 1 });
    expect(refused.status).toBe(503);
    const port = new URL(device.origin).port;
    await start(`${folders.path}/device`, { QCS_EMULATORS: 'iqm-garnet', QCS_PORT: port });
    await available(client);
  });
});

test('a backend of IBM, as the mock of its interface has it, runs circuits and gives its calibration', async () => {
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
  const client = clientOf(service);
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
