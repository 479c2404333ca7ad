/** What a crash and a shutdown leave behind: nothing lost, nothing twice. */
import { afterEach, expect, test } from 'vitest';
import { lastingCircuit } from '../support/lasting-circuit.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

const NUM_JOBS = 50;
const environment = { QCS_RATE_LIMIT_STANDARD: '1000000', QCS_LOG_LEVEL: 'warn' };
/** A tenth of a second or two, compiling included, on one thread. */
const circuit = lastingCircuit(16, 60);

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
    async submit(seed: number): Promise<string> {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, prefer: 'respond-async' },
        body: JSON.stringify({ circuit, target_processor: 'statevector-sim', shots: 100, seed }),
      });
      const { data } = (await answer.json()) as { data: CircuitRecord };
      return data.circuit_id;
    },
    async get(id: string): Promise<CircuitRecord> {
      const answer = await fetch(`${url}/${id}`, { headers });
      return ((await answer.json()) as { data: CircuitRecord }).data;
    },
    async list(): Promise<readonly CircuitRecord[]> {
      const answer = await fetch(`${url}?limit=100`, { headers });
      return ((await answer.json()) as { data: { circuits: readonly CircuitRecord[] } }).data
        .circuits;
    },
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('kill -9 with 50 jobs queued and running: after a restart all 50 complete, once each', async () => {
  using folder = temporaryFolder();
  running = await startServiceProcess(folder.path, environment);
  const key = running.key ?? '';
  const before = client(running, key);
  const ids = await Promise.all(Array.from({ length: NUM_JOBS }, (_, seed) => before.submit(seed)));
  const count = (records: readonly CircuitRecord[], status: string) =>
    records.filter((record) => record.status === status).length;
  await until(async () => count(await before.list(), 'completed') >= 5);
  const atKill = await before.list();
  await running.stop('SIGKILL');
  expect(count(atKill, 'completed')).toBeLessThan(NUM_JOBS);
  expect(count(atKill, 'running')).toBeGreaterThan(0);

  running = await startServiceProcess(folder.path, environment);
  const after = client(running, key);
  await until(async () => count(await after.list(), 'completed') === NUM_JOBS);

  const records = await Promise.all(ids.map((id) => after.get(id)));
  expect(new Set(records.map((record) => record.circuit_id)).size).toBe(NUM_JOBS);
  expect(await after.list()).toHaveLength(NUM_JOBS);
  for (const record of records) {
    const total = Object.values(record.counts ?? {}).reduce((sum, value) => sum + value, 0);
    expect(total).toBe(100);
  }
  // What was complete before the crash was not run again.
  for (const old of atKill.filter((record) => record.status === 'completed')) {
    const now = records.find((record) => record.circuit_id === old.circuit_id);
    expect(now?.finished_at).toBe(old.finished_at);
  }
}, 120_000);

test('SIGTERM ends the process with code 0 and leaves unfinished jobs, as many as it says, to the next start', async () => {
  using folder = temporaryFolder();
  running = await startServiceProcess(folder.path, { ...environment, QCS_SHUTDOWN_GRACE_S: '0' });
  const key = running.key ?? '';
  const before = client(running, key);
  const ids = await Promise.all(Array.from({ length: 20 }, (_, seed) => before.submit(seed)));
  expect(await running.stop('SIGTERM')).toBe(0);
  const [, numLeft] = /(\d+) wait for the next start/.exec(running.output()) ?? [];

  running = await startServiceProcess(folder.path, environment);
  expect(running.output()).toContain(`Jobs of an earlier process: ${numLeft} run again, 0 failed.`);
  const after = client(running, key);
  await until(async () => (await after.list()).every((record) => record.status === 'completed'));
  expect((await after.list()).map((record) => record.circuit_id).sort()).toEqual([...ids].sort());
}, 120_000);
