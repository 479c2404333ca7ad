/** Errors of the command line. */
import { CodedError } from '../errors/coded-error.ts';

/** The file named on the command line does not exist. */
export class FileNotFoundError extends CodedError {
  readonly code = 'CLI_FILE_NOT_FOUND';

  /** @param advice - A sentence after a space, or nothing. */
  constructor(path: string, options?: ErrorOptions, advice = '') {
    super(`There is no file ${path}.${advice}`, [], options);
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

/** WebGPU was asked for, and there is nothing that it may run on. */
export class NoUsableAdapterError extends CodedError {
  readonly code = 'CLI_NO_ADAPTER';

  /**
   * @param reason - Why discovery found none, a sentence.
   * @param unused - Adapters that are there, and why they are not used.
   */
  constructor(
    reason = 'None was found.',
    unused: readonly {
      readonly adapter: { readonly name: string };
      readonly reason: string;
    }[] = [],
  ) {
    const why = unused.map(({ adapter, reason: each }) => `${adapter.name}: ${each}`);
    super(`There is no adapter for the WebGPU engine. ${why.length > 0 ? why.join(' ') : reason}`);
  }
}

/** Ctrl-C. */
export class InterruptedError extends CodedError {
  readonly code = 'CLI_INTERRUPTED';

  constructor() {
    super('Interrupted.');
  }
}
