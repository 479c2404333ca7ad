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

/** The service does not know the key, or the key lacks the permission. */
export class KeyRefusedError extends CodedError {
  readonly code = 'CLI_KEY_REFUSED';
  /** HTTP status: 401 or 403. */
  readonly status: number;

  /** @param said - The service's message, a sentence. */
  constructor(origin: string, status: number, said: string) {
    super(`${origin} refuses the key: ${said}`);
    this.status = status;
  }
}

/** The text is not the address of a service. */
export class ServiceUrlError extends CodedError {
  readonly code = 'CLI_URL_INVALID';

  constructor(text: string) {
    super(`"${text}" is no address of a service, such as http://127.0.0.1:8080.`);
  }
}

/** The service does not answer, or no longer. */
export class ServiceUnreachableError extends CodedError {
  readonly code = 'CLI_SERVICE_UNREACHABLE';

  /** @param why - The system's error code, such as ECONNREFUSED. */
  constructor(origin: string, why: string, options?: ErrorOptions) {
    super(
      `No service answers at ${origin} (${why}). \`qcs serve\` starts one here; --url or QCS_URL name another.`,
      [],
      options,
    );
  }
}

/** The service answered with an error that has no class of its own here. */
export class ServiceRefusedError extends CodedError {
  readonly code = 'CLI_SERVICE_REFUSED';
  /** HTTP status of the answer. */
  readonly status: number;
  /** The service's message, a sentence. */
  readonly said: string;

  /** @param faults - Faults that the service lists. */
  constructor(origin: string, status: number, said: string, faults: readonly Fault[] = []) {
    super(`${origin} answered ${status}: ${said}`, faults);
    this.status = status;
    this.said = said;
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

/** The answer is not one of this service, or of another version of it. */
export class AnswerUnreadableError extends CodedError {
  readonly code = 'CLI_ANSWER_UNREADABLE';

  /** @param what - The missing or unexpected part, a noun. */
  constructor(origin: string, what: string) {
    super(`${origin} does not answer as this service does: ${what}.`);
  }
}

/** The text is not a job id. */
export class JobIdError extends CodedError {
  readonly code = 'CLI_JOB_ID_INVALID';

  constructor(text: string) {
    super(
      `"${text.slice(0, 100)}" is no id of a job: one begins with circ_, task_ or tpujob_; \`qcs jobs\` lists them.`,
    );
  }
}

/** The service has no such job of this key. */
export class UnknownJobError extends CodedError {
  readonly code = 'CLI_JOB_NOT_FOUND';

  constructor(origin: string, id: string) {
    super(`${origin} has no job ${id} of this key.`);
  }
}

/** The followed job failed. */
export class FollowedJobFailedError extends CodedError {
  readonly code = 'CLI_JOB_FAILED';

  /** @param why - Error of the job's record; undefined if it has none. */
  constructor(id: string, why: { readonly code: string; readonly message: string } | undefined) {
    super(why === undefined ? `${id} failed.` : `${id} failed (${why.code}): ${why.message}`);
  }
}

/** The followed job was cancelled. */
export class FollowedJobCancelledError extends CodedError {
  readonly code = 'CLI_JOB_CANCELLED';

  constructor(id: string) {
    super(`${id} was cancelled.`);
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
