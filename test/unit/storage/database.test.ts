import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
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

  test('what was stored is there when the file is opened again', async () => {
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

  test('refuses a file of a newer version and leaves it as it is', () => {
    const path = join(directory, 'jobs.sqlite');
    openDatabase(path).exec('PRAGMA user_version = 999');
    expect(() => openDatabase(path)).toThrow('schema version 999');
    expect(() => openDatabase(path)).toThrow('schema version 999');
  });
});
