/** Errors of the command line. */
import { CodedError } from '../errors/coded-error.ts';

/** The file named on the command line does not exist. */
export class FileNotFoundError extends CodedError {
  readonly code = 'CLI_FILE_NOT_FOUND';

  constructor(path: string, options?: ErrorOptions) {
    super(`There is no file ${path}.`, [], options);
  }
}

/** The file is there but is not what it should be. */
export class FileUnreadableError extends CodedError {
  readonly code = 'CLI_FILE_UNREADABLE';

  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`${path} cannot be used: ${why}.`, [], options);
  }
}

/** Ctrl-C. */
export class InterruptedError extends CodedError {
  readonly code = 'CLI_INTERRUPTED';

  constructor() {
    super('Interrupted.');
  }
}
