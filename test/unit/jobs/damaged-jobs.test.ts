/** Rows of the jobs table that cannot be read, written as a damaged file would have them. */
import type { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Job, type JobId, newJobId } from '../../../src/jobs/job.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { SqliteIdempotencyStore } from '../../../src/jobs/sqlite-idempotency-store.ts';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import type { DamagedRecord } from '../../../src/storage/damaged-records.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { newJob, ScriptedHandler } from '../../support/jobs.ts';

let database: DatabaseSync;
let store: SqliteJobStore;
let damaged: DamagedRecord[];

beforeEach(() => {
  database = openDatabase(':memory:');
  damaged = [];
  store = new SqliteJobStore(database, (record) => damaged.push(record));
});

/** Has the row of a job hold something else. */
function damage(id: JobId, set: string): void {
  expect(database.prepare(`UPDATE jobs SET ${set} WHERE id = ?`).run(id).changes).toBe(1);
}

const DAMAGES: readonly (readonly [what: string, set: string])[] = [
  ['its status is "banana"', "status = 'banana'"],
  ['its priority is ""', "priority = ''"],
  ['its created_at is 9000000000000000000', 'created_at = 9000000000000000000'],
  ['its created_at is -1', 'created_at = -1'],
  ['its started_at is 8640000000000001', 'started_at = 8640000000000001'],
  ['its attempts is -1', 'attempts = -1'],
  ['its error_message is no text', "error_code = 'X', error_message = NULL"],
  ['its tags are none', "tags = '[1'"],
  ['its tags are none', "tags = '[1]'"],
];

describe.each(DAMAGES)('a job of which %s', (what, set) => {
  test('fails by itself, and says so', async () => {
    const { id, keyId } = await store.create(newJob());
    damage(id, set);
    await expect(store.get(id)).rejects.toMatchObject({
      code: 'JOBS_DAMAGED',
      what,
      keyId,
      message: `The stored record of job ${id} is damaged: ${what}.`,
    });
  });

  test('is left out of listings, whose pages are full all the same', async () => {
    const ids: JobId[] = [];
    for (let i = 0; i < 9; i++) ids.push((await store.create(newJob())).id);
    const bad = [ids[2], ids[3], ids[4], ids[8]];
    for (const id of bad) damage(id ?? '', set);
    const well = ids.filter((id) => !bad.includes(id));
    const page = async (query: object) =>
      (await store.list({ limit: 3, ...query })).map(({ id }) => id);
    expect(await page({})).toStrictEqual([ids[7], ids[6], ids[5]]);
    const before = { id: ids[5], createdAt: 1000 };
    expect(await page({ before })).toStrictEqual([ids[1], ids[0]]);
    expect(await page({ oldestFirst: true, isBrief: true })).toStrictEqual(well.slice(0, 3));
    expect(await page({ oldestFirst: true, limit: 9 })).toStrictEqual(well);
    expect(new Set(damaged.map((record) => record.id))).toStrictEqual(new Set(bad));
    expect(damaged[0]).toMatchObject({ table: 'jobs', what });
  });

  test('does not stop recovery, is not run, and retention removes it', async () => {
    const before = await store.create(newJob());
    const { id } = await store.create(newJob());
    const after = await store.create(newJob({ kind: 'task' }));
    damage(id, set);
    const handler = new ScriptedHandler();
    const runner = new JobRunner({
      store,
      handlers: { circuit: handler, task: handler },
      now: () => 5000,
      onUnexpectedError: (error) => {
        throw error;
      },
    });
    const isLost = set.includes('status');
    expect(await runner.recover()).toStrictEqual({ requeued: 2, failed: isLost ? 0 : 1 });
    expect(handler.calls.map(({ job }) => job.id)).toStrictEqual([before.id, after.id]);
    expect(await store.prune(5000)).toBe(0);
    expect(await store.prune(5001)).toBe(1);
    expect(await store.get(id)).toBeUndefined();
    await runner.shutdown(0);
  });
});

