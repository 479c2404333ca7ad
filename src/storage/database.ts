/**
 * The embedded SQLite database: one file in the data directory, in write-ahead mode, with every
 * table of every store defined here and versioned by `user_version`.
 *
 * `synchronous = NORMAL` in WAL mode: a committed transaction survives the death of the process at
 * any point (`kill -9`); a power cut may lose the last ones but never corrupts the file. Several
 * processes may open it: `qcs keys create` works while the service runs.
 */
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CannotOpenStorageError } from './errors.ts';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';

/** The database's name inside the data directory. */
export const DATABASE_FILE = 'qcs.sqlite';

/**
 * Entry i brings a database of version i to version i + 1. Never edit one that was released.
 *
 * Tables whose rows hold whole requests and answers keep their rowid: without one, every row would
 * sit inside the B-tree of its key, four to a page.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    key_id TEXT NOT NULL,
    status TEXT NOT NULL,
    priority TEXT NOT NULL,
    target TEXT NOT NULL,
    request TEXT NOT NULL,
    result TEXT,
    error_code TEXT,
    error_message TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX jobs_by_owner ON jobs (key_id, kind, id);
  CREATE INDEX jobs_unfinished ON jobs (kind, id) WHERE status IN ('queued', 'running');
  CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;

  CREATE TABLE idempotency (
    key_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    job_id TEXT NOT NULL,
    claimed_by TEXT NOT NULL,
    response TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)
  ) STRICT;
  CREATE INDEX idempotency_by_age ON idempotency (created_at);

  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    tier TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE maintenance (
    processor_id TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    since INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE maintenance RENAME TO maintenance_of_processors;
  CREATE TABLE maintenance (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    reason TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO maintenance SELECT 'processor', processor_id, reason, since
    FROM maintenance_of_processors;
  DROP TABLE maintenance_of_processors;
  `,
  `
  ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
  `,
];

/**
 * Opens the database, creating the file and its directory and bringing the tables up to date.
 *
 * @param path - A file, or ":memory:" for a database of this process alone.
 * @throws {Error} if the file was written by a newer version of this software.
 */
export function openDatabase(path: string): DatabaseSync {
  try {
    if (path !== ':memory:') {
      makePrivateFolder(dirname(path));
      makePrivateFile(path);
    }
    const database = new DatabaseSync(path);
    database.exec('PRAGMA busy_timeout = 5000');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    migrate(database, path);
    return database;
  } catch (error) {
    throw new CannotOpenStorageError(path, error);
  }
}

function migrate(database: DatabaseSync, path: string): void {
  // IMMEDIATE: of two processes that open a new file at once, the second waits and then finds it done.
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version > MIGRATIONS.length) {
      throw new Error(
        `${path} has schema version ${version}; this version of the software knows up to ${MIGRATIONS.length}.`,
      );
    }
    for (const statements of MIGRATIONS.slice(version)) database.exec(statements);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
