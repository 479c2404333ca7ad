// @needs facilities
/** `qcs cluster` on a PostgreSQL server, with the rows that nodes would have written. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Around, runQcs } from '../support/command-line.ts';
import { describeWith, facilityPath } from '../support/facilities/describe-with.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres-server.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const STARTED_AT = Date.UTC(2026, 0, 2, 3, 0);

/** Adds a node that was heard of a number of seconds ago; negative for one that no delay of the test makes silent. */
const node = (name: string, silentS: number, columns: Readonly<Record<string, unknown>> = {}) => {
  const all = { epoch: 1, role: 'all', is_up: true, is_draining: false, ...columns };
  return `INSERT INTO nodes (name, process, version, seen_at, ${Object.keys(all).join(', ')})
    VALUES ('${name}', 'qcs', '0.1.0', clock_timestamp() - interval '${silentS} s',
      ${Object.values(all).map((value) => `'${value}'`)});`;
};

const hold = (kind: string, id: string, holder: string) =>
  `INSERT INTO holdings (kind, id, node) VALUES ('${kind}', '${id}', '${holder}');`;

/** Adds a job with some of its columns. */
const job = (id: string, columns: Readonly<Record<string, string | number>>) => {
  const all = { key_id: 'key-1', status: 'queued', attempts: 0, ...columns };
  return `INSERT INTO jobs (id, kind, priority, target, request, created_at, ${Object.keys(all).join(', ')})
    VALUES ('${id}', 'circuit', 'normal', 'gpu-fleet', '{}', ${STARTED_AT},
      ${Object.values(all).map((value) => `'${value}'`)});`;
};

const CLUSTER = [
  node('alpha', -3600, { epoch: 3 }),
  node('beta', -3600, { role: 'worker', is_draining: true }),
  node('gamma', 90, { role: 'api' }),
  node('delta', 7500, { is_up: false, is_draining: true }),
  hold('fleet-node', '0', 'alpha'),
  hold('fleet-node', '2', 'alpha'),
  hold('tpu-zone', 'us-east1-d', 'alpha'),
  hold('fleet-node', '1', 'beta'),
  job('circ_1', { status: 'running', owner: 'beta', started_at: STARTED_AT, attempts: 2 }),
  job('circ_2', { owner: 'beta', key_id: 'key-2' }),
  job('circ_3', { status: 'running', owner: 'alpha', started_at: STARTED_AT, attempts: 1 }),
  job('circ_4', { line: 'circuits' }),
  job('circ_5', { line: 'circuits' }),
  job('circ_6', { line: 'circuits', key_id: 'key-2' }),
  job('circ_7', { line: 'tpu' }),
  job('circ_8', { status: 'completed', owner: 'alpha', started_at: STARTED_AT, attempts: 1 }),
].join('\n');

