// @needs facilities
/** `qcs migrate` between two runs of a service: what was there before is there after, seen over HTTP. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { JOB_RESOURCES } from '../../src/service/jobs/job-resources.ts';
import { runQcs } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith, facilityPath } from '../support/facilities/describe-with.ts';
import { ENDLESS_SHOTS, endlessCircuit } from '../support/lasting-circuit.ts';
import { MIXED_LOAD_SETTINGS } from '../support/mixed-load/mixed-load.ts';
import { createWorkDeck, type Work } from '../support/mixed-load/work-deck.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres-server.ts';
import { RandomStream } from '../support/random-stream.ts';
import { recordOf, ServiceClient } from '../support/service-client.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

/** More than the kinds of work that a deck gives first. */
const NUM_JOBS = 60;
const RESOURCES = Object.values(JOB_RESOURCES);
const REPEATED = { 'idempotency-key': 'once' };

describeWith(['PostgreSQL'], 'qcs migrate', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());

  let running: ServiceProcess | undefined;
  afterEach(async () => {
    await running?.stop('SIGKILL');
  });
  const start = async (folder: string, environment = {}) => {
    running = await startServiceProcess(folder, { ...MIXED_LOAD_SETTINGS, ...environment });
    return running;
  };

  test('a service goes on with everything that it had in SQLite', async () => {
    using folder = temporaryFolder();
    const environment = {
      QCS_DATA_DIR: folder.path,
      QCS_DATABASE_URL: await server.createDatabase(),
    };
    const createKey = async (name: string, scopes: string) => {
      const args = ['keys', 'create', '--name', name, '--scopes', scopes];
      const { stdout } = await runQcs(args, { environment: { QCS_DATA_DIR: folder.path } });
      return stdout.trim();
    };
    const keys = [
      await createKey('admin', 'read,circuits,agents,models,tpu,admin'),
      await createKey('other', 'circuits,agents,tpu'),
      await createKey('interrupted', 'circuits'),
    ];
    const clientsOf = ({ origin }: ServiceProcess) =>
      keys.map((key) => new ServiceClient(origin, key)) as [
        ServiceClient,
        ServiceClient,
        ServiceClient,
      ];
    const first = await start(folder.path);
    const [admin, other, interrupted] = clientsOf(first);
    const { seen, repeated } = await makeRecords(admin, other);

    const busy = await runQcs(['migrate'], { environment });
    expect(busy).toMatchObject({ code: 1, stdout: '' });
    expect(busy.stderr).toContain('Another service runs on the data directory');

    // A job that runs when the service is killed runs again.
    const endless = await submit(interrupted, {
      path: '/quantum/circuits',
      body: {
        circuit: endlessCircuit(16),
        target_processor: 'statevector-sim',
        shots: ENDLESS_SHOTS,
      },
      headers: {},
    });
    await eventually(async () => (await interrupted.record(endless)).status === 'running');
    await first.stop('SIGKILL');

    const migrated = await runQcs(['migrate', '--json'], { environment });
    expect(migrated).toMatchObject({ code: 0, stderr: '' });
    const { rows, ...counts } = JSON.parse(migrated.stdout);
    expect(counts).toMatchObject({ jobs_requeued: 1, jobs_left_out: 0 });
    expect(rows).toMatchObject({ api_keys: 3, maintenance: 1, ionq_sessions: 1 });
    expect(rows.jobs).toBeGreaterThan(NUM_JOBS);
    for (const table of Object.keys(rows)) {
      const [found] = await query(
        environment.QCS_DATABASE_URL,
        `SELECT count(*)::int AS count FROM ${table}`,
      );
      expect({ table, ...found }).toEqual({ table, count: rows[table] });
    }

    const again = await runQcs(['migrate'], { environment });
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('its table api_keys has rows. Nothing was copied.');

    using elsewhere = temporaryFolder();
    const second = await start(elsewhere.path, environment);
    expect(second.key).toBeUndefined();
    const clients = clientsOf(second);
    for (const { client, path, text } of seen) {
      const shown = await view(clients[client] as ServiceClient, path);
      expect({ path, text: shown }).toEqual({ path, text });
    }
    // The key of an answered request is answered with its job, which does not run again.
    const [moved, , resumed] = clients;
    const body = { body: REPEAT.body, headers: REPEATED };
    const answer = await moved.request('POST', REPEAT.path, body);
    expect(answer.headers.get('location')).toBe(repeated);
    await eventually(async () => (await resumed.record(endless)).status === 'running');
    const cancelled = await resumed.request('POST', `${endless}/cancel`);
    expect(cancelled.status).toBe(200);
    expect(moved.serverFaults).toEqual([]);
  });
});

