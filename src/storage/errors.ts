/** Errors of the storage layer. */
import { CodedError } from '../errors/coded-error.ts';

/** The data directory, or the database in it, cannot be used. */
export class CannotOpenStorageError extends CodedError {
  readonly code = 'STORAGE_CANNOT_OPEN';

  constructor(path: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`Cannot open ${path} (QCS_DATA_DIR names the folder): ${why}.`, [], { cause });
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

/** Another service runs on the same data directory. */
export class DataDirectoryInUseError extends CodedError {
  readonly code = 'STORAGE_DATA_DIRECTORY_IN_USE';

  constructor(path: string) {
    super(
      `Another service runs on the data directory ${path}. Stop it, or name another one in QCS_DATA_DIR.`,
    );
  }
}
