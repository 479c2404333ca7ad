/** Which failures say that an engine is gone rather than that a circuit cannot be run. */
import { DeviceLostError, GpuFaultError, HelperLostError } from '../../engine/errors.ts';
import type { CodedError } from '../../errors/coded-error.ts';

/** Whether what ran the circuit is not to be used again. */
export function isEngineLost(error: unknown): error is CodedError {
  return (
    error instanceof HelperLostError ||
    error instanceof DeviceLostError ||
    error instanceof GpuFaultError
  );
}
