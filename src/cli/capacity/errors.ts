/** What may go wrong while a load is driven. */
import { CodedError } from '../../errors/coded-error.ts';

/** The service did not start, hung up, or gave a wrong answer: figures would mean nothing. */
export class LoadFailedError extends CodedError {
  readonly code = 'CLI_LOAD_FAILED';

  /** @param what - What happened, without a full stop. */
  constructor(what: string, options?: ErrorOptions) {
    super(`The load was broken off: ${what}.`, [], options);
  }
}