test('a job of no kind, or whose id is of another, is ended by recovery', async () => {
  const ids = [(await store.create(newJob())).id, (await store.create(newJob())).id];
  damage(ids[0] ?? '', "kind = 'dream'");
  damage(ids[1] ?? '', "kind = 'task'");
  expect(await store.failDamaged(5)).toBe(2);
  const rows = database.prepare('SELECT status, finished_at, error_code FROM jobs').all();
  expect(rows).toEqual(
    Array(2).fill({ status: 'failed', finished_at: 5, error_code: 'JOBS_DAMAGED' }),
  );
  expect(await store.failDamaged(6)).toBe(0);
});

test('an end that is no time is put right, so that retention finds it', async () => {
  const { id } = await store.create(newJob());
  damage(id, "status = 'failed', finished_at = 9000000000000000000");
  await store.failDamaged(5);
  expect(await store.get(id)).toMatchObject({ status: 'failed', finishedAt: 5 });
});

test('a task whose facts cannot be read hinders no recovery: its parent is unknown', async () => {
  const running: Partial<Job> = { status: 'running', attempts: 1, startedAt: 1 };
  const job = await store.create({ ...newJob({ kind: 'task' }), ...running } as Job);
  damage(job.id, "request = '{'");
  const handler = new ScriptedHandler();
  const runner = new JobRunner({
    store,
    handlers: { task: handler },
    now: () => 1,
    onUnexpectedError: () => {},
  });
  expect(await runner.recover()).toStrictEqual({ requeued: 1, failed: 0 });
  await runner.shutdown(0);
});

describe('an idempotency key', () => {
  const request = { keyId: 'k', idempotencyKey: 'once', bodyHash: 'h', now: 10 };

  test('whose stored answer is no JSON is answered from the job, and reported', async () => {
    const keys = new SqliteIdempotencyStore(database, (record) => damaged.push(record));
    const jobId = newJobId('circuit');
    await keys.claim({ ...request, jobId });
    await keys.settle('k', 'once', '{"a":1}');
    const replay = () => keys.claim({ ...request, jobId: newJobId('circuit') });
    expect(await replay()).toEqual({ kind: 'replay', jobId, response: '{"a":1}' });
    database.exec(`UPDATE idempotency SET response = '{"a":'`);
    expect(await replay()).toEqual({ kind: 'replay', jobId });
    expect(damaged).toMatchObject([{ table: 'idempotency', id: 'k "once"' }]);
  });

  test('claimed at a time that is none stands alone, and is pruned', async () => {
    const keys = new SqliteIdempotencyStore(database);
    const jobId = newJobId('circuit');
    await keys.claim({ ...request, jobId });
    await keys.claim({ ...request, idempotencyKey: 'other', jobId });
    database.exec(
      `UPDATE idempotency SET created_at = 9000000000000000000 WHERE idempotency_key = 'once'`,
    );
    expect(await keys.claim({ ...request, jobId: 'x' })).toEqual({ kind: 'replay', jobId });
    expect(await keys.prune(20)).toBe(1);
    expect(await keys.claim({ ...request, jobId: 'x' })).toEqual({ kind: 'claimed' });
    const other = { ...request, idempotencyKey: 'other' };
    expect(await keys.claim({ ...other, jobId: 'x' })).toEqual({ kind: 'replay', jobId });
  });
});

test('a job whose large request cannot be unpacked fails by itself, and is not left queued', async () => {
  const request = `{"facts":{},"body":"${'x'.repeat(10_000)}"}`;
  const well = await store.create(newJob({ request }));
  const { id } = await store.create(newJob({ request }));
  const lost = await store.create(newJob({ request }));
  const set = database.prepare('UPDATE job_contents SET request = ? WHERE job_id = ?');
  set.run(Buffer.from('garbage'), id);
  database.prepare('DELETE FROM job_contents WHERE job_id = ?').run(lost.id);

  const what = 'its request cannot be unpacked';
  for (const job of [id, lost.id]) {
    await expect(store.get(job)).rejects.toMatchObject({ code: 'JOBS_DAMAGED', what });
  }
  expect(await store.list({ limit: 9 })).toStrictEqual([well]);
  expect(new Set(damaged.map((record) => record.id))).toStrictEqual(new Set([id, lost.id]));

  expect(await store.failDamaged(7)).toBe(2);
  const statuses = (await store.list({ limit: 9, isBrief: true })).map((job) => job.status);
  expect(statuses).toStrictEqual(['failed', 'failed', 'queued']);
});
