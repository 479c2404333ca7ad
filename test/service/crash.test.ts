// @needs processes
/** A crash and a shutdown lose nothing, and nothing runs twice. */
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { Job } from '../../src/jobs/job.ts';
import { SqliteJobStore } from '../../src/jobs/sqlite-job-store.ts';
import { DATABASE_FILE, openDatabase } from '../../src/storage/database.ts';
import { eventually } from '../support/eventually.ts';
import { ENDLESS_SHOTS, endlessCircuit, lastingCircuit } from '../support/lasting-circuit.ts';
import { IS_LONG } from '../support/seeds.ts';
import { recordOf, ServiceClient } from '../support/service-client.ts';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

vi.setConfig({ testTimeout: 900_000 });

const environment = {
  ...SMALL_SERVICE,
  QCS_RATE_LIMIT_STANDARD: '1000000',
  QCS_LOG_LEVEL: 'warn',
  // On a machine that does twenty things besides, an answer takes more than the default minute.
  QCS_REQUEST_TIMEOUT_S: '3600',
};
/** A tenth of a second, compiling included, on one thread. */
const circuit = lastingCircuit(15, 60);
const NUM_JOBS = IS_LONG ? 50 : 20;

let running: ServiceProcess | undefined;
afterEach(async () => {
  await running?.stop('SIGKILL');
});

interface CircuitRecord {
  readonly circuit_id: string;
  readonly status: string;
  readonly finished_at?: string;
  readonly counts?: Readonly<Record<string, number>>;
}

function client(service: ServiceProcess, key: string) {
  const url = `${service.origin}/api/v1/quantum/circuits`;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return {
    async submit(seed: number, other?: object): Promise<string> {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, prefer: 'respond-async' },
        body: JSON.stringify(
          other ?? { circuit, target_processor: 'statevector-sim', shots: 100, seed },
        ),
      });
      const { data } = (await answer.json()) as { data: CircuitRecord };
      return data.circuit_id;
    },
    async get(id: string): Promise<CircuitRecord> {
      const answer = await fetch(`${url}/${id}`, { headers });
      return ((await answer.json()) as { data: CircuitRecord }).data;
    },
    /** Resolves once so many of these are completed. */
    async completed(ids: readonly string[], count = ids.length): Promise<void> {
      await eventually(async () => {
        const records = await Promise.all(ids.map((id) => this.get(id)));
        return records.filter(({ status }) => status === 'completed').length >= count;
      });
    },
  };
}

/** All jobs as the file has them; nobody else has it open. */
async function jobsIn(folder: string): Promise<readonly Job[]> {
  const database = openDatabase(join(folder, DATABASE_FILE));
  try {
    return await new SqliteJobStore(database).list({ limit: 1_000_000 });
  } finally {
    database.close();
  }
}

test('kill -9 with many jobs queued and running: after a restart all complete, once each', async () => {
  using folder = temporaryFolder();
  const ids: string[] = [];
  let key: string | undefined;
  let atKill: readonly Job[];
  do {
    // Where all were through before this process had its turn, there is nothing to see: as many more.
    running = await startServiceProcess(folder.path, environment);
    key ??= running.key;
    const before = client(running, key ?? '');
    const submitted = Array.from({ length: NUM_JOBS }, (_, seed) => before.submit(seed));
    const added = await Promise.all(submitted);
    ids.push(...added);
    await before.completed(added, 5);
    await running.stop('SIGKILL');
    atKill = await jobsIn(folder.path);
  } while (!atKill.some(({ status }) => status === 'running'));

  running = await startServiceProcess(folder.path, environment);
  const after = client(running, key ?? '');
  await after.completed(ids);
  const records = await Promise.all(ids.map((id) => after.get(id)));
  await running.stop('SIGTERM');
  expect((await jobsIn(folder.path)).map(({ id }) => id).sort()).toEqual([...ids].sort());
  for (const record of records) {
    const total = Object.values(record.counts ?? {}).reduce((sum, value) => sum + value, 0);
    expect(total).toBe(100);
  }
  // What was complete before the crash was not run again.
  const completed = atKill.filter(({ status }) => status === 'completed');
  expect(completed.length).toBeGreaterThanOrEqual(5);
  for (const old of completed) {
    const now = records.find((record) => record.circuit_id === old.id);
    expect(Date.parse(now?.finished_at ?? '')).toBe(old.finishedAt);
  }
});

