/** Errors of `qcs submit` and `qcs jobs`. */
import { CodedError, type Fault } from '../../errors/coded-error.ts';

/** Neither the environment nor an option gives a key. */
export class KeyMissingError extends CodedError {
  readonly code = 'CLI_KEY_MISSING';

  constructor() {
    super('There is no API key: set QCS_API_KEY, or name a file that holds one with --key-file.');
  }
}

/** The key contains characters that no header can carry. The message does not show the key. */
export class KeyMalformedError extends CodedError {
  readonly code = 'CLI_KEY_MALFORMED';

  /** @param source - File name, or the name of the variable. */
  constructor(source: string) {
    super(`${source} holds no API key: one is a line of visible ASCII characters.`);
  }
}

/** The text is not the address of a service. */
export class ServiceUrlError extends CodedError {
  readonly code = 'CLI_URL_INVALID';

  constructor(text: string) {
    super(`"${text}" is no address of a service, such as http://127.0.0.1:8080.`);
  }
}

/** The service refused the circuit of the file. */
export class CircuitRefusedError extends CodedError {
  readonly code = 'CLI_CIRCUIT_REFUSED';

  /** @param said - The service's message, a sentence. */
  constructor(file: string, said: string, faults: readonly Fault[], options?: ErrorOptions) {
    super(`${file} is not taken. ${said}`, faults, options);
  }
}

/** Ctrl-C ended the following of a job. */
export class WatchStoppedError extends CodedError {
  readonly code = 'CLI_WATCH_STOPPED';

  constructor(id: string) {
    super(
      `No longer watching. ${id} goes on; \`qcs jobs follow ${id}\` watches it again, \`qcs jobs cancel ${id}\` ends it.`,
    );
  }
}
