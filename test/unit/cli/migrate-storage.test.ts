// @needs facilities
/** `qcs migrate` row by row: odd and damaged rows, a database that stores something else, and what is refused. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PostgresJobStore } from '../../../src/cluster/postgres-job-store.ts';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { DATABASE_FILE, openDatabase } from '../../../src/storage/database.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { openServiceDatabase } from '../../../src/storage/service-lock.ts';
import { runQcs } from '../../support/command-line.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { newJob } from '../../support/jobs.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const ENDED = { status: 'completed', attempts: 1, startedAt: 1100, finishedAt: 1200 } as const;

describeWith(['PostgreSQL'], 'qcs migrate', () => {
  let server: PostgresServer;
  let url: string;
  let folder: ReturnType<typeof temporaryFolder>;
  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
  });
  beforeEach(async () => {
    url = await server.createDatabase();
    folder = temporaryFolder();
    return () => folder[Symbol.dispose]();
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());

  const migrate = (...args: readonly string[]) =>
    runQcs(['migrate', folder.path, ...args], { environment: { QCS_DATABASE_URL: url } });
  const database = () => openDatabase(join(folder.path, DATABASE_FILE));
  const numRows = async (table: string) => (await query(url, `SELECT 1 FROM ${table}`)).length;

  test('jobs are the same in both stores, large ones, odd texts and parts among them', async () => {
    const source = database();
    const before = new SqliteJobStore(source);
    const large = JSON.stringify({ text: 'ü'.repeat(20_000) });
    const jobs = [
      newJob({ createdAt: 3, name: 'x\0y', tags: ['p\0', 'q', ''] }),
      newJob({ createdAt: 2, request: large, retryOf: newJob().id, priority: 'low' }),
      { ...newJob({ createdAt: 1 }), ...ENDED, result: large },
      { ...newJob({ createdAt: 4 }), ...ENDED, request: large, result: large },
      { ...newJob({ createdAt: 5 }), ...ENDED, result: '{"a":"\\u0000"}' },
      {
        ...newJob({ createdAt: 6 }),
        ...ENDED,
        status: 'failed' as const,
        error: { code: 'C', message: 'm\0' },
      },
    ];
    for (const job of jobs) await before.create(job);
    const running = newJob({ createdAt: 7 });
    await before.create(running);
    await before.transition(running.id, 'queued', 'running', {
      startedAt: 8,
      attempts: 2,
      suspicion: 0.1 + 0.2,
    });
    const parts = Array.from({ length: 7 }, (_, i) => ({
      series: i % 2,
      from: i,
      to: i + 1,
      bytes: Buffer.alloc(2 ** 20, i),
    }));
    await before.addParts(running.id, parts);
    const jobsBefore = await Promise.all(jobs.map(({ id }) => before.get(id)));
    const runningBefore = await before.get(running.id);
    source.close();

    const ended = await migrate('--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      rows: { jobs: 7, job_tags: 3, job_parts: 7 },
      jobs_requeued: 1,
    });

    const target = await PostgresDatabase.open({ url, role: 'command' });
    const after = new PostgresJobStore(target);
    // PostgreSQL does not store the character 0.
    const stored = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (_, each) =>
          typeof each === 'string' ? each.replaceAll('\0', '\ufffd') : each,
        ),
      );
    for (const job of jobsBefore) {
      const tags = job?.tags && { tags: job.tags };
      expect(await after.get(job?.id ?? '')).toEqual({ ...stored(job), ...tags });
    }
    const { startedAt, ...queued } = runningBefore ?? {};
    expect(startedAt).toBe(8);
    expect(await after.get(running.id)).toEqual({ ...queued, status: 'queued' });
    const byPlace = [...parts].sort((x, y) => x.series - y.series || x.from - y.from);
    const first = await after.parts(running.id);
    expect([...first, ...(await after.parts(running.id, first.at(-1)))]).toEqual(byPlace);
    expect(await after.list({ limit: 9, tags: ['q'] })).toHaveLength(1);
    await target.close();
    // The oldest is first in a line.
    const places = await query(url, 'SELECT created_at::int AS at FROM jobs ORDER BY place');
    expect(places.map(({ at }) => at)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await query(url, 'SELECT DISTINCT line, owner FROM jobs')).toEqual([
      { line: null, owner: null },
    ]);
  });

  test('the audit log goes on after its last entry, and stays append-only', async () => {
    {
      using source = database();
      const insert = source.prepare('INSERT INTO audit VALUES (?, 1, ?, ?, ?, ?)');
      for (const id of [1, 2, 700]) insert.run(id, 'a', 'key.created', `s\0${id}`, '{}');
    }
    expect((await migrate()).code).toBe(0);
    const append = `INSERT INTO audit (at, actor, action, subject, details) VALUES (1, 'a', 'b', 'c', '{}')`;
    const [next] = await query(url, `${append} RETURNING id::int`);
    expect(next).toEqual({ id: 701 });
    expect(await query(url, 'SELECT subject FROM audit WHERE id = 2')).toEqual([
      { subject: 's\ufffd2' },
    ]);
    await expect(query(url, 'DELETE FROM audit')).rejects.toThrow('append-only');
  });

  test('damaged jobs are left out by name, with their tags and parts', async () => {
    const source = database();
    const store = new SqliteJobStore(source);
    const large = 'x'.repeat(10_000);
    const jobs = [newJob(), newJob({ tags: ['t'] }), newJob({ request: large }), newJob()];
    for (const job of jobs) await store.create(job);
    const [good, lost, emptied, late] = jobs.map(({ id }) => id);
    const part = { series: 0, from: 0, to: 1, bytes: new Uint8Array(9) };
    await store.addParts(lost ?? '', [part]);
    source.prepare(`UPDATE jobs SET status = 'lost' WHERE id = ?`).run(lost ?? '');
    source.prepare('UPDATE job_contents SET request = NULL WHERE job_id = ?').run(emptied ?? '');
    source.prepare('UPDATE jobs SET created_at = -1 WHERE id = ?').run(late ?? '');
    // Rows of no job at all.
    source.exec(`INSERT INTO job_tags VALUES ('k', 'circuit', 't', 1, 'none')`);
    source.close();

    const { code, stdout, stderr } = await migrate();
    expect(code).toBe(0);
    expect(stdout).toContain('\n  jobs: 1 rows\n  job_tags: 0 rows\n  job_parts: 0 rows\n');
    expect(stdout).toContain('Damaged jobs that were left out: 3.');
    expect(stderr.trim().split('\n').sort()).toEqual(
      [
        `warning: job ${lost} is damaged and left out: its status is "lost".`,
        `warning: job ${emptied} is damaged and left out: its request is missing.`,
        `warning: job ${late} is damaged and left out: its created_at is -1.`,
      ].sort(),
    );
    expect(await query(url, 'SELECT id FROM jobs')).toEqual([{ id: good }]);
  });

  test('nothing is copied if PostgreSQL stores something else than was sent', async () => {
    {
      using source = database();
      const store = new SqliteJobStore(source);
      for (let i = 0; i < 3; i += 1) await store.create(newJob({ request: 'r'.repeat(9000) }));
    }
    await (await PostgresDatabase.open({ url, role: 'command' })).close();
    const changing = async (body: string) => {
      await query(
        url,
        `CREATE OR REPLACE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
         CREATE OR REPLACE TRIGGER changed BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION changed()`,
      );
      const { code, stderr } = await migrate();
      expect(code).toBe(1);
      expect(await numRows('jobs')).toBe(0);
      return stderr;
    };
    const shortened = `NEW.large_request = substr(NEW.large_request, 2); RETURN NEW;`;
    expect(await changing(shortened)).toContain('the table jobs otherwise than sent: 3 rows, with');
    const dropped = `IF NEW.place % 2 = 0 THEN RETURN NULL; END IF; RETURN NEW;`;
    expect(await changing(dropped)).toMatch(
      /the table jobs otherwise than sent: [12] rows instead of 3/,
    );
    await query(url, 'DROP TRIGGER changed ON jobs');
    expect((await migrate()).code).toBe(0);
    expect(await numRows('jobs')).toBe(3);
  });

  test('a table of many rows comes in groups and pages', async () => {
    {
      using source = database();
      source.exec(`INSERT INTO idempotency
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
        SELECT 'k' || i % 7, 'key ' || i, 'h', 'circ_' || i, 'c', iif(i % 2, '{"i":' || i || '}', NULL), i FROM n`);
    }
    expect(await migrate()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('idempotency: 2500 rows'),
    });
    const [sum] = await query(url, 'SELECT sum(created_at)::int AS sum FROM idempotency');
    expect(sum).toEqual({ sum: (2500 * 2501) / 2 });
  });

  test('a target that is used, a source that is used, and none of either are refused', async () => {
    {
      using source = database();
      await new SqliteJobStore(source).create(newJob());
    }
    {
      using _service = openServiceDatabase(folder.path, 'power-loss');
      expect(await migrate()).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Another service runs on the data directory'),
      });
    }
    const target = await PostgresDatabase.open({ url, role: 'command' });
    await new PostgresJobStore(target).create(newJob());
    await target.close();
    expect(await migrate()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('its table jobs has rows. Nothing was copied.'),
    });
    expect(await numRows('jobs')).toBe(1);

    const without = { environment: { QCS_DATABASE_URL: undefined } };
    expect(await runQcs(['migrate', folder.path], without)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('QCS_DATABASE_URL must name one that is empty'),
    });
    const nowhere = { environment: { QCS_DATABASE_URL: url } };
    expect(await runQcs(['migrate', join(folder.path, 'none')], nowhere)).toMatchObject({
      code: 3,
    });
  });

  test('the source stays as it is', async () => {
    const path = join(folder.path, DATABASE_FILE);
    {
      using source = database();
      const store = new SqliteJobStore(source);
      const { id } = await store.create(newJob());
      await store.transition(id, 'queued', 'running', { startedAt: 5 });
    }
    cpSync(path, `${path}.before`);
    expect((await migrate()).code).toBe(0);
    const rows = (file: string) => {
      using read = new DatabaseSync(file);
      return read.prepare('SELECT * FROM jobs').all();
    };
    expect(rows(path)).toEqual(rows(`${path}.before`));
    expect(await query(url, 'SELECT status FROM jobs')).toEqual([{ status: 'queued' }]);
  });
});
