/**
 * Backs up a database while a service writes to it, restores backups, and checks databases.
 *
 * A backup is one file. VACUUM INTO makes it within one read transaction, so it is consistent and writers go
 * on. SQLite's page-by-page backup was not taken: it begins again whenever another process writes in between,
 * and under load never ends. Backups and restored databases appear under their names complete, by `link` and
 * `rename`.
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { DATABASE_FILE, openDatabase, SCHEMA_VERSION } from './database.ts';
import {
  BackupExistsError,
  DatabaseDamagedError,
  DatabaseMissingError,
  DataDirectoryInUseError,
  LogLostError,
} from './errors.ts';
import { hasCode, makePrivateFile } from './private-files.ts';
import { lockDataDirectory, requireSoleUse } from './service-lock.ts';
import { checkFiles, declareWhole, leaveMarker } from './write-ahead-log.ts';

/** Result of checking a database. */
export interface Inspection {
  /** Size of the database file, without its write-ahead log. */
  readonly bytes: number;
  readonly schemaVersion: number;
  /** Readable rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Problems found, one a line. */
  readonly faults: readonly string[];
}

/**
 * Writes a backup of a database, which others may use meanwhile.
 *
 * @param target - Path of the backup; the file gets mode 0600.
 * @throws {BackupExistsError} if the target exists; it is not touched.
 * @throws as `openDatabase`, and {DatabaseDamagedError} if the copy has faults.
 */
export function backUp(path: string, target: string): void {
  if (exists(target)) throw new BackupExistsError(target);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    {
      using database = openDatabase(path);
      makePrivateFile(partial);
      // Gives the copy the setting that returns free pages to the disk, which files of old versions lack.
      database.exec('PRAGMA auto_vacuum = INCREMENTAL');
      database.prepare('VACUUM INTO ?').run(partial);
    }
    makeWhole(partial);
    requireNoFaults(partial);
    linkSync(partial, target);
    syncToDisk(dirname(target));
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? new BackupExistsError(target) : error;
  } finally {
    rmSync(partial, { force: true });
  }
}

/**
 * Replaces a data directory's database by a backup, and keeps the old one aside.
 *
 * A restore that is killed leaves the old database, the new one, or a database whose log was moved aside
 * already. The service refuses to start with the last, and the restore can be run again.
 *
 * @param backup - A file that `backUp` wrote, or a database file with its log beside it.
 * @param suffix - Suffix of the file that keeps the old database.
 * @returns Path of that file; undefined if there was no database.
 * @throws {DataDirectoryInUseError} if a service or a command has the database open.
 * @throws {DatabaseDamagedError | LogLostError} if the backup has faults; nothing is replaced then.
 */
export async function restore(
  folder: string,
  backup: string,
  suffix: string,
): Promise<string | undefined> {
  using _lock = lockDataDirectory(folder);
  const path = join(folder, DATABASE_FILE);
  requireUnused(path, folder);

  const restored = `${path}.restored`;
  const remains = ['', '-wal', '-shm'].map((part) => restored + part);
  for (const file of remains) rmSync(file, { force: true });
  try {
    checkFiles(backup);
    for (const part of ['', '-wal'].filter((each) => exists(backup + each))) {
      makePrivateFile(restored + part);
      await copyFile(backup + part, restored + part);
    }
    requireNoFaults(restored, backup);
    makeWhole(restored);
  } catch (error) {
    for (const file of remains) rmSync(file, { force: true });
    throw error;
  }

  const aside = exists(path) ? `${path}.${suffix}` : undefined;
  if (aside !== undefined) linkSync(path, aside);
  // The old log goes first: SQLite would apply it to the new database.
  if (exists(`${path}-wal`)) renameSync(`${path}-wal`, `${aside ?? path}-wal.${suffix}`);
  rmSync(`${path}-shm`, { force: true });
  renameSync(restored, path);
  leaveMarker(path);
  syncToDisk(folder);
  return aside;
}

/**
 * Checks all of a database, which may be in use, without changing it.
 *
 * @throws {DatabaseMissingError} if there is no database.
 */
export function inspect(path: string): Inspection {
  const faults: string[] = [];
  let isLogLost = false;
  try {
    checkFiles(path);
  } catch (error) {
    if (error instanceof DatabaseMissingError) throw error;
    isLogLost = error instanceof LogLostError;
    faults.push(messageOf(error));
  }
  const file = pathToFileURL(path);
  // `immutable` opens the database without its log, which SQLite would otherwise replay or delete.
  if (isLogLost) file.searchParams.set('immutable', '1');
  const rows: Record<string, number> = {};
  let schemaVersion = 0;
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    database.exec('PRAGMA busy_timeout = 5000');
    schemaVersion = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (schemaVersion === 0 || schemaVersion > SCHEMA_VERSION) {
      faults.push(`Schema version ${schemaVersion}: this software knows 1 to ${SCHEMA_VERSION}.`);
    }
    const found = database.prepare('PRAGMA integrity_check(20)').all();
    const lines = found.map((row) => String(row['integrity_check']));
    faults.push(...lines.filter((line) => line !== 'ok'));
    for (const table of tablesOf(database)) rows[table] = countRows(database, table, faults);
  } catch (error) {
    faults.push(messageOf(error));
  }
  return { bytes: statSync(path).size, schemaVersion, rows, faults };
}

/**
 * Lets a database go on without the transactions of a missing or damaged log. Readable transactions are kept,
 * and the log is copied aside.
 *
 * @param suffix - Suffix of the file that keeps the log.
 * @returns Whether anything was lost.
 * @throws {DataDirectoryInUseError} if a service runs.
 * @throws as `checkFiles`, for any fault other than a lost log.
 */
export async function acceptLoss(folder: string, suffix: string): Promise<boolean> {
  using _lock = lockDataDirectory(folder);
  const path = join(folder, DATABASE_FILE);
  try {
    checkFiles(path);
    return false;
  } catch (error) {
    if (!(error instanceof LogLostError)) throw error;
  }
  const log = `${path}-wal`;
  if (exists(log)) {
    makePrivateFile(`${log}.${suffix}`);
    await copyFile(log, `${log}.${suffix}`);
  }
  makeWhole(path);
  return true;
}

/** Copies the readable part of the log into the database file, and flushes the file to disk. */
function makeWhole(path: string): void {
  const database = new DatabaseSync(path);
  try {
    declareWhole(database);
  } finally {
    database.close();
  }
  syncToDisk(path);
}

function requireNoFaults(path: string, name = path): void {
  const [fault] = inspect(path).faults;
  if (fault !== undefined) throw new DatabaseDamagedError(name, fault);
}

/**
 * Checks that nobody uses the database, even if the lock file of a running service was removed. Nobody can
 * use a damaged database.
 */
function requireUnused(path: string, folder: string): void {
  try {
    checkFiles(path);
    if (exists(path)) requireSoleUse(path, folder);
  } catch (error) {
    if (error instanceof DataDirectoryInUseError) throw error;
  }
}

function tablesOf(database: DatabaseSync): readonly string[] {
  return database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
    .all()
    .map((row) => String(row['name']));
}

function countRows(database: DatabaseSync, table: string, faults: string[]): number {
  let count = 0;
  try {
    for (const _row of database.prepare(`SELECT * FROM "${table}"`).iterate()) count += 1;
  } catch (error) {
    faults.push(`Table ${table}: after ${count} rows: ${messageOf(error)}`);
  }
  return count;
}

/** @param path - A file or a folder. */
function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