describeWith(['PostgreSQL'], 'qcs cluster', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());

  let url: string;
  beforeEach(async () => {
    url = await server.createDatabase();
    // The first command makes the tables.
    expect(await qcs('nodes')).toEqual({
      code: 0,
      stdout: 'There are no nodes yet.\n0 jobs wait for a node.\n',
      stderr: '',
    });
  });
  const clients: pg.Client[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
  });

  const qcs = (command: string, around: Around = {}) =>
    runQcs(['cluster', ...command.split(' ').filter(Boolean)], {
      now: () => NOW,
      ...around,
      environment: { QCS_DATABASE_URL: url, ...around.environment },
    });
  const json = async (command: string) => JSON.parse((await qcs(`${command} --json`)).stdout);
  const auditOf = () => query(url, 'SELECT at, actor, action, subject FROM audit ORDER BY id');
  const isDraining = async (name: string) =>
    (await query(url, `SELECT is_draining FROM nodes WHERE name = '${name}'`))[0]?.['is_draining'];

  /** Notifications from now on. */
  const notifications = async () => {
    const client = new pg.Client({ connectionString: url });
    clients.push(client);
    await client.connect();
    const received: string[] = [];
    client.on('notification', ({ channel, payload }) => received.push(`${channel} ${payload}`));
    await client.query('LISTEN qcs_cluster');
    return async () => {
      // Notifications that were committed before a query are delivered with its answer.
      await client.query('SELECT 1');
      return received;
    };
  };

  test.each(['', 'nodes'])('"%s" lists the nodes by name and what they hold', async (command) => {
    await query(url, CLUSTER);
    const { code, stdout, stderr } = await qcs(command);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trim().split('\n');
    const columns = lines.map((line) => line.split(/ {2,}/));
    expect(columns[0]).toEqual(
      'NODE,ROLE,STATE,VERSION,LAST HEARD,EPOCH,RUNNING,CLAIMED,HOLDS'.split(','),
    );
    const ago = expect.stringMatching(/^\d+(\.\d)? (ms|s|min) ago$/);
    expect(columns.slice(1, -1)).toEqual([
      ['alpha', 'all', 'up', '0.1.0', ago, '3', '1', '0', 'fleet 0,2; TPU us-east1-d'],
      ['beta', 'worker', 'draining', '0.1.0', ago, '1', '1', '1', 'fleet 1'],
      ['delta', 'all', 'stopped, draining', '0.1.0', '2 h ago', '1', '0', '0', '-'],
      ['gamma', 'api', 'silent', '0.1.0', '1 min ago', '1', '0', '0', '-'],
    ]);
    expect(lines.at(-1)).toBe('4 jobs wait for a node.');
  });

  test('a node is silent after QCS_LEASE_S', async () => {
    await query(url, CLUSTER);
    const { stdout } = await qcs('nodes', { environment: { QCS_LEASE_S: '300' } });
    expect(stdout).toMatch(/gamma +api +up /);
  });

  test('lists the nodes as JSON', async () => {
    await query(url, CLUSTER);
    const { nodes, jobs_waiting } = await json('nodes');
    expect(jobs_waiting).toBe(4);
    expect(nodes.map(({ name }: { name: string }) => name)).toEqual([
      ...['alpha', 'beta', 'delta', 'gamma'],
    ]);
    const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(nodes[0]).toEqual({
      name: 'alpha',
      role: 'all',
      version: '0.1.0',
      state: 'up',
      draining: false,
      epoch: 3,
      started_at: isoTime,
      seen_at: isoTime,
      silent_s: expect.any(Number),
      fleet_nodes: [0, 2],
      tpu_zones: ['us-east1-d'],
      jobs_running: 1,
      jobs_claimed: 0,
    });
    expect(nodes[2]).toMatchObject({ state: 'stopped', draining: true });
  });

  test('"jobs" lists who runs what, and what waits by line and key', async () => {
    await query(url, CLUSTER);
    const { stdout } = await qcs('jobs');
    const columns = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    const since = '2026-01-02T03:00:00.000Z';
    const short = expect.stringMatching(/^\d+(\.\d)? (ms|s|min)$/);
    expect(columns).toEqual([
      ['JOB', 'KIND', 'KEY', 'NODE', 'SINCE', 'ATTEMPTS'],
      ['circ_3', 'circuit', 'key-1', 'alpha', since, '1'],
      ['circ_1', 'circuit', 'key-1', 'beta', since, '2'],
      ['circ_2', 'circuit', 'key-2', 'beta', 'not begun', '0'],
      [''],
      ['LINE', 'KEY', 'WAITING', 'LONGEST'],
      ['circuits', 'key-1', '2', short],
      ['circuits', 'key-2', '1', short],
      ['tpu', 'key-1', '1', short],
    ]);
    expect(await json('jobs')).toMatchObject({
      running: [
        { id: 'circ_3', kind: 'circuit', key_id: 'key-1', node: 'alpha', since, attempts: 1 },
        { id: 'circ_1', node: 'beta', attempts: 2 },
        { id: 'circ_2', node: 'beta', since: null, attempts: 0 },
      ],
      waiting: [
        { line: 'circuits', key_id: 'key-1', jobs: 2, longest_wait_s: expect.any(Number) },
        { line: 'circuits', key_id: 'key-2', jobs: 1 },
        { line: 'tpu', key_id: 'key-1', jobs: 1 },
      ],
    });
  });

  test('"jobs" says so where there are none', async () => {
    expect((await qcs('jobs')).stdout).toBe('No node has a job.\nNo job waits for a node.\n');
  });

  test('"drain" and "undrain" change a node once, notify the nodes and are logged', async () => {
    await query(url, CLUSTER);
    const received = await notifications();
    expect((await qcs('drain alpha')).stdout).toBe('Node alpha claims no more jobs.\n');
    expect(await isDraining('alpha')).toBe(true);
    expect(await received()).toEqual(['qcs_cluster ["orders"]']);
    expect((await qcs('drain alpha')).stdout).toBe('Node alpha was draining already.\n');

    expect((await qcs('undrain alpha')).stdout).toBe('Node alpha claims jobs again.\n');
    expect(await isDraining('alpha')).toBe(false);
    expect((await qcs('undrain alpha')).stdout).toBe('Node alpha was not draining.\n');
    expect(await received()).toEqual(['qcs_cluster ["orders"]', 'qcs_cluster ["orders"]']);

    const common = { at: String(NOW), actor: 'command line', subject: 'alpha' };
    expect(await auditOf()).toEqual([
      { ...common, action: 'node.drain_began' },
      { ...common, action: 'node.drain_ended' },
    ]);
  });

  test('"drain" and "undrain" of a stopped node are for its next start', async () => {
    await query(url, CLUSTER);
    expect((await qcs('undrain delta')).stdout).toBe(
      'Node delta will claim jobs when it starts.\n',
    );
    expect((await qcs('drain delta')).stdout).toBe(
      'Node delta is stopped. It will claim no jobs when it starts.\n',
    );
  });

  test('"drain --wait" ends when the node has no job', async () => {
    await query(url, CLUSTER);
    let numSleeps = 0;
    const { code, stdout, stderr } = await qcs('drain beta --wait', {
      async sleep() {
        numSleeps += 1;
        if (numSleeps === 2) await query(url, `DELETE FROM jobs WHERE id = 'circ_2'`);
        if (numSleeps === 4) {
          await query(url, `UPDATE jobs SET status = 'completed' WHERE id = 'circ_1'`);
        }
      },
    });
    expect({ code, stdout, stderr, numSleeps }).toEqual({
      code: 0,
      stdout: 'Node beta was draining already.\nNode beta runs no job.\n',
      stderr: 'Node beta still has 2 jobs.\nNode beta still has 1 job.\n',
      numSleeps: 4,
    });
  });

  test('"drain --wait" prints the node as JSON at the end', async () => {
    await query(url, CLUSTER);
    const { stdout } = await qcs('drain alpha --wait --json', {
      sleep: async () => void (await query(url, `DELETE FROM jobs WHERE owner = 'alpha'`)),
    });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'alpha', state: 'draining', jobs_running: 0 });
  });

  test('Ctrl-C ends "drain --wait", and the node goes on draining', async () => {
    await query(url, CLUSTER);
    let interrupt = () => {};
    const ended = await qcs('drain alpha --wait', {
      onListening: (listener) => {
        interrupt = listener;
      },
      async sleep(_, signal) {
        interrupt();
        signal?.throwIfAborted();
      },
    });
    expect(ended.code).toBe(130);
    expect(await isDraining('alpha')).toBe(true);
  });

  test.each(['drain', 'undrain'])('"%s" of an unknown node names the known ones', async (name) => {
    await query(url, CLUSTER);
    const { code, stdout, stderr } = await qcs(`${name} alpa`);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toBe(
      'There is no node "alpa"; there are alpha, beta, delta, gamma. Did you mean alpha?\n',
    );
    expect(await auditOf()).toEqual([]);
  });

  test('a cluster without nodes says so', async () => {
    const { code, stderr } = await qcs('drain alpha');
    expect([code, stderr]).toEqual([3, 'There is no node "alpha"; there are no nodes yet.\n']);
  });

  test('needs QCS_DATABASE_URL', async () => {
    const { code, stderr } = await qcs('nodes', { environment: { QCS_DATABASE_URL: '' } });
    expect(code).toBe(2);
    expect(stderr).toContain('QCS_DATABASE_URL must name their database');
  });

  test('says so if the server cannot be reached', async () => {
    const environment = { QCS_DATABASE_URL: 'postgres://qcs@127.0.0.1:9/qcs' };
    const { code, stderr } = await qcs('nodes', { environment });
    expect(code).toBe(1);
    expect(stderr).toContain('the server cannot be reached');
  });
});
