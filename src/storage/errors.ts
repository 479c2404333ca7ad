/** Errors of the storage layer. */
import { coded } from '../errors/coded-error.ts';

/** The data directory, or the database in it, cannot be used. */
export class CannotOpenStorageError extends coded(
  'STORAGE_CANNOT_OPEN',
  (path: string, cause: unknown) => ({
    message: `Cannot open ${path}: ${whyNotOpen(cause)}. QCS_DATA_DIR names the folder; choose one that can be created and written.`,
    cause,
  }),
) {}

const OPEN_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'nothing can be created there',
  EACCES: 'this user may not write there',
  EPERM: 'nothing may be created there',
  EEXIST: 'it is a file',
  ENOTDIR: 'a folder of its path is a file',
  EROFS: 'its file system is read-only',
};

function whyNotOpen(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return OPEN_FAULTS[code] ?? (cause instanceof Error ? cause.message : String(cause));
}

/** The database of an existing installation is gone or empty; the files `traces` show that it existed. */
export class DatabaseMissingError extends coded(
  'STORAGE_DATABASE_MISSING',
  (path: string, traces: readonly string[]) =>
    `The database ${path} is missing or empty, but there was one: ${traces.join(', ')} ${traces.length === 1 ? 'is' : 'are'} still there. Put the file back, or restore a backup (qcs restore FILE). To begin with an empty database, without its keys and jobs, move ${traces.join(' and ')} away.`,
) {}

/** The target file of a backup exists. */
export class BackupExistsError extends coded(
  'STORAGE_BACKUP_EXISTS',
  (path: string) => `${path} exists. A backup is written to a new file.`,
) {}

/** The database file is damaged, or is not a database. */
export class DatabaseDamagedError extends coded(
  'STORAGE_DATABASE_DAMAGED',
  (path: string, why: string, options?: ErrorOptions) => ({
    message: `The database ${path} is damaged: ${why}. \`qcs check\` says more. Restore a backup (qcs restore FILE): this file is kept aside, and jobs and keys since that backup are lost.`,
    ...options,
  }),
) {}

/**
 * Committed transactions were in a write-ahead log that is missing or damaged. `fault` is a verb phrase about the log:
 * `is missing`.
 */
export class LogLostError extends coded(
  'STORAGE_LOG_LOST',
  (path: string, log: string, fault: string) =>
    `The database ${path} was not closed, and its write-ahead log ${log} ${fault}. The log has its last transactions: jobs, results and keys. Put the log back, or restore a backup (qcs restore FILE). To go on without what was in the log: qcs check --accept-loss.`,
) {}

/** The disk of the data directory is nearly full, so no new work is accepted. */
export class DiskFullError extends coded(
  'STORAGE_DISK_FULL',
  (freeMib: number, minFreeMib: number) => ({
    message: `The service takes no new work: its disk has ${freeMib} MiB left, and it keeps ${minFreeMib} MiB free (QCS_MIN_FREE_DISK_MIB).`,
    retryAfterS: 30,
  }),
) {}

/**
 * SQLite's result codes for a file that cannot be written now: busy, read-only, I/O error, full, cannot open.
 */
const UNWRITABLE_CODES: readonly unknown[] = [5, 8, 10, 13, 14];

/** The database cannot be written now: its disk is full or gone. Nothing of the write was stored. */
export class StorageUnwritableError extends coded('STORAGE_UNWRITABLE', (cause: unknown) => ({
  message: `The service takes no new work: its database cannot be written (${cause instanceof Error ? cause.message : String(cause)}).`,
  cause,
  retryAfterS: 30,
})) {
  /** Converts SQLite's errors of an unwritable file; returns any other error unchanged. */
  static from(error: unknown): unknown {
    return error instanceof Error &&
      'errcode' in error &&
      // The lowest byte of an extended code is the primary code.
      UNWRITABLE_CODES.includes(Number(error.errcode) & 0xff)
      ? new StorageUnwritableError(error)
      : error;
  }
}

/** The PostgreSQL database that QCS_DATABASE_URL names cannot be used; `why` is a clause. */
export class CannotOpenDatabaseError extends coded(
  'STORAGE_CANNOT_OPEN',
  (why: string, cause?: unknown) => ({
    message: `The database that QCS_DATABASE_URL names cannot be used: ${why}.`,
    cause,
  }),
) {}

/** The database into which another one was to be copied has rows. */
export class TargetInUseError extends coded(
  'STORAGE_TARGET_IN_USE',
  (table: string) =>
    `The database that QCS_DATABASE_URL names is in use: its table ${table} has rows. Nothing was copied. Copy into an empty database, before the first start of a service on it.`,
) {}

/** A database has not stored the rows that were copied into it. */
export class CopyDiffersError extends coded(
  'STORAGE_COPY_DIFFERS',
  (table: string, numSent: number, numStored: number) => {
    const how =
      numSent === numStored
        ? `${numSent} rows, with other contents`
        : `${numStored} rows instead of ${numSent}`;
    return `PostgreSQL has stored the table ${table} otherwise than sent: ${how}. Nothing was copied.`;
  },
) {}

/** Another service runs on the same data directory. */
export class DataDirectoryInUseError extends coded(
  'STORAGE_DATA_DIRECTORY_IN_USE',
  (path: string) =>
    `Another service runs on the data directory ${path}. Stop it, or name another one in QCS_DATA_DIR.`,
) {}
