/** Errors of driving a load. */
import { CodedError } from '../../errors/coded-error.ts';

/**
 * The service did not start, closed a connection, or gave a wrong answer, so its figures would mean nothing.
 */
export class LoadFailedError extends CodedError {
  readonly code = 'CLI_LOAD_FAILED';

  /** @param what - The event, without a full stop. */
  constructor(what: string, options?: ErrorOptions) {
    super(`The load was broken off: ${what}.`, [], options);
  }
}