test('kill -9 in the middle of a run with noise: after a restart it ends once, with the counts of its seed', async () => {
  using folder = temporaryFolder();
  const noise = {
    gates: [{ gates: ['*'], channel: { type: 'amplitude_damping', gamma: 0.002 } }],
    readout: [{ p1_given_0: 0.01, p0_given_1: 0.02 }],
  };
  const noisy = (seed: number) => ({
    circuit: lastingCircuit(10, 10),
    noise,
    target_processor: 'qvm',
    method: 'statevector',
    shots: 200,
    seed,
  });
  const ids: string[] = [];
  let key: string | undefined;
  let atKill: readonly Job[];
  do {
    running = await startServiceProcess(folder.path, environment);
    key ??= running.key;
    const before = client(running, key ?? '');
    const id = await before.submit(ids.length, noisy(ids.length));
    ids.push(id);
    await eventually(async () => (await before.get(id)).status !== 'queued');
    await running.stop('SIGKILL');
    atKill = await jobsIn(folder.path);
  } while (!atKill.some(({ status }) => status === 'running'));

  running = await startServiceProcess(folder.path, environment);
  const after = client(running, key ?? '');
  await after.completed(ids);
  const seed = ids.length - 1;
  const again = await after.submit(seed, noisy(seed));
  await after.completed([again]);
  const [first, second] = await Promise.all([after.get(ids[seed]!), after.get(again)]);
  expect(first.counts).toEqual(second.counts);
  expect(Object.values(first.counts ?? {}).reduce((sum, count) => sum + count, 0)).toBe(200);
  await running.stop('SIGTERM');
  expect((await jobsIn(folder.path)).map(({ id }) => id).sort()).toEqual([...ids, again].sort());
});

test('kill -9 half-way through a batch: after a restart it completes, and what was stored is not run again', async () => {
  using folder = temporaryFolder();
  const NUM_POINTS = 2000;
  const x = Array.from({ length: NUM_POINTS }, (_, i) => 0.001 * i);
  const gates = Array.from({ length: 26 }, (_, i) => [
    { gate: 'RY', qubit: i % 13, theta: { input: 'x', scale: 1 + i / 10 } },
    { gate: 'CX', control: i % 13, target: (i + 1) % 13 },
  ]);
  const programs = [
    { circuit: gates.flat(), inputs: { x }, observables: [{ pauli: 'Z3 Z7' }] },
    { circuit: gates.flat(), inputs: { x: x.slice(0, 10) }, shots: 20 },
  ];
  const total = NUM_POINTS + 10;
  const connect = ({ origin }: ServiceProcess, key: string) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const url = `${origin}/api/v1/quantum/batches`;
    const get = async (id: string) =>
      // Checked: the answer is a batch's record.
      ((await (await fetch(`${url}/${id}`, { headers })).json()) as { data: BatchRecord }).data;
    return {
      get,
      submit: async () => {
        const body = { target_processor: 'statevector-sim', programs, seed: 5 };
        const answer = await fetch(url, {
          method: 'POST',
          headers: { ...headers, prefer: 'respond-async' },
          body: JSON.stringify(body),
        });
        return ((await answer.json()) as { data: BatchRecord }).data.batch_id;
      },
      completed: async (id: string) => {
        await eventually(async () => (await get(id)).status === 'completed');
        return get(id);
      },
    };
  };
  let key: string | undefined;
  let id = '';
  let atKill: Job | undefined;
  do {
    // Where all was through before this process had its turn, there is nothing to see: once more.
    running = await startServiceProcess(folder.path, environment);
    key ??= running.key;
    const before = connect(running, key ?? '');
    id = await before.submit();
    await eventually(async () => {
      const { progress = 0, status } = await before.get(id);
      return progress > 0.2 || status === 'completed';
    });
    await running.stop('SIGKILL');
    atKill = (await jobsIn(folder.path)).find((job) => job.id === id);
  } while (atKill?.status !== 'running');

  running = await startServiceProcess(folder.path, environment);
  const after = connect(running, key ?? '');
  const {
    programs: results = [],
    resumed_points = 0,
    executed_on = [],
  } = await after.completed(id);
  // What was told as done had been given to the database a moment before.
  expect(resumed_points).toBeGreaterThan(0.1 * total);
  expect(executed_on.reduce((sum, { circuits }) => sum + circuits, 0)).toBe(total - resumed_points);
  const whole = await after.completed(await after.submit());
  expect(results).toEqual(whole.programs);
  expect(results[0]?.expectation).toHaveLength(NUM_POINTS);
  await running.stop('SIGTERM');
});

