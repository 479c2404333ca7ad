import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { StorageUsage } from '../../../src/storage/storage-space.ts';
import { newJob } from '../../support/jobs.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'database-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('openDatabase', () => {
  test('creates the file and the directories above it, in write-ahead mode', () => {
    using database = openDatabase(join(directory, 'a', 'b', 'jobs.sqlite'));
    expect(database.prepare('PRAGMA journal_mode').get()?.['journal_mode']).toBe('wal');
  });

  test('closes the folder and its files to other users, also those of an earlier version', () => {
    const folder = join(directory, 'data');
    const path = join(folder, 'qcs.sqlite');
    const modes = () =>
      [folder, ...readdirSync(folder).map((name) => join(folder, name))].map(
        (file) => `${basename(file)} ${(statSync(file).mode & 0o777).toString(8)}`,
      );
    const closed = ['data 700', 'qcs.sqlite 600', 'qcs.sqlite-shm 600', 'qcs.sqlite-wal 600'];
    {
      using database = openDatabase(path);
      database.exec('CREATE TABLE a (b)');
      expect(modes()).toEqual(closed);
      for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
      chmodSync(folder, 0o755);
      using again = openDatabase(path);
      again.exec('CREATE TABLE c (d)');
      expect(modes()).toEqual(closed);
    }
  });

  test('leaves a folder that others use as it is', () => {
    writeFileSync(join(directory, 'notes.txt'), '');
    chmodSync(directory, 0o755);
    using database = openDatabase(join(directory, 'qcs.sqlite'));
    expect(database.isOpen).toBe(true);
    expect(statSync(directory).mode & 0o777).toBe(0o755);
    expect(statSync(join(directory, 'qcs.sqlite')).mode & 0o777).toBe(0o600);
  });

  test('stored rows are there when the file is opened again', async () => {
    const path = join(directory, 'jobs.sqlite');
    const job = newJob();
    {
      using database = openDatabase(path);
      await new SqliteJobStore(database).create(job);
    }
    using database = openDatabase(path);
    expect(await new SqliteJobStore(database).get(job.id)).toMatchObject(job);
  });

  test('two connections to one file see what the other has committed', async () => {
    const path = join(directory, 'jobs.sqlite');
    using first = openDatabase(path);
    using second = openDatabase(path);
    const job = newJob();
    await new SqliteJobStore(first).create(job);
    await new SqliteJobStore(second).transition(job.id, 'queued', 'cancelled');
    expect(await new SqliteJobStore(first).get(job.id)).toMatchObject({ status: 'cancelled' });
  });

  test('of a file of the first version, processors stay in maintenance, keys never expire, jobs are above suspicion', () => {
    const path = join(directory, 'jobs.sqlite');
    {
      using first = new DatabaseSync(path);
      first.exec(`
        CREATE TABLE maintenance (
          processor_id TEXT PRIMARY KEY, reason TEXT NOT NULL, since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO maintenance VALUES ('gpu-fleet', 'new fans', 5);
        CREATE TABLE api_keys (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, secret_hash TEXT NOT NULL, tier TEXT NOT NULL,
          scopes TEXT NOT NULL, created_at INTEGER NOT NULL, revoked_at INTEGER
        ) STRICT, WITHOUT ROWID;
        INSERT INTO api_keys VALUES ('a', 'old', '00', 'standard', 'read', 4, NULL);
        CREATE TABLE jobs (
          id TEXT PRIMARY KEY, kind TEXT NOT NULL, key_id TEXT NOT NULL, status TEXT NOT NULL,
          priority TEXT NOT NULL, target TEXT NOT NULL, request TEXT NOT NULL, result TEXT,
          error_code TEXT, error_message TEXT, created_at INTEGER NOT NULL, started_at INTEGER,
          finished_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO jobs VALUES ('circ_1', 'circuit', 'a', 'queued', 'low', 'qvm', '{}', NULL, NULL,
          NULL, 6, NULL, NULL, 1);
        CREATE TABLE idempotency (
          key_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, body_hash TEXT NOT NULL,
          job_id TEXT NOT NULL, claimed_by TEXT NOT NULL, response TEXT, created_at INTEGER NOT NULL,
          PRIMARY KEY (key_id, idempotency_key)
        ) STRICT;
        INSERT INTO idempotency VALUES ('a', 'k', 'h', 'circ_1', 'c', 'answer', 1);
        PRAGMA user_version = 1;`);
    }
    for (let opening = 0; opening < 2; opening++) {
      using database = openDatabase(path);
      expect(database.prepare('SELECT * FROM maintenance').all()).toEqual([
        { kind: 'processor', id: 'gpu-fleet', reason: 'new fans', since: 5 },
      ]);
      expect(database.prepare('SELECT * FROM api_keys').all()).toMatchObject([
        { id: 'a', expires_at: null, revoked_at: null, old_secret_hash: null },
      ]);
      expect(database.prepare('SELECT * FROM jobs').all()).toMatchObject([
        { id: 'circ_1', attempts: 1, suspicion: 0, retry_of: null, name: null, tags: null },
      ]);
      expect(new StorageUsage(database).bytesOf('a')).toBe(2 * 512 + '{}'.length + 'answer'.length);
    }
  });

  test('refuses a file of a newer version without changing it', () => {
    const path = join(directory, 'jobs.sqlite');
    openDatabase(path).exec('PRAGMA user_version = 999');
    expect(() => openDatabase(path)).toThrow('schema version 999');
    expect(() => openDatabase(path)).toThrow('schema version 999');
  });
});
