/**
 * The embedded SQLite database: one file in the data directory, in write-ahead mode. The tables of every
 * store are defined here and versioned by `user_version`.
 *
 * A committed transaction survives the death of the process at any point (`kill -9`), and by default a power
 * cut. Several processes may open the file: `qcs keys create` works while the service runs.
 */
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CodedError } from '../errors/coded-error.ts';
import { CannotOpenStorageError, DatabaseDamagedError } from './errors.ts';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';
import { checkFiles, checkpointLog } from './write-ahead-log.ts';

/** Name of the database file in the data directory. */
export const DATABASE_FILE = 'qcs.sqlite';

/**
 * Migrations: entry i brings a database from version i to version i + 1. Never edit a released one.
 *
 * Tables whose rows hold whole requests and answers keep their rowid: without one, every row would sit inside
 * the B-tree of its key, four to a page.
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
  // REPLACE deletes a row without firing its delete trigger, hence the third trigger.
  `
  ALTER TABLE api_keys ADD COLUMN old_secret_hash TEXT;
  ALTER TABLE api_keys ADD COLUMN old_secret_until INTEGER;

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit
    WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  `,
  `
  CREATE TABLE service (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    lock_file TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE jobs ADD COLUMN suspicion REAL NOT NULL DEFAULT 0;
  ALTER TABLE jobs ADD COLUMN retry_of TEXT;
  `,
  // Index of damaged rows. It is empty, and costs nothing, as long as there are none.
  `
  CREATE INDEX jobs_lost ON jobs (created_at)
    WHERE finished_at IS NULL AND status NOT IN ('queued', 'running');
  `,
  // Bytes stored by key. Triggers keep the count, so no writer can forget it; a row counts with its index
  // entries.
  `
  ALTER TABLE jobs ADD COLUMN contents INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE job_contents (
    job_id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    request BLOB,
    result BLOB
  ) STRICT;
  CREATE TABLE storage_usage (
    key_id TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO storage_usage SELECT key_id, sum(bytes) FROM (
    SELECT key_id, 512 + octet_length(request) + coalesce(octet_length(result), 0) AS bytes FROM jobs
    UNION ALL
    SELECT key_id, 512 + coalesce(octet_length(response), 0) FROM idempotency
  ) GROUP BY key_id;

  CREATE TRIGGER jobs_inserted AFTER INSERT ON jobs BEGIN
    INSERT INTO storage_usage
      VALUES (NEW.key_id, 512 + octet_length(NEW.request) + coalesce(octet_length(NEW.result), 0))
      ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER jobs_updated AFTER UPDATE OF result ON jobs
    WHEN octet_length(NEW.result) IS NOT octet_length(OLD.result) BEGIN
    UPDATE storage_usage SET bytes = bytes
      + coalesce(octet_length(NEW.result), 0) - coalesce(octet_length(OLD.result), 0)
      WHERE key_id = NEW.key_id;
  END;
  CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs BEGIN
    UPDATE storage_usage SET bytes = bytes
      - 512 - octet_length(OLD.request) - coalesce(octet_length(OLD.result), 0)
      WHERE key_id = OLD.key_id;
    DELETE FROM job_contents WHERE OLD.contents <> 0 AND job_id = OLD.id;
  END;

  CREATE TRIGGER job_contents_inserted AFTER INSERT ON job_contents BEGIN
    UPDATE storage_usage SET bytes = bytes
      + coalesce(octet_length(NEW.request), 0) + coalesce(octet_length(NEW.result), 0)
      WHERE key_id = NEW.key_id;
  END;
  CREATE TRIGGER job_contents_updated AFTER UPDATE ON job_contents BEGIN
    UPDATE storage_usage SET bytes = bytes
      + coalesce(octet_length(NEW.result), 0) - coalesce(octet_length(OLD.result), 0)
      WHERE key_id = NEW.key_id;
  END;
  CREATE TRIGGER job_contents_deleted AFTER DELETE ON job_contents BEGIN
    UPDATE storage_usage SET bytes = bytes
      - coalesce(octet_length(OLD.request), 0) - coalesce(octet_length(OLD.result), 0)
      WHERE key_id = OLD.key_id;
  END;

  CREATE TRIGGER idempotency_inserted AFTER INSERT ON idempotency BEGIN
    INSERT INTO storage_usage VALUES (NEW.key_id, 512 + coalesce(octet_length(NEW.response), 0))
      ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER idempotency_updated AFTER UPDATE OF response ON idempotency BEGIN
    UPDATE storage_usage SET bytes = bytes
      + coalesce(octet_length(NEW.response), 0) - coalesce(octet_length(OLD.response), 0)
      WHERE key_id = NEW.key_id;
  END;
  CREATE TRIGGER idempotency_deleted AFTER DELETE ON idempotency BEGIN
    UPDATE storage_usage SET bytes = bytes - 512 - coalesce(octet_length(OLD.response), 0)
      WHERE key_id = OLD.key_id;
  END;
  `,
  // Names and tags of jobs, and listings by them, by status and by time. Each index ends in the order of a
  // listing, so that a page of one filter is a range of it. A name or tag counts its own text and an index
  // entry of 96 bytes. Damaged tags do not keep their row from being deleted.
  `
  ALTER TABLE jobs ADD COLUMN name TEXT;
  ALTER TABLE jobs ADD COLUMN tags TEXT;
  CREATE TABLE job_tags (
    key_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    tag TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    PRIMARY KEY (key_id, kind, tag, created_at, job_id)
  ) STRICT, WITHOUT ROWID;
  DROP INDEX IF EXISTS jobs_by_owner;
  DROP INDEX IF EXISTS jobs_unfinished;
  CREATE INDEX jobs_by_owner ON jobs (key_id, kind, created_at, id);
  CREATE INDEX jobs_by_status ON jobs (key_id, kind, status, created_at, id);
  CREATE INDEX jobs_by_name ON jobs (key_id, kind, name, created_at, id) WHERE name IS NOT NULL;
  CREATE INDEX jobs_unfinished ON jobs (kind, created_at, id) WHERE status IN ('queued', 'running');

  CREATE TRIGGER jobs_named AFTER INSERT ON jobs WHEN NEW.name IS NOT NULL BEGIN
    INSERT INTO storage_usage VALUES (NEW.key_id, 96 + 2 * octet_length(NEW.name))
      ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER jobs_named_deleted AFTER DELETE ON jobs WHEN OLD.name IS NOT NULL BEGIN
    UPDATE storage_usage SET bytes = bytes - 96 - 2 * octet_length(OLD.name)
      WHERE key_id = OLD.key_id;
  END;
  CREATE TRIGGER jobs_tagged AFTER INSERT ON jobs WHEN NEW.tags IS NOT NULL BEGIN
    INSERT OR IGNORE INTO job_tags
      SELECT NEW.key_id, NEW.kind, value, NEW.created_at, NEW.id FROM json_each(NEW.tags);
  END;
  CREATE TRIGGER jobs_tagged_deleted AFTER DELETE ON jobs WHEN json_valid(OLD.tags) BEGIN
    DELETE FROM job_tags WHERE key_id = OLD.key_id AND kind = OLD.kind
      AND tag IN (SELECT value FROM json_each(OLD.tags))
      AND created_at = OLD.created_at AND job_id = OLD.id;
  END;
  CREATE TRIGGER job_tags_inserted AFTER INSERT ON job_tags BEGIN
    INSERT INTO storage_usage VALUES (NEW.key_id, 96 + 2 * octet_length(NEW.tag))
      ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER job_tags_deleted AFTER DELETE ON job_tags BEGIN
    UPDATE storage_usage SET bytes = bytes - 96 - 2 * octet_length(OLD.tag)
      WHERE key_id = OLD.key_id;
  END;
  `,
  // Parts of the results of jobs. A part counts its bytes and 64 for its row and index entry. The parts of a job
  // that failed or was cancelled are of no use.
  `
  CREATE TABLE job_parts (
    job_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    series INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    data BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX job_parts_in_order ON job_parts (job_id, series, start, end);

  CREATE TRIGGER job_parts_inserted AFTER INSERT ON job_parts BEGIN
    UPDATE storage_usage SET bytes = bytes + 64 + octet_length(NEW.data) WHERE key_id = NEW.key_id;
  END;
  CREATE TRIGGER job_parts_deleted AFTER DELETE ON job_parts BEGIN
    UPDATE storage_usage SET bytes = bytes - 64 - octet_length(OLD.data) WHERE key_id = OLD.key_id;
  END;
  CREATE TRIGGER jobs_with_parts_deleted AFTER DELETE ON jobs BEGIN
    DELETE FROM job_parts WHERE job_id = OLD.id;
  END;
  CREATE TRIGGER jobs_with_parts_ended AFTER UPDATE OF status ON jobs
    WHEN NEW.status IN ('failed', 'cancelled') BEGIN
    DELETE FROM job_parts WHERE job_id = NEW.id;
  END;
  `,
  // Sessions of IonQ's interface. A job of a session has its id as a tag.
  `
  CREATE TABLE ionq_sessions (
    id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    backend TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    ends_at INTEGER,
    jobs_left INTEGER
  ) STRICT;
  CREATE INDEX ionq_sessions_by_owner ON ionq_sessions (key_id, created_at);
  `,
];

/** Schema version of this software. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Databases up to this size are checked each time they are opened, which takes 0.6 s a GiB. */
const CHECK_UP_TO_BYTES = 256 * 2 ** 20;

