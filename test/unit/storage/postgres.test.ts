// @needs facilities
/** What the stores on PostgreSQL promise when connections are lost, and who may use a database. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PostgresJobStore } from '../../../src/jobs/postgres-job-store.ts';
import { createPostgresAuditLog } from '../../../src/service/audit/postgres-audit-log.ts';
import { createPostgresKeyStore } from '../../../src/service/keys/postgres-key-store.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { PostgresUsage } from '../../../src/storage/postgres/usage.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { newJob } from '../../support/jobs.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';

const UNWRITABLE = expect.objectContaining({ code: 'STORAGE_UNWRITABLE', retryAfterS: 30 });

describeWith(['PostgreSQL'], 'a database in PostgreSQL', () => {
  let server: PostgresServer;
  let proxy: PostgresProxy;
  /** Of a new database for each test; directly, and through the proxy. */
  let url: string;
  let proxied: string;
  const opened: PostgresDatabase[] = [];

  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
    proxy = await startPostgresProxy(server.port);
  });
  beforeEach(async () => {
    proxy.open();
    url = await server.createDatabase();
    proxied = url.replace(`:${server.port}/`, `:${proxy.port}/`);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const open = async (
    options: Partial<Parameters<typeof PostgresDatabase.open>[0]> = {},
  ): Promise<PostgresDatabase> => {
    const database = await PostgresDatabase.open({ url: proxied, role: 'service', ...options });
    opened.push(database);
    return database;
  };
  const idsIn = async () =>
    (await query(url, 'SELECT id FROM jobs ORDER BY id')).map(({ id }) => id);

  describe('a lost connection', () => {
    test('a commit whose answer is lost is acknowledged once it is known, and not made twice', async () => {
      const store = new PostgresJobStore(await open());
      const [first, second] = [newJob(), newJob()];
      proxy.breakNextCommit('answer lost');
      const [created] = await Promise.all([store.create(first), store.create(second)]);
      expect(created).toMatchObject({ id: first.id, status: 'queued' });
      expect(await idsIn()).toStrictEqual([first.id, second.id]);

      proxy.breakNextCommit('answer lost');
      const moved = await store.transition(first.id, 'queued', 'running', { attempts: 1 });
      expect(moved).toMatchObject({ status: 'running', attempts: 1 });
      expect(await store.get(first.id)).toStrictEqual(moved);
    });

    test('a commit that did not reach the server is refused, and nothing of it is stored', async () => {
      const events: string[] = [];
      const store = new PostgresJobStore(await open({ onEvent: ({ kind }) => events.push(kind) }));
      const job = newJob();
      proxy.breakNextCommit('request lost');
      await expect(store.create(job)).rejects.toEqual(UNWRITABLE);
      expect(await idsIn()).toStrictEqual([]);
      await eventually(() => store.create(job));
      expect(await idsIn()).toStrictEqual([job.id]);
      expect(events).toStrictEqual(['lost', 'restored']);
    });

    test('without a server writes and reads are refused at once, and the fault goes with the outage', async () => {
      const events: string[] = [];
      const database = await open({ onEvent: ({ kind }) => events.push(kind) });
      const store = new PostgresJobStore(database);
      proxy.cut();
      await eventually(() => expect(database.writer.fault).toEqual(UNWRITABLE));
      await expect(store.create(newJob())).rejects.toEqual(UNWRITABLE);
      await expect(store.get('circ_0')).rejects.toEqual(UNWRITABLE);
      proxy.open();
      await eventually(() => database.writer.fault === undefined);
      await store.create(newJob());
      expect(await idsIn()).toHaveLength(1);
      expect(events).toStrictEqual(['lost', 'restored']);
    });

    test('a server that is not there at first is used once it is', async () => {
      proxy.cut();
      const database = await open();
      const store = new PostgresJobStore(database);
      await expect(store.list({ limit: 1 })).rejects.toEqual(UNWRITABLE);
      proxy.open();
      await eventually(() => database.writer.isConnected);
      expect(await store.list({ limit: 1 })).toStrictEqual([]);
    });

    test('a server that crashes loses nothing that was acknowledged', async () => {
      const database = await open();
      const store = new PostgresJobStore(database);
      const acknowledged: string[] = [];
      const writing = Promise.allSettled(
        Array.from({ length: 200 }, async (_, i) => {
          await new Promise((resolve) => setTimeout(resolve, i));
          acknowledged.push((await store.create(newJob())).id);
        }),
      );
      await eventually(() => acknowledged.length > 20);
      await server.crash();
      await server.start();
      await writing;
      expect(await idsIn()).toStrictEqual(acknowledged.sort());
    });
  });

  describe('who may use a database', () => {
    test('a second service is refused, and a command is not', async () => {
      const first = await open();
      await expect(open()).rejects.toMatchObject({
        code: 'STORAGE_DATABASE_IN_USE',
        message: expect.stringContaining('Several nodes on one database are not supported yet'),
      });
      await open({ role: 'command' });
      await first.close();
      await open();
    });

    test('a service that another one followed during its outage writes no more', async () => {
      const store = new PostgresJobStore(await open());
      const job = await store.create(newJob());
      proxy.cut();
      await eventually(() => open({ url }));
      await Promise.all(opened.splice(1).map((database) => database.close()));
      proxy.open();
      const [first] = opened;
      await eventually(() => expect(String(first?.writer.fault)).toContain('restart it'));
      await expect(store.transition(job.id, 'queued', 'running')).rejects.toEqual(UNWRITABLE);
      expect(await query(url, 'SELECT status FROM jobs')).toStrictEqual([{ status: 'queued' }]);
    });

    test('of several processes that come to an empty database one makes the tables', async () => {
      await Promise.all(Array.from({ length: 5 }, () => open({ role: 'command' })));
      expect(await query(url, 'SELECT version FROM schema_version')).toHaveLength(1);
    });

    test.each([
      ['a newer schema', 'UPDATE schema_version SET version = 9999', 'schema version 9999'],
      ['no such database', undefined, 'does not exist'],
    ])('%s is refused with the reason', async (_, change, reason) => {
      await (await open({ role: 'command' })).close();
      if (change !== undefined) await query(url, change);
      const to = change === undefined ? `${url}_none` : url;
      await expect(open({ url: to })).rejects.toMatchObject({
        code: 'STORAGE_CANNOT_OPEN',
        message: expect.stringContaining(reason),
      });
    });

    test('an encoding other than UTF-8 is refused', async () => {
      const latin = await server.createDatabase(
        `TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`,
      );
      await expect(open({ url: latin })).rejects.toThrow('its encoding is SQL_ASCII, not UTF8');
    });
  });

  test('a row that the database refuses fails alone among those written with it', async () => {
    const store = new PostgresJobStore(await open());
    const jobs = [newJob(), newJob({ createdAt: -1 }), newJob()];
    const written = await Promise.allSettled(jobs.map((job) => store.create(job)));
    expect(written.map(({ status }) => status)).toStrictEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await idsIn()).toStrictEqual([jobs[0]?.id, jobs[2]?.id]);
  });

  test('a character that PostgreSQL does not store does not keep a job from being stored', async () => {
    const store = new PostgresJobStore(await open());
    const { id } = await store.create(newJob({ keyId: 'a', name: 'x\0y', tags: ['p\0'] }));
    expect(await store.get(id)).toMatchObject({ name: 'x\ufffdy' });
  });

  test('the bytes of a key go up and down with what it has stored', async () => {
    const database = await open();
    const usage = new PostgresUsage(database);
    const bytes = async () => {
      await usage.read();
      return usage.bytesOf('a');
    };
    const store = new PostgresJobStore(database);
    const job = newJob({ keyId: 'a', name: 'Bell', tags: ['p', 'q'], request: 'r'.repeat(100) });
    await store.create(job);
    const queued = await bytes();
    expect(queued).toBe(512 + 100 + (96 + 8) + 2 * (96 + 2));
    await store.addParts(job.id, [{ series: 0, from: 0, to: 1, bytes: new Uint8Array(1000) }]);
    expect(await bytes()).toBe(queued + 64 + 1000);
    await store.transition(job.id, 'queued', 'running');
    expect(await bytes()).toBe(queued + 64 + 1000);
    await store.transition(job.id, 'running', 'completed', { result: 'x'.repeat(50) });
    expect(await bytes()).toBe(queued + 64 + 1000 + 50);
    expect(usage.totalBytes).toBe(queued + 64 + 1000 + 50);
    await store.remove(job.id);
    expect(await bytes()).toBe(0);
    usage.close();
  });

  test('damaged unfinished jobs are ended, and reported', async () => {
    const damaged: string[] = [];
    const store = new PostgresJobStore(await open(), ({ id }) => damaged.push(id));
    const [bad, torn, good] = [newJob(), newJob({ request: 'r'.repeat(10_000) }), newJob()];
    for (const job of [bad, torn, good]) await store.create(job);
    await query(url, `UPDATE jobs SET kind = 'unknown' WHERE id = '${bad.id}'`);
    await query(url, `UPDATE jobs SET large_request = 'torn' WHERE id = '${torn.id}'`);
    expect(await store.failDamaged(5000)).toBe(2);
    expect(damaged.sort()).toStrictEqual([bad.id, torn.id].sort());
    const rows = await query(url, `SELECT id FROM jobs WHERE status = 'failed' ORDER BY id`);
    expect(rows.map(({ id }) => id)).toStrictEqual([bad.id, torn.id].sort());
    expect(await store.get(good.id)).toMatchObject({ status: 'queued' });
  });

  test('finished jobs are deleted by age, and unfinished ones never', async () => {
    const store = new PostgresJobStore(await open());
    const ended = { status: 'failed', attempts: 1, error: { code: 'C', message: 'm' } } as const;
    const jobs = [1, 2, 3, 4].map((finishedAt) => ({ ...newJob(), ...ended, finishedAt }));
    for (const job of [...jobs, newJob()]) await store.create(job);
    expect(await store.prune(4, 2)).toBe(3);
    expect(await idsIn()).toHaveLength(2);
  });

  test('a key that another process revokes is refused, and the log cannot be changed', async () => {
    const database = await open();
    const keys = createPostgresKeyStore(database);
    const elsewhere = createPostgresKeyStore(await open({ role: 'command' }));
    const given = { name: 'k', tier: 'standard', scopes: ['read'], createdAt: 1 } as const;
    const { key, text } = await keys.create(given, 'test');
    expect(await keys.find(text)).toMatchObject({ id: key.id });
    await elsewhere.revoke(key.id, { actor: 'test', at: 2 });
    await eventually(async () => (await keys.find(text)) === undefined);
    await expect(
      keys.change(key.id, { name: 'l' }, { actor: 'test', at: 3 }),
    ).rejects.toMatchObject({
      code: 'SERVICE_KEY_REVOKED',
    });
    const audit = createPostgresAuditLog(database, () => {});
    const entries = await audit.list({ limit: 9 });
    expect(entries.map(({ action }) => action)).toStrictEqual(['key.revoked', 'key.created']);
    await expect(query(url, 'DELETE FROM audit')).rejects.toThrow('append-only');
  });
});
