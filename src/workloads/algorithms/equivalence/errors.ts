/** Errors of circuit design. */
import { CodedError } from '../../../errors/coded-error.ts';

/** A synthesised circuit differs from the requested one; no circuit is returned. */
export class EquivalenceError extends CodedError {
  readonly code = 'WORKLOADS_NOT_EQUIVALENT';

  /**
   * @param what - The compared property.
   * @param found - The deviation.
   * @param allowed - The tolerance.
   */
  constructor(what: string, found: number, allowed: number) {
    super(
      `The circuit that was found failed its verification: its ${what} is ${found.toPrecision(3)}, and at most ${allowed.toPrecision(3)} is allowed.`,
    );
  }
}
