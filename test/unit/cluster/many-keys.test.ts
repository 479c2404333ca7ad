// @needs facilities
/** Claims from a line in which the jobs of more keys wait than one claim looks at. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JobLines } from '../../../src/cluster/job-lines.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';

const ROOM = {
  line: 'circuit',
  maxJobs: 4,
  maxCostMs: Number.POSITIVE_INFINITY,
  widths: undefined,
};

describeWith(['PostgreSQL'], 'a line of many keys', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());

  // A claim looks at the jobs of 500 keys.
  test.each([8, 550])('gives each of %i keys its turn', async (numKeys) => {
    const url = await server.createDatabase();
    await using stack = new AsyncDisposableStack();
    const database = await PostgresDatabase.open({ url, role: 'service' });
    stack.defer(() => database.close());
    const lines = new JobLines(database);
    await query(
      url,
      `INSERT INTO jobs (id, kind, key_id, status, priority, target, request, created_at, attempts, line, level,
          cost_ms)
        SELECT 'circ_' || lpad(to_hex(i), 12, '0') || '7' || '000' || '8' || lpad('', 15, '0'), 'circuit',
          'key-' || lpad((i % ${numKeys})::text, 3, '0'), 'queued', 'normal', 'x', '{}', 5, 0, 'circuit', 2, 5
        FROM generate_series(1, ${8 * numKeys}) AS i;
      INSERT INTO nodes (name, epoch, process, role, version, is_up)
        VALUES ('a', 1, 'a', 'worker', '1.0.0', true)`,
    );
    const numOfKey = new Map<string, number>();
    let number = 0;
    const newClaim = () => {
      number += 1;
      return { node: 'a', epoch: 1, number };
    };
    // Keys beyond the first windows wait for theirs: twice as many claims as would do if all were looked at.
    for (let i = 0; i < (2 * numKeys) / ROOM.maxJobs; i++) {
      const outcome = await lines.claim(ROOM, newClaim);
      if (outcome === 'busy') throw new Error('nobody else claims');
      expect(outcome.jobs).toHaveLength(ROOM.maxJobs);
      for (const { keyId } of outcome.jobs) numOfKey.set(keyId, (numOfKey.get(keyId) ?? 0) + 1);
    }
    expect(numOfKey.size).toBe(numKeys);
  });

  test('is left as it is by a claim that finds nothing', async () => {
    const url = await server.createDatabase();
    await using stack = new AsyncDisposableStack();
    const database = await PostgresDatabase.open({ url, role: 'command' });
    stack.defer(() => database.close());
    const lines = new JobLines(database);
    const newClaim = () => ({ node: 'a', epoch: 1, number: 1 });
    const claim = () => lines.claim(ROOM, newClaim);
    expect(await claim()).toEqual({ jobs: [], numDamaged: 0, isEmpty: true });
    // A row that is locked names the transaction that did so.
    const written = () =>
      query(url, 'SELECT lines.xmin, lines.xmax, commits.number FROM lines, commits');
    const before = await written();
    expect(before).toHaveLength(1);
    expect(await claim()).toEqual({ jobs: [], numDamaged: 0, isEmpty: true });
    expect(await written()).toEqual(before);
  });

  test('is claimed from by one node at a time', async () => {
    const url = await server.createDatabase();
    await using stack = new AsyncDisposableStack();
    const database = await PostgresDatabase.open({ url, role: 'command' });
    stack.defer(() => database.close());
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    stack.defer(() => other.end());
    const lines = new JobLines(database);
    const claim = () => lines.claim(ROOM, () => ({ node: 'a', epoch: 1, number: 1 }));
    await other.query(`BEGIN; SELECT pg_advisory_xact_lock(7431028, hashtext('circuit'))`);
    expect(await claim()).toBe('busy');
    await other.query('COMMIT');
    expect(await claim()).toMatchObject({ jobs: [] });
  });
});
