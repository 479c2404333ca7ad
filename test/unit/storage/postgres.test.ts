// @needs facilities
/** What the stores on PostgreSQL promise when connections are lost, and who may use a database. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PostgresJobStore } from '../../../src/cluster/postgres-job-store.ts';
import { writeAnswerMs } from '../../../src/compose-postgres.ts';
import type { NewJob } from '../../../src/jobs/job.ts';
import { createPostgresAuditLog } from '../../../src/service/audit/audit-log.ts';
import { createPostgresKeyStore } from '../../../src/service/keys/postgres-key-store.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { PostgresUsage } from '../../../src/storage/postgres/usage.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { newJob } from '../../support/jobs.ts';
import {
  type CommitFault,
  type PostgresProxy,
  startPostgresProxy,
} from '../../support/postgres-proxy.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';

const UNWRITABLE = expect.objectContaining({ code: 'STORAGE_UNWRITABLE', retryAfterS: 30 });
/** Crashes of the server of each kind: one would not do, since what goes wrong depends on what was on disk. */
const NUM_CRASHES = 6;
/** Silence after which a connection is given up in these tests. */
const ANSWER_MS = 2000;

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

    /** Writes a job while its COMMIT comes to grief and the server crashes, and starts again and is written to. */
    const createOverCrash = async (fault: CommitFault) => {
      const database = await open();
      const store = new PostgresJobStore(database);
      const job = newJob();
      const broken = proxy.breakNextCommit(fault, 'cut');
      const writing = store.create(job).then(
        () => 'acknowledged',
        (error: unknown) => error,
      );
      await broken;
      await server.crash();
      await server.start();
      // The ids of transactions of which nothing was on disk are given again.
      await query(url, 'CREATE TABLE IF NOT EXISTS others (i int)');
      for (let i = 0; i < 5; i += 1) await query(url, `INSERT INTO others VALUES (${i})`);
      proxy.open();
      const answer = await writing;
      await database.close();
      return { id: job.id, answer };
    };

    test('a commit whose answer is lost when the server crashes is acknowledged, every time', async () => {
      for (let i = 1; i <= NUM_CRASHES; i += 1) {
        const { id, answer } = await createOverCrash('answer lost');
        expect(answer).toBe('acknowledged');
        expect(await idsIn()).toContain(id);
        expect(await idsIn()).toHaveLength(i);
      }
    });

    test('a commit that does not reach a server that crashes is refused, every time', async () => {
      for (let i = 1; i <= NUM_CRASHES; i += 1) {
        expect((await createOverCrash('request lost')).answer).toEqual(UNWRITABLE);
      }
      expect(await idsIn()).toStrictEqual([]);
    });

    test('a connection that falls silent is given up, and its commit is known after', async () => {
      const events: string[] = [];
      const store = new PostgresJobStore(
        await open({ answerMs: ANSWER_MS, onEvent: ({ kind }) => events.push(kind) }),
      );
      const [kept, lost] = [newJob(), newJob()];
      const answered = proxy.breakNextCommit('answer lost', 'silence');
      await Promise.all([answered, store.create(kept)]);
      expect(await idsIn()).toStrictEqual([kept.id]);
      proxy.breakNextCommit('request lost', 'silence');
      await expect(store.create(lost)).rejects.toEqual(UNWRITABLE);
      expect(await idsIn()).toStrictEqual([kept.id]);
      expect(events).toStrictEqual(['lost', 'restored', 'lost', 'restored']);
    });

    test('while the network is silent writes and reads are refused, and go on after', async () => {
      const database = await open({ answerMs: ANSWER_MS });
      const store = new PostgresJobStore(database);
      const job = await store.create(newJob());
      proxy.silence();
      await expect(store.create(newJob())).rejects.toEqual(UNWRITABLE);
      await expect(store.get(job.id)).rejects.toEqual(UNWRITABLE);
      expect(database.writer.isConnected).toBe(false);
      proxy.open();
      await eventually(() => database.writer.isConnected);
      await store.create(newJob());
      expect(await store.get(job.id)).toStrictEqual(job);
      expect(await idsIn()).toHaveLength(2);
    });

    test('a service has about as much patience as a lease lasts', () => {
      const leases = [1000, 5000, 10_000, 60_000];
      expect(leases.map(writeAnswerMs)).toEqual([6000, 6000, 11_000, 15_000]);
    });

    test('a writer may have less patience than readers', async () => {
      const database = await open({ answerMs: 600_000, writeAnswerMs: 500 });
      proxy.silence();
      await expect(new PostgresJobStore(database).create(newJob())).rejects.toEqual(UNWRITABLE);
    });

    test('a migration may take longer than other statements', async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query('SELECT pg_advisory_lock($1, $2)', [0x716373, 1]);
      const opening = open({ role: 'command', answerMs: 500 });
      await eventually(async () =>
        expect(await query(url, 'SELECT FROM pg_locks WHERE NOT granted')).toHaveLength(1),
      );
      const since = performance.now();
      await eventually(() => performance.now() - since > 1000);
      await client.end();
      expect((await opening).writer.isConnected).toBe(true);
    });

    test('reads are refused before the tables are there', async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query('SELECT pg_advisory_lock($1, $2)', [0x716373, 1]);
      const database = new PostgresDatabase({ url: proxied, role: 'service' });
      opened.push(database);
      const opening = database.writer.open();
      await expect(database.read({ text: 'SELECT 1' })).rejects.toEqual(UNWRITABLE);
      await client.end();
      await opening;
      expect(await database.read({ text: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
    });

    test('an idle connection that falls silent is found', async () => {
      const database = await open({ answerMs: ANSWER_MS });
      proxy.silence();
      await eventually(() => expect(database.writer.fault).toEqual(UNWRITABLE));
      proxy.open();
      await eventually(() => database.writer.fault === undefined);
    });

    test('a command whose commit is not answered fails with an error that says that its fate is not known', async () => {
      const store = new PostgresJobStore(await open({ role: 'command' }));
      proxy.breakNextCommit('answer lost');
      await expect(store.create(newJob())).rejects.toMatchObject({
        code: 'STORAGE_UNWRITABLE',
        message: expect.stringContaining('it is not known whether this was stored'),
      });
    });

    test('a service that stops without its database does not wait for it', async () => {
      const database = await open();
      const broken = proxy.breakNextCommit('answer lost', 'cut');
      const writing = expect(new PostgresJobStore(database).create(newJob())).rejects.toThrow(
        'it is not known whether this was stored',
      );
      await broken;
      await database.close();
      await writing;
    });

    test('a mark goes with its process, or a day after', async () => {
      const marks = async () => (await query(url, 'SELECT 1 FROM commits')).length;
      const [first, second] = [await open(), await open({ role: 'command' })];
      expect(await marks()).toBe(2);
      await Promise.all([first, second].map((database) => database.close()));
      expect(await marks()).toBe(0);
      const { writer } = await open();
      await query(
        url,
        `UPDATE commits SET made_at = made_at - interval '2 days';
         INSERT INTO commits VALUES ('young', 1, now()), ('old', 1, now() - interval '2 days')`,
      );
      await open();
      expect(await query(url, 'SELECT writer FROM commits WHERE number = 1')).toStrictEqual([
        { writer: 'young' },
      ]);
      expect(await marks()).toBe(3);

      // Without its mark a process would not know what it has committed.
      await query(url, 'DELETE FROM commits');
      await expect(writer.write((run) => run('SELECT 1'))).rejects.toEqual(UNWRITABLE);
      await eventually(() => writer.write((run) => run('SELECT 1')));
    });

    test('a transaction in which a statement failed is not acknowledged', async () => {
      const { writer } = await open();
      const swallowed = writer.write((run) => run('SELECT 1 / 0').catch(() => 'none'));
      await expect(swallowed).rejects.toThrow('a statement of the transaction failed');
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
    test('several services and commands use it at once', async () => {
      const stores = [await open(), await open(), await open({ role: 'command' })].map(
        (database) => new PostgresJobStore(database),
      );
      const jobs = await Promise.all(stores.map((store) => store.create(newJob())));
      for (const store of stores) {
        expect(await store.list({ limit: 9 })).toHaveLength(jobs.length);
      }
    });

    test('one version newer is used as it is', async () => {
      await (await open({ role: 'command' })).close();
      await query(url, 'UPDATE schema_version SET version = version + 1');
      const before = await query(url, 'SELECT version FROM schema_version');
      await new PostgresJobStore(await open()).create(newJob());
      expect(await query(url, 'SELECT version FROM schema_version')).toStrictEqual(before);
    });

    test('of several processes that come to an empty database one makes the tables', async () => {
      await Promise.all(Array.from({ length: 5 }, () => open({ role: 'command' })));
      expect(await query(url, 'SELECT version FROM schema_version')).toHaveLength(1);
    });

    test.each([
      [
        'a schema two versions newer',
        'UPDATE schema_version SET version = version + 2',
        'this version of the software can use up to',
      ],
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

  test('transactions of two services that wait for each other are both made', async () => {
    const [a, b] = [await open(), await open()];
    const [first, second] = [newJob(), newJob()];
    const store = new PostgresJobStore(a);
    await Promise.all([store.create(first), store.create(second)]);
    let numStarted = 0;
    const both = Promise.withResolvers<void>();
    const update = ({ writer }: PostgresDatabase, ...ids: readonly [string, string]) =>
      writer.write(async (run) => {
        const add = (id: string) =>
          run('UPDATE jobs SET attempts = attempts + 1 WHERE id = $1', [id]);
        await add(ids[0]);
        numStarted += 1;
        if (numStarted === 2) both.resolve();
        await both.promise;
        await add(ids[1]);
      });
    await Promise.all([update(a, first.id, second.id), update(b, second.id, first.id)]);
    // One of the two was ended by the server, and tried again. It can lock its first row before the
    // other one wakes up, and then they wait for each other once more.
    expect(numStarted).toBeGreaterThanOrEqual(3);
    expect(await query(url, 'SELECT DISTINCT attempts::int AS attempts FROM jobs')).toStrictEqual([
      { attempts: 2 },
    ]);
  });

  test('reads that were planned while a table was small do not read the whole of it later', async () => {
    const database = await open();
    const store = new PostgresJobStore(database);
    const [few, many] = [5, 200].map((count) => Array.from({ length: count }, () => newJob()));
    const read = async (jobs: readonly NewJob[] = []) => {
      for (const { id } of jobs) expect(await store.get(id)).toMatchObject({ id });
    };
    await Promise.all((few ?? []).map((job) => store.create(job)));
    // A statement that was sent some times is planned for good.
    await read(few);
    await read(few);
    await Promise.all((many ?? []).map((job) => store.create(job)));
    await read(many);
    // The server counts what connections did when they end.
    await database.close();
    await eventually(async () => {
      const counts = `SELECT seq_scan::int AS scans, seq_tup_read::int AS scanned, idx_scan::int AS found
        FROM pg_stat_user_tables WHERE relname = 'jobs'`;
      const [{ scans, scanned, found } = {}] = await query(url, counts);
      expect(Number(scans) + Number(found)).toBeGreaterThanOrEqual(200);
      expect(scanned).toBeLessThan(200);
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
