/** Errors of the storage layer. */
import { CodedError } from '../errors/coded-error.ts';

/** Another service runs on the same data directory. */
export class DataDirectoryInUseError extends CodedError {
  readonly code = 'STORAGE_DATA_DIRECTORY_IN_USE';

  constructor(path: string) {
    super(
      `Another service runs on the data directory ${path}. Stop it, or name another one in QCS_DATA_DIR.`,
    );
  }
}
