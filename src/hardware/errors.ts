/** Errors of hardware. */
import { CodedError } from '../errors/coded-error.ts';

/** The vendor's job failed, or somebody cancelled it there. */
export class VendorJobError extends CodedError {
  readonly code = 'HARDWARE_JOB_FAILED';

  /** @param reason - The vendor's reason, sanitised; undefined if it gave none. */
  constructor(vendor: string, vendorJobId: string, how: 'failed' | 'cancelled', reason?: string) {
    const verb = how === 'failed' ? 'failed' : 'was cancelled';
    const end = reason === undefined ? '.' : `: ${reason}`;
    super(`Job ${vendorJobId} ${verb} at ${vendor}${end}`);
  }
}

/** The vendor's result does not fit the circuit that was submitted. */
export class VendorResultError extends CodedError {
  readonly code = 'HARDWARE_RESULT_UNUSABLE';

  /** @param what - What is wrong: `it has 99 shots instead of 100`. */
  constructor(vendor: string, vendorJobId: string, what: string) {
    super(`The result of job ${vendorJobId} of ${vendor} cannot be used: ${what}.`);
  }
}
