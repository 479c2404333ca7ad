import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SqliteIdempotencyStore } from '../../../src/jobs/sqlite-idempotency-store.ts';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { StorageUsage } from '../../../src/storage/storage-space.ts';
import { newJob } from '../../support/jobs.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'usage-'));
  path = join(directory, 'qcs.sqlite');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Text that no compression makes much smaller. */
function noise(length: number): string {
  let state = 1;
  const letters = Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCharCode(33 + ((state >>> 24) % 90));
  });
  return letters.join('');
}

test('counts names and tags with their index entries until the job is deleted', async () => {
  const database = openDatabase(path, 'process-crash');
  const store = new SqliteJobStore(database);
  const usage = new StorageUsage(database);
  const plain = newJob({ keyId: 'a' });
  await store.create(plain);
  const bytes = usage.bytesOf('a');
  const labelled = newJob({ keyId: 'a', name: 'four', tags: ['sevenψ', 'b'] });
  await store.create(labelled);
  expect(usage.bytesOf('a')).toBe(2 * bytes + 3 * 96 + 2 * (4 + 7 + 1));
  await store.transition(labelled.id, 'queued', 'failed', { finishedAt: 1 });
  await store.prune(2);
  expect(usage.bytesOf('a')).toBe(bytes);
  expect(database.prepare('SELECT count(*) AS n FROM job_tags').get()).toEqual({ n: 0 });
  database.close();
});

test('counts requests, results and idempotency keys of each key, also those that are deleted again', async () => {
  let database = openDatabase(path, 'process-crash');
  const store = new SqliteJobStore(database);
  const idempotency = new SqliteIdempotencyStore(database);
  const usage = new StorageUsage(database);
  expect(usage.bytesOf('a')).toBe(0);

  const small = newJob({ keyId: 'a', request: 'x'.repeat(100) });
  await store.create(small);
  expect(usage.bytesOf('a')).toBe(512 + 100);
  await store.transition(small.id, 'queued', 'running');
  await store.transition(small.id, 'running', 'completed', {
    finishedAt: 5,
    result: 'r'.repeat(50),
  });
  expect(usage.bytesOf('a')).toBe(512 + 150);

  const large = newJob({ keyId: 'b', request: noise(100_000) });
  await store.create(large);
  const ofRequest = usage.bytesOf('b');
  expect(ofRequest).toBeGreaterThan(70_000);
  expect(ofRequest).toBeLessThan(101_000);
  await store.transition(large.id, 'queued', 'running');
  await store.transition(large.id, 'running', 'completed', {
    finishedAt: 6,
    result: noise(200_000),
  });
  expect(usage.bytesOf('b')).toBeGreaterThan(ofRequest + 140_000);
  expect(usage.bytesOf('a')).toBe(512 + 150);

  const claim = { keyId: 'a', idempotencyKey: 'k', bodyHash: 'h', jobId: 'circ_9', now: 10 };
  await idempotency.claim(claim);
  await idempotency.settle('a', 'k', 'answer');
  expect(usage.bytesOf('a')).toBe(512 + 150 + 512 + 6);

  const counted = ['a', 'b'].map((key) => usage.bytesOf(key));
  database.close();
  database = openDatabase(path, 'process-crash');
  const again = new StorageUsage(database);
  expect(['a', 'b'].map((key) => again.bytesOf(key))).toEqual(counted);

  await new SqliteJobStore(database).prune(100);
  await new SqliteIdempotencyStore(database).prune(1e12);
  expect(['a', 'b'].map((key) => again.bytesOf(key))).toEqual([0, 0]);
  expect(database.prepare('SELECT count(*) AS n FROM job_contents').get()?.['n']).toBe(0);
  database.close();
});

test('a program of comments takes a hundredth of its text', async () => {
  using database = openDatabase(path, 'process-crash');
  const store = new SqliteJobStore(database);
  const usage = new StorageUsage(database);
  const text = `{"facts":{},"body":{"qasm":"${'// nothing to see here\\n'.repeat(80_000)}"}}`;
  const before = usage.totalBytes;
  const jobs = await Promise.all(
    Array.from({ length: 8 }, () => store.create(newJob({ keyId: 'a', request: text }))),
  );
  expect(usage.bytesOf('a')).toBeLessThan((8 * text.length) / 100);
  expect(usage.totalBytes - before).toBeLessThan((8 * text.length) / 100);
  for (const { id } of jobs) expect((await store.get(id))?.request).toBe(text);
});

test('space of deleted rows is given back to the disk, except for a reserve', async () => {
  using database = openDatabase(path, 'process-crash');
  const store = new SqliteJobStore(database);
  const usage = new StorageUsage(database);
  const result = noise(1_000_000);
  for (let i = 0; i < 8; i++) {
    const { id } = await store.create(newJob());
    await store.transition(id, 'queued', 'running');
    await store.transition(id, 'running', 'completed', { finishedAt: i, result });
  }
  const full = usage.totalBytes;
  await store.prune(100);
  expect(usage.totalBytes).toBeLessThan(full / 10);
  const pages = () => Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
  const before = pages();
  await usage.reclaim(100_000);
  expect(pages()).toBe(before);
  await usage.reclaim(100);
  expect(pages()).toBeLessThan(before / 5);
  expect(database.prepare('PRAGMA integrity_check').get()?.['integrity_check']).toBe('ok');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(statSync(path).size).toBe(pages() * 4096);
});

test('parts of results count with their key until their job goes, or ends without a result', async () => {
  const database = openDatabase(path, 'process-crash');
  const usage = new StorageUsage(database);
  const store = new SqliteJobStore(database);
  const parts = [{ series: 0, from: 0, to: 1, bytes: new Uint8Array(1000) }];
  const job = newJob({ keyId: 'p', request: 'r' });
  await store.create(job);
  const before = usage.bytesOf('p');
  await store.addParts(job.id, parts);
  await store.addParts(job.id, parts);
  expect(usage.bytesOf('p')).toBe(before + 64 + 1000);
  await store.transition(job.id, 'queued', 'cancelled', { finishedAt: 1 });
  expect(usage.bytesOf('p')).toBe(before);
  const done = newJob({ keyId: 'p', request: 'r' });
  await store.create({ ...done, status: 'completed', attempts: 1, finishedAt: 1 }, parts);
  await store.remove(done.id);
  expect(usage.bytesOf('p')).toBe(before);
  database.close();
});