/** SQLite's result codes for a damaged file and for a file that is not a database. */
const DAMAGED_CODES: readonly unknown[] = [11, 26];

/**
 * Events that a commit survives: a power cut, for which it waits until the data is on disk, or only the end
 * of the process, `kill -9` included. Neither leaves a damaged file.
 */
export type Durability = 'power-loss' | 'process-crash';

/** Connections that this process opened last, by path. */
const openedHere = new Map<string, DatabaseSync>();

/**
 * Opens the database, creating its file and folder where they are missing, and migrates the tables.
 *
 * @param path - A file, or ":memory:" for a database of this process alone.
 * @throws {DatabaseMissingError} if the database file of an existing installation is gone.
 * @throws {DatabaseDamagedError} if the file is damaged.
 * @throws {LogLostError} if committed transactions are lost with the write-ahead log.
 * @throws {CannotOpenStorageError} if it cannot be opened for another reason, or has a newer schema.
 */
export function openDatabase(path: string, durability: Durability = 'power-loss'): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') {
      makePrivateFolder(dirname(path));
      if (!openedHere.get(path)?.isOpen) checkFiles(path);
      makePrivateFile(path);
    }
    database = new DatabaseSync(path);
    prepare(database, path, durability);
    openedHere.set(path, database);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof CodedError) throw error;
    if (error instanceof Error && 'errcode' in error && DAMAGED_CODES.includes(error.errcode)) {
      throw new DatabaseDamagedError(path, error.message, { cause: error });
    }
    throw new CannotOpenStorageError(path, error);
  }
}

function prepare(database: DatabaseSync, path: string, durability: Durability): void {
  database.exec('PRAGMA busy_timeout = 5000');
  // Affects new files only, like all settings of the file format.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${durability === 'power-loss' ? 'FULL' : 'NORMAL'}`);
  // GroupCommit runs the checkpoints; this limit is for connections that write past it.
  database.exec('PRAGMA wal_autocheckpoint = 10000');
  database.exec(`PRAGMA journal_size_limit = ${16 * 2 ** 20}`);
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  if (Number(pragma('page_count')) * Number(pragma('page_size')) <= CHECK_UP_TO_BYTES) {
    const found = pragma('quick_check(1)');
    if (found !== 'ok') throw new DatabaseDamagedError(path, String(found).replace(/\s+/g, ' '));
  }
  migrate(database, path);
  if (path !== ':memory:') checkpointLog(database);
}

function migrate(database: DatabaseSync, path: string): void {
  // IMMEDIATE: of two processes that open a new file at once, the second waits and then finds it migrated.
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
