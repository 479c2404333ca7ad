// @needs processes
/** Batches on hardware: on a processor of a second instance, and on the mock of IBM's interface. */
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
const BATCHES = '/quantum/batches';

type Body = Readonly<Record<string, unknown>>;

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

const ibmSettings = (mock: MockIbm): Readonly<Record<string, string>> => ({
  QCS_HARDWARE_PROVIDER: 'ibm',
  QCS_HARDWARE_URL: `${mock.origin}/api/v1`,
  QCS_HARDWARE_IAM_URL: mock.origin,
  QCS_HARDWARE_TOKEN: API_KEY,
  QCS_HARDWARE_INSTANCE: INSTANCE,
  QCS_HARDWARE_BACKEND: BACKEND,
  QCS_HARDWARE_JOBS: '2',
});

const available = (client: ServiceClient) =>
  eventually(async () => {
    expect(await client.get(`/quantum/processors/${HARDWARE}`)).toMatchObject({ available: true });
  });

const post = (client: ServiceClient, programs: readonly Body[], more: Body = {}, headers = {}) => {
  const body = { target_processor: HARDWARE, seed: 5, programs, ...more };
  return client.request('POST', BATCHES, { body, headers });
};

async function submit(client: ServiceClient, programs: readonly Body[], more: Body = {}) {
  const answer = await post(client, programs, more, { prefer: 'respond-async' });
  expect([answer.status, answer.text.slice(0, 500)]).toEqual([201, expect.anything()]);
  return answer.headers.get('location') ?? '';
}

async function run(client: ServiceClient, programs: readonly Body[], more: Body = {}) {
  const record = await client.finalRecord(await submit(client, programs, more));
  expect([record.status, record['error']]).toEqual(['completed', undefined]);
  return record;
}

/** Programs of a completed batch. */
function programsOf(record: JobRecord) {
  // Checked by what is read of them.
  return record['programs'] as {
    readonly counts: readonly Readonly<Record<string, number>>[];
    readonly expectation: readonly (readonly number[])[];
    readonly standard_error: readonly (readonly number[])[];
    readonly gradient: readonly (readonly (readonly number[])[])[];
  }[];
}

const jobIdsOf = (record: JobRecord): readonly string[] =>
  // Checked by what is read of it.
  (record['executed_on'] as { readonly backend: { readonly vendor_job_ids: string[] } }[]).flatMap(
    ({ backend }) => backend.vendor_job_ids,
  );

/** Batches at the second instance. */
async function batchesOf(client: ServiceClient): Promise<readonly JobRecord[]> {
  // Checked: a listing has the records of batches.
  return ((await client.get(BATCHES)) as { readonly batches: readonly JobRecord[] }).batches;
}

/** cos(a/2)|000⟩ + sin(a/2)|111⟩; a triangle of gates, which few devices have. */
const GHZ = [
  { gate: 'RY', qubit: 0, theta: { input: 'a' } },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'CX', control: 1, target: 2 },
  { gate: 'CZ', control: 0, target: 2 },
  { gate: 'Z', qubit: 0 },
];
const ANGLES = [0, 1, 2, Math.PI];
const SWEEP = { circuit: GHZ, inputs: { a: ANGLES }, shots: 400 };

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

describe('a batch on a processor of another instance', () => {
  test('runs as jobs of several circuits, and gives counts and estimates', async () => {
    using folders = temporaryFolder();
    const device = await start(`${folders.path}/device`, { QCS_EMULATORS: 'iqm-garnet' });
    const service = await start(`${folders.path}/service`, settingsFor(device));
    const client = clientOf(service);
    await available(client);
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
    const record = await run(client, [SWEEP, structural, estimated]);
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
    const there = await batchesOf(clientOf(device));
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
    expect([...jobIdsOf(record)].sort()).toEqual(there.map((each) => each['batch_id']).sort());
    expect(there.length).toBe(4);
    expect(there.reduce((sum, each) => sum + Number(each['points']), 0)).toBe(circuits);
  });

  test('kill -9 while its jobs wait there: they are found again, none is submitted twice', async () => {
    using folders = temporaryFolder();
    const device = await start(`${folders.path}/device`, {
      QCS_EMULATORS: 'iqm-garnet',
      QCS_THREADS: '1',
    });
    const there = clientOf(device);
    const endless = await there.request('POST', '/quantum/circuits', {
      body: {
        circuit: endlessCircuit(16),
        target_processor: 'statevector-sim',
        shots: ENDLESS_SHOTS,
      },
      headers: { prefer: 'respond-async' },
    });
    const endlessAt = endless.headers.get('location') ?? '';
    await eventually(async () => (await there.record(endlessAt)).status === 'running');

    const folder = `${folders.path}/service`;
    const before = await start(folder, settingsFor(device));
    const key = before.key ?? '';
    await available(clientOf(before));
    const kept = await submit(clientOf(before), [SWEEP, { ...SWEEP, shots: 300 }]);
    await eventually(async () => (await batchesOf(there)).length === 2);
    const dropped = await submit(clientOf(before), [{ ...SWEEP, shots: 200 }]);
    await eventually(async () => (await batchesOf(there)).length === 3);
    await before.stop('SIGKILL');

    const after = await start(folder, settingsFor(device));
    const client = clientOf(after, key);
    const cancelled = await client.request('POST', `${dropped}/cancel`);
    expect(recordOf(cancelled).status).toBe('cancelled');
    await eventually(async () => {
      const ended = (await batchesOf(there)).filter(({ status }) => status === 'cancelled');
      expect(ended.length).toBe(1);
    });
    await there.request('POST', `${endlessAt}/cancel`);
    const record = await client.finalRecord(kept);
    expect(record.status).toBe('completed');
    const [first, second] = programsOf(record);
    expectSweep(first?.counts);
    expectSweep(second?.counts, 300);
    const all = await batchesOf(there);
    expect(all.length).toBe(3);
    const completed = all.filter(({ status }) => status === 'completed');
    expect([...jobIdsOf(record)].sort()).toEqual(completed.map((each) => each['batch_id']).sort());
  });
});

