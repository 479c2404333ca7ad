/** Errors of hardware. */
import { coded } from '../errors/coded-error.ts';

/** The vendor's job failed, or somebody cancelled it there. `reason` is the vendor's, sanitised, if it gave one. */
export class VendorJobError extends coded(
  'HARDWARE_JOB_FAILED',
  (vendor: string, vendorJobId: string, how: 'failed' | 'cancelled', reason?: string) => {
    const verb = how === 'failed' ? 'failed' : 'was cancelled';
    return `Job ${vendorJobId} ${verb} at ${vendor}${reason === undefined ? '.' : `: ${reason}`}`;
  },
) {}

/** The vendor's result does not fit the circuit. `what` names the fault: `it has 99 shots instead of 100`. */
export class VendorResultError extends coded(
  'HARDWARE_RESULT_UNUSABLE',
  (vendor: string, vendorJobId: string, what: string) =>
    `The result of job ${vendorJobId} of ${vendor} cannot be used: ${what}.`,
) {}