const REPEAT: Pick<Work, 'path' | 'body'> = {
  path: '/quantum/circuits',
  body: {
    circuit: [{ gate: 'H', qubit: 0 }],
    target_processor: 'statevector-sim',
    shots: 10,
    name: 'Bell',
    tags: ['a', 'b'],
  },
};

/** Makes records of all kinds with two keys, and gives what they look like. */
async function makeRecords(admin: ServiceClient, other: ServiceClient) {
  const random = new RandomStream(7);
  const deck = createWorkDeck(await admin.publishedWork(), random);
  const repeated = await submit(admin, { ...REPEAT, headers: REPEATED });
  const locations = [
    repeated,
    ...(await Promise.all(Array.from({ length: NUM_JOBS }, () => submit(admin, deck(random))))),
  ];
  const wide = await submit(admin, {
    path: '/quantum/circuits',
    body: {
      circuit: endlessCircuit(16),
      target_processor: 'statevector-sim',
      shots: ENDLESS_SHOTS,
    },
    headers: { prefer: 'respond-async' },
  });
  expect((await admin.request('POST', `${wide}/cancel`)).status).toBe(200);
  const ofOther = await submit(other, { ...REPEAT, headers: {} });
  const maintenance = await admin.request('POST', '/admin/processors/qvm/maintenance', {
    body: { enabled: true, reason: 'new fans' },
  });
  expect(maintenance.status).toBe(200);
  expect((await ionq(admin, 'POST', '/sessions', { backend: 'simulator' })).status).toBe(201);
  for (const location of [...locations, wide]) await admin.finalRecord(location);
  await other.finalRecord(ofOther);

  const listings = RESOURCES.map(({ path }) => `${path}?limit=100`);
  const paths = [
    ...[...locations, wide, ...listings, ...ADMIN_PATHS, SESSIONS].map((path) => ({
      client: 0,
      path,
    })),
    ...[ofOther, ...listings, '/quantum/circuits?tag=a', '/quantum/circuits?name=Bell'].map(
      (path) => ({
        client: 1,
        path,
      }),
    ),
  ];
  const seen = await Promise.all(
    paths.map(async ({ client, path }) => ({
      client,
      path,
      text: await view(client === 0 ? admin : other, path),
    })),
  );
  return { seen, repeated };
}

const PROCESSOR = '/quantum/processors/qvm';
const ADMIN_PATHS = ['/admin/audit', '/admin/keys', PROCESSOR];
const SESSIONS = '/v0.4/sessions';

function ionq({ origin, key }: ServiceClient, method: string, path: string, body?: object) {
  return fetch(`${origin}/v0.4${path}`, {
    method,
    headers: { authorization: `apiKey ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** What is shown at a path; of a processor only whether it may be used, since the rest changes with its load. */
async function view(client: ServiceClient, path: string): Promise<string> {
  if (path === SESSIONS) return (await ionq(client, 'GET', '/sessions')).text();
  const data = await client.get(path);
  const fields = path === PROCESSOR ? ['id', 'available', 'reason'] : undefined;
  return JSON.stringify(data, fields);
}

/** Submits work, and gives the location of its record. */
async function submit(
  client: ServiceClient,
  { path, body, headers }: Pick<Work, 'path' | 'body' | 'headers'>,
): Promise<string> {
  const answer = await client.request('POST', path, {
    body,
    headers: { prefer: 'respond-async', ...headers },
  });
  expect(answer.status, answer.text.slice(0, 300)).toBe(201);
  expect(recordOf(answer)).toBeDefined();
  return answer.headers.get('location') ?? '';
}
