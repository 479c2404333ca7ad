// @needs facilities
/** The service as a process over a PostgreSQL server: restarts of both, and a server that is not there. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../src/storage/database.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith, facilityPath } from '../support/facilities/describe-with.ts';
import { ENDLESS_SHOTS, endlessCircuit } from '../support/lasting-circuit.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

const run = promisify(execFile);
const BELL = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'M', qubits: [0, 1] },
  ],
  target_processor: 'statevector-sim',
  shots: 100,
  seed: 7,
};

interface CircuitRecord {
  readonly circuit_id: string;
  readonly status: string;
  readonly counts?: Readonly<Record<string, number>>;
}

describeWith(['PostgreSQL'], 'a service on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());

  let running: ServiceProcess | undefined;
  afterEach(async () => {
    await running?.stop('SIGKILL');
  });

  const start = async (folder: string, url: string, says: 'Ready' | 'Listening' = 'Ready') => {
    // One thread for the job without end, and one for others.
    const environment = {
      ...SMALL_SERVICE,
      QCS_THREADS: '2',
      QCS_DATABASE_URL: url,
      QCS_LOG_LEVEL: 'warn',
    };
    running = await startServiceProcess(folder, environment, { says });
    return running;
  };
  const request = (
    service: ServiceProcess,
    key: string,
    path = '',
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    fetch(`${service.origin}/api/v1/quantum/circuits${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const recordOf = async (answer: Response) => {
    const { data } = (await answer.json()) as { data: CircuitRecord };
    return data;
  };
  const isReady = async ({ origin }: ServiceProcess) => (await fetch(`${origin}/readyz`)).ok;
  const qcs = async (url: string, ...args: readonly string[]) => {
    const env = { ...process.env, QCS_DATABASE_URL: url };
    const { stdout } = await run(process.execPath, ['src/cli.ts', ...args], { env });
    return stdout.trim();
  };

  test('keeps jobs and keys there over a restart, and nothing in its folder', async () => {
    using folder = temporaryFolder();
    const url = await server.createDatabase();
    const first = await start(folder.path, url, 'Listening');
    const key = first.key ?? '';
    const made = await recordOf(await request(first, key, '', BELL));
    expect(made.status).toBe('completed');

    expect(await first.stop('SIGTERM')).toBe(0);

    const second = await start(folder.path, url, 'Listening');
    expect(second.key).toBeUndefined();
    const kept = await recordOf(await request(second, key, `/${made.circuit_id}`));
    expect(kept).toMatchObject({ status: 'completed', counts: made.counts });
    expect(existsSync(join(folder.path, DATABASE_FILE))).toBe(false);

    // Keys that the command line makes and revokes count in the running service.
    const other = await qcs(url, 'keys', 'create', '--name', 'other');
    expect((await request(second, other)).status).toBe(200);
    await qcs(url, 'keys', 'revoke', other.split('_')[1] ?? '');
    await eventually(async () => (await request(second, other)).status === 401);
    await expect(qcs(url, 'backup', 'x')).rejects.toThrow('Use pg_dump.');
  });

  test('answers 503 while the server is away, says so, and goes on with its jobs after', async () => {
    using folder = temporaryFolder();
    const url = await server.createDatabase();
    const service = await start(folder.path, url);
    const key = service.key ?? '';
    const endless = { ...BELL, circuit: endlessCircuit(16), shots: ENDLESS_SHOTS };
    const answer = await request(service, key, '', endless, { prefer: 'respond-async' });
    const { circuit_id: id } = await recordOf(answer);
    await eventually(
      async () => (await recordOf(await request(service, key, `/${id}`))).status === 'running',
    );

    await server.crash();
    await eventually(async () => !(await isReady(service)));
    const refused = await request(service, key, '', BELL);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await refused.text()).toContain('STORAGE_UNWRITABLE');

    await server.start();
    await eventually(() => isReady(service));
    expect(await recordOf(await request(service, key, '', BELL))).toMatchObject({
      status: 'completed',
    });
    // The job went on meanwhile, in its first attempt.
    expect(await recordOf(await request(service, key, `/${id}`))).toMatchObject({
      status: 'running',
    });
  });

  test('starts before its server, and is ready once that is there', async () => {
    using folder = temporaryFolder();
    const url = await server.createDatabase();
    await server.crash();
    const service = await start(folder.path, url, 'Listening');
    expect(service.output()).toContain('The database cannot be reached.');
    expect((await request(service, `qcs_${'0'.repeat(16)}_${'0'.repeat(64)}`)).status).toBe(503);
    await server.start();
    await eventually(() => service.output().includes('Ready.'));
    const [key = ''] = /qcs_[0-9a-f]{16}_[0-9a-f]{64}/.exec(service.output()) ?? [];
    expect((await request(service, key, '', BELL)).status).toBe(201);
  });
});