interface BatchRecord {
  readonly batch_id: string;
  readonly status: string;
  readonly progress?: number;
  readonly resumed_points?: number;
  readonly executed_on?: readonly { readonly circuits: number }[];
  readonly programs?: readonly { readonly expectation?: readonly number[][] }[];
}

test('SIGTERM ends the process with code 0 and leaves unfinished jobs, as many as it says, to the next start', async () => {
  using folder = temporaryFolder();
  const ids: string[] = [];
  let key: string | undefined;
  let numLeft: number;
  do {
    // Where all were through before the signal came, there is nothing to see: as many more.
    running = await startServiceProcess(folder.path, { ...environment, QCS_SHUTDOWN_GRACE_S: '0' });
    key ??= running.key;
    const before = client(running, key ?? '');
    const submitted = Array.from({ length: 20 }, (_, seed) => before.submit(seed));
    ids.push(...(await Promise.all(submitted)));
    expect(await running.stop('SIGTERM')).toBe(0);
    const [, left] = /(\d+) wait for the next start/.exec(running.output()) ?? [];
    numLeft = Number(left);
  } while (numLeft === 0);

  running = await startServiceProcess(folder.path, environment);
  expect(running.output()).toContain(`Jobs of an earlier process: ${numLeft} run again, 0 failed.`);
  await client(running, key ?? '').completed(ids);
  await running.stop('SIGTERM');
  expect((await jobsIn(folder.path)).map(({ id }) => id).sort()).toEqual([...ids].sort());
});

test('a circuit that is alone whenever the service dies is given up at last; its repeat says so, and a retry runs it', async () => {
  using folder = temporaryFolder();
  const settings = { ...environment, QCS_JOB_ATTEMPTS: '2' };
  const body = {
    circuit: endlessCircuit(16),
    target_processor: 'statevector-sim',
    shots: ENDLESS_SHOTS,
  };
  const headers = { prefer: 'respond-async', 'idempotency-key': 'once' };
  const submit = (each: ServiceClient) =>
    each.request('POST', '/quantum/circuits', { body, headers });

  running = await startServiceProcess(folder.path, settings);
  const key = running.key ?? '';
  let client = new ServiceClient(running.origin, key);
  const first = await submit(client);
  const location = first.headers.get('location') ?? '';
  const dieUnderIt = async () => {
    await eventually(async () => (await client.record(location)).status === 'running');
    await running?.stop('SIGKILL');
    running = await startServiceProcess(folder.path, settings);
    client = new ServiceClient(running.origin, key);
  };

  await dieUnderIt();
  await eventually(async () => (await client.record(location)).status === 'running');
  const again = await submit(client);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(recordOf(again)).toMatchObject({ status: 'running' });

  await dieUnderIt();
  expect(running.output()).toContain('0 run again, 1 failed.');
  const error = { code: 'JOBS_INTERRUPTED', message: expect.stringContaining('2 in all') };
  expect(await client.record(location)).toMatchObject({ status: 'failed', error });
  const last = await submit(client);
  expect(last.status).toBe(201);
  expect(last.headers.get('idempotent-replayed')).toBe('true');
  expect(recordOf(last)).toMatchObject({ status: 'failed', error });

  const retried = await client.request('POST', `${location}/retry`, { headers });
  expect(retried.status).toBe(400);
  const answer = await client.request('POST', `${location}/retry`, {
    headers: { prefer: 'respond-async' },
  });
  expect(answer.status).toBe(201);
  const id = location.slice(location.lastIndexOf('/') + 1);
  expect(recordOf(answer)).toMatchObject({ status: 'queued', retry_of: id });
  const newLocation = answer.headers.get('location') ?? '';
  await eventually(async () => (await client.record(newLocation)).status === 'running');
  await client.request('POST', `${newLocation}/cancel`);
});
