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

/** Options that make no sense together. */
export class OptionsConflictError extends CodedError {
  readonly code = 'CLI_OPTIONS_CONFLICT';

  /** @param why - A sentence. */
  constructor(why: string) {
    super(`The options do not go together: ${why}`);
  }
}

/** Ctrl-C. */
export class InterruptedError extends CodedError {
  readonly code = 'CLI_INTERRUPTED';

  constructor() {
    super('Interrupted.');
  }
}