describe('a batch on a backend of IBM, as the mock of its interface has it', () => {
  async function open(mock: MockIbm, folder: string) {
    const client = clientOf(await start(folder, ibmSettings(mock)));
    await available(client);
    return client;
  }

  test('is a PUB for each point, at most 100 in a job, with progress by points', async () => {
    using folder = temporaryFolder();
    await using mock = await MockIbm.open();
    const client = await open(mock, folder.path);
    mock.isHolding = true;
    const a = Array.from({ length: 150 }, (_, k) => (k % 2 === 0 ? 0 : Math.PI));
    const location = await submit(client, [{ circuit: GHZ, inputs: { a }, shots: 20 }]);
    await eventually(() => mock.jobs.length === 2);
    expect(mock.jobs.map(({ circuits }) => circuits.length).sort()).toEqual([100, 50]);
    const large = mock.jobs.find(({ circuits }) => circuits.length === 100);
    if (large !== undefined) mock.finish(large);
    await eventually(async () => {
      expect((await client.record(location))['progress']).toBeCloseTo(100 / 150);
    });
    for (const job of mock.jobs) if (job.status === 'Queued') mock.finish(job);
    const record = await client.finalRecord(location);
    expect(record.status).toBe('completed');
    const [program] = programsOf(record);
    expect(program?.counts).toEqual(
      a.map((angle) => (angle === 0 ? { '000': 20 } : { '111': 20 })),
    );
    expect([...jobIdsOf(record)].sort()).toEqual(['job0', 'job1']);
  });

  test('is cancelled there with its jobs', async () => {
    using folder = temporaryFolder();
    await using mock = await MockIbm.open();
    const client = await open(mock, folder.path);
    mock.isHolding = true;
    const location = await submit(client, [SWEEP, { ...SWEEP, shots: 30 }]);
    await eventually(() => mock.jobs.length === 2);
    await client.request('POST', `${location}/cancel`);
    await eventually(() => mock.jobs.every(({ status }) => status === 'Cancelled'));
  });

  test('fails with the vendor’s reason, and its other jobs are cancelled', async () => {
    using folder = temporaryFolder();
    await using mock = await MockIbm.open();
    const client = await open(mock, folder.path);
    mock.isHolding = true;
    const location = await submit(client, [SWEEP, { ...SWEEP, shots: 30 }]);
    await eventually(() => mock.jobs.length === 2);
    const [job, other] = mock.jobs;
    Object.assign(job!, { status: 'Failed', reason: 'The fridge is warm.' });
    const record = await client.finalRecord(location);
    expect(record['error']).toMatchObject({
      message: expect.stringContaining('failed at IBM Quantum: The fridge is warm.'),
    });
    await eventually(() => other?.status === 'Cancelled');
  });

  test('is refused, with the path and the figure, where it asks for too much or for what is exact', async () => {
    using folder = temporaryFolder();
    await using mock = await MockIbm.open();
    const client = await open(mock, folder.path);
    const faultsOf = async (programs: readonly Body[]) => {
      const answer = await post(client, programs);
      expect(answer.status).toBe(400);
      return JSON.parse(answer.text).error.details.map(
        ({ path, message }: Readonly<Record<string, string>>) => [path, message],
      );
    };
    const many = { circuit: GHZ, inputs: { a: Array(501).fill(1) }, shots: 10_000 };
    expect(await faultsOf([many])).toEqual([
      [
        'programs',
        expect.stringContaining('5010000 shots of all circuits on hardware; the limit is 5000000'),
      ],
    ]);
    const observables = [{ pauli: 'Z0' }, { pauli: 'X0' }];
    const points = { circuit: GHZ, inputs: { a: Array(5001).fill(1) }, observables, shots: 2 };
    expect(await faultsOf([points])).toEqual([
      ['programs', expect.stringContaining('10002 circuits for hardware')],
    ]);
    expect(await faultsOf([{ ...SWEEP, return: ['counts', 'probabilities'] }])).toEqual([
      ['programs[0].return', expect.stringContaining('can be computed only by a simulator')],
    ]);
    expect(mock.jobs).toEqual([]);
  });
});
