/**
 * One service a database: two would both take up the jobs of an earlier process and run them twice.
 *
 * The lock is an open exclusive transaction on an empty SQLite file of its own. The operating system
 * gives it back when the process ends in whatever way, `kill -9` included, which a file holding a
 * process id cannot promise. The database itself cannot be locked: `qcs keys` writes to it while the
 * service runs.
 *
 * Who deletes or replaces the lock file could lock it again while its first owner lives. So the database
 * says which file, by its inode, the last service had locked; as long as that process lives, no other
 * file has this inode. A service that has locked another one starts only if no other process has the
 * database open.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE, type Durability, openDatabase } from './database.ts';
import { CannotOpenStorageError, DataDirectoryInUseError } from './errors.ts';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';
import { leaveMarker } from './write-ahead-log.ts';

/** SQLite's result code for a file that another connection has locked. */
const SQLITE_BUSY = 5;

/** A data directory that no other service has. */
export interface DirectoryLock extends Disposable {
  /** Names the file that is locked; while it is, no other file has this name. */
  readonly lockFile: string;
}

/** The database of a data directory, for one service alone. */
export interface ServiceDatabase extends Disposable {
  readonly database: DatabaseSync;
}

/**
 * Takes a data directory for this process and opens its database.
 *
 * @throws {DataDirectoryInUseError} if another service has it.
 * @throws as `openDatabase`.
 */
export function openServiceDatabase(folder: string, durability: Durability): ServiceDatabase {
  const lock = lockDataDirectory(folder);
  try {
    const path = join(folder, DATABASE_FILE);
    let database = openDatabase(path, durability);
    const lastFile = lockFileOf(database);
    if (lastFile !== lock.lockFile) {
      database.close();
      requireSoleUse(path, folder);
      database = openDatabase(path, durability);
      takeOver(database, lastFile, lock.lockFile, folder);
    }
    leaveMarker(path);
    return {
      database,
      [Symbol.dispose]() {
        database.close();
        lock[Symbol.dispose]();
      },
    };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/**
 * Takes the directory for this process, making it if it is missing.
 *
 * @throws {DataDirectoryInUseError} if another service has it.
 * @throws {CannotOpenStorageError} if it cannot be made or written.
 */
export function lockDataDirectory(folder: string): DirectoryLock {
  const file = join(folder, 'service.lock');
  const database = openLockFile(folder, file);
  try {
    database.exec('BEGIN EXCLUSIVE');
    const { dev, ino } = statSync(file, { bigint: true });
    return { lockFile: `${dev}:${ino}`, [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    throw isBusy(error) ? new DataDirectoryInUseError(folder) : error;
  }
}

function openLockFile(folder: string, file: string): DatabaseSync {
  try {
    makePrivateFolder(folder);
    makePrivateFile(file);
    return new DatabaseSync(file);
  } catch (error) {
    throw new CannotOpenStorageError(folder, error);
  }
}

function lockFileOf(database: DatabaseSync): unknown {
  return database.prepare('SELECT lock_file FROM service').get()?.['lock_file'];
}

/**
 * Waits a while for commands such as `qcs keys` to end, and copies the log into the database file.
 *
 * @throws {DataDirectoryInUseError} if another process has the database open still.
 */
export function requireSoleUse(path: string, folder: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 2000; PRAGMA locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
  } catch (error) {
    throw isBusy(error) ? new DataDirectoryInUseError(folder) : error;
  } finally {
    database.close();
  }
}

/** Of two services that found the database unused at the same time, the second sees here that it is not. */
function takeOver(database: DatabaseSync, lastFile: unknown, file: string, folder: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    if (lockFileOf(database) !== lastFile) throw new DataDirectoryInUseError(folder);
    database.prepare('INSERT OR REPLACE INTO service VALUES (1, ?)').run(file);
    database.exec('COMMIT');
  } catch (error) {
    database.close();
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
