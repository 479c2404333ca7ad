/**
 * One service a data directory: two would both take up the jobs of an earlier process and run them
 * twice.
 *
 * The lock is an open exclusive transaction on an empty SQLite file of its own. The operating system
 * gives it back when the process ends in whatever way, `kill -9` included, which a file holding a
 * process id cannot promise.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CannotOpenStorageError, DataDirectoryInUseError } from './errors.ts';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';

/** SQLite's result code for a file that another connection has locked. */
const SQLITE_BUSY = 5;

/**
 * Takes the directory for this process, making it if it is missing.
 *
 * @throws {DataDirectoryInUseError} if another service has it.
 * @throws {CannotOpenStorageError} if it cannot be made or written.
 */
export function lockDataDirectory(path: string): Disposable {
  const database = openLockFile(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new DataDirectoryInUseError(path);
    }
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

function openLockFile(path: string): DatabaseSync {
  try {
    makePrivateFolder(path);
    const file = join(path, 'service.lock');
    makePrivateFile(file);
    return new DatabaseSync(file);
  } catch (error) {
    throw new CannotOpenStorageError(path, error);
  }
}
