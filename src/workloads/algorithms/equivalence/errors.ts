/** Errors of circuit design. */
import { CodedError } from '../../../errors/coded-error.ts';

/** A circuit that was made is not the one asked for; none is answered instead. */
export class EquivalenceError extends CodedError {
  readonly code = 'WORKLOADS_NOT_EQUIVALENT';

  /**
   * @param what - What was compared.
   * @param found - How far it is off.
   * @param allowed - How far it may be.
   */
  constructor(what: string, found: number, allowed: number) {
    super(
      `The circuit that was found failed its verification: its ${what} is ${found.toPrecision(3)}, and at most ${allowed.toPrecision(3)} is allowed.`,
    );
  }
}
