/**
 * Lock that lets one service at a time use a data directory: two would both resume the jobs of an earlier
 * process and run them twice.
 *
 * The lock is an open exclusive transaction on a separate, empty SQLite file. The operating system releases
 * it when the process ends in whatever way, `kill -9` included, which a file with a process id cannot
 * promise. The database itself cannot be locked: `qcs keys` writes to it while the service runs.
 *
 * If somebody deletes or replaces the lock file, a second service could lock the new one while the first
 * runs. So the database records the inode of the file that the last service locked; while that process lives,
 * no other file has this inode. A service that locked another file starts only if no other process has the
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

/** Exclusive use of a data directory. */
interface DirectoryLock extends Disposable {
  /** Identity of the locked file (device and inode); no other file has it while the lock is held. */
  readonly lockFile: string;
}

/** Open database of a data directory that is locked for one service. */
interface ServiceDatabase extends Disposable {
  readonly database: DatabaseSync;
}

/**
 * Locks a data directory for this process and opens its database.
 *
 * @throws {DataDirectoryInUseError} if another service has locked it.
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
 * Locks a data directory for this process, creating it if it is missing.
 *
 * @throws {DataDirectoryInUseError} if another service has locked it.
 * @throws {CannotOpenStorageError} if it cannot be created or written.
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
 * Waits up to 2 s for commands such as `qcs keys` to end, and copies the log into the database file.
 *
 * @throws {DataDirectoryInUseError} if another process still has the database open.
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

/**
 * Records the new lock file. If two services found the database unused at the same time, the second fails
 * here.
 */
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
