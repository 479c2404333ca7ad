/** Errors of the storage layer. */
import { CodedError } from '../errors/coded-error.ts';

/** The data directory, or the database in it, cannot be used. */
export class CannotOpenStorageError extends CodedError {
  readonly code = 'STORAGE_CANNOT_OPEN';

  constructor(path: string, cause: unknown) {
    super(
      `Cannot open ${path}: ${whyNotOpen(cause)}. QCS_DATA_DIR names the folder; choose one that can be made and written.`,
      [],
      { cause },
    );
  }
}

const OPEN_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'nothing can be made there',
  EACCES: 'this user may not write there',
  EPERM: 'nothing may be made there',
  EEXIST: 'it is a file',
  ENOTDIR: 'what stands above it is a file',
  EROFS: 'its file system is read-only',
};

function whyNotOpen(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return OPEN_FAULTS[code] ?? (cause instanceof Error ? cause.message : String(cause));
}

/** There was a database, and it is gone or empty. */
export class DatabaseMissingError extends CodedError {
  readonly code = 'STORAGE_DATABASE_MISSING';

  /** @param traces - Files that are there because the database was. */
  constructor(path: string, traces: readonly string[]) {
    super(
      `The database ${path} is missing or empty, but there was one: ${traces.join(', ')} ${traces.length === 1 ? 'is' : 'are'} still there. Put the file back, or restore a backup (qcs restore FILE). To begin with an empty database, without its keys and jobs, move ${traces.join(' and ')} away.`,
    );
  }
}

/** The file that a backup was to be written to exists. */
export class BackupExistsError extends CodedError {
  readonly code = 'STORAGE_BACKUP_EXISTS';

  constructor(path: string) {
    super(`${path} exists. A backup is written to a new file.`);
  }
}

/** The database file cannot be read as one. */
export class DatabaseDamagedError extends CodedError {
  readonly code = 'STORAGE_DATABASE_DAMAGED';

  constructor(path: string, why: string, options?: ErrorOptions) {
    super(
      `The database ${path} is damaged: ${why}. \`qcs check\` says more. Restore a backup (qcs restore FILE): this file is kept aside, and jobs and keys since that backup are lost.`,
      [],
      options,
    );
  }
}

/** Committed transactions were in a write-ahead log that is missing or damaged. */
export class LogLostError extends CodedError {
  readonly code = 'STORAGE_LOG_LOST';

  /** @param fault - What is wrong with the log: a verb and what belongs to it. */
  constructor(path: string, log: string, fault: string) {
    super(
      `The database ${path} was not closed, and its write-ahead log ${log} ${fault}. The log has its last transactions: jobs, results and keys. Put the log back, or restore a backup (qcs restore FILE). To go on without what was in the log: qcs check --accept-loss.`,
    );
  }
}

/** The disk of the data directory is nearly full: nothing new is taken. */
export class DiskFullError extends CodedError {
  readonly code = 'STORAGE_DISK_FULL';
  readonly retryAfterS = 30;

  constructor(freeMib: number, minFreeMib: number) {
    super(
      `The service takes no new work: its disk has ${freeMib} MiB left, and it keeps ${minFreeMib} MiB free (QCS_MIN_FREE_DISK_MIB).`,
    );
  }
}

/** Result codes of SQLite for a file that cannot be written now: busy, read-only, I/O error, full, not opened. */
const UNWRITABLE_CODES: readonly unknown[] = [5, 8, 10, 13, 14];

/** The database cannot be written now: its disk is full or gone. Nothing of the write was stored. */
export class StorageUnwritableError extends CodedError {
  readonly code = 'STORAGE_UNWRITABLE';
  readonly retryAfterS = 30;

  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`The service takes no new work: its database cannot be written (${why}).`, [], { cause });
  }

  /** The error as this one where it is SQLite's and says so; any other as it is. */
  static from(error: unknown): unknown {
    return error instanceof Error &&
      'errcode' in error &&
      // The extended codes have the primary one in their lowest byte.
      UNWRITABLE_CODES.includes(Number(error.errcode) & 0xff)
      ? new StorageUnwritableError(error)
      : error;
  }
}

/** Another service runs on the same data directory. */
export class DataDirectoryInUseError extends CodedError {
  readonly code = 'STORAGE_DATA_DIRECTORY_IN_USE';

  constructor(path: string) {
    super(
      `Another service runs on the data directory ${path}. Stop it, or name another one in QCS_DATA_DIR.`,
    );
  }
}
