/** Errors on their way out of a worker: classes do not cross. */
import { DeviceLostError, GpuFaultError, HelperLostError } from '../../engine/errors.ts';
import { CodedError } from '../../errors/coded-error.ts';
import { EngineFailure, OutOfMemoryError } from '../errors.ts';
import type { WorkerFailure } from './worker-messages.ts';

/** Messages of V8 when the operating system refuses the memory of an array or of an engine. */
const REFUSED_MEMORY = /^Array buffer allocation failed$|could not allocate memory/;

/** An error taken apart. */
export function failureOf(error: unknown, numQubits: number): WorkerFailure {
  if (error instanceof CodedError) {
    return {
      kind: 'coded',
      code: error.code,
      message: error.message,
      faults: error.faults.map((fault) => ({ ...fault })),
    };
  }
  if (error instanceof RangeError && REFUSED_MEMORY.test(error.message)) {
    return { kind: 'out-of-memory', numQubits };
  }
  return error instanceof Error
    ? { kind: 'unexpected', message: error.message, stack: error.stack ?? '' }
    : { kind: 'unexpected', message: String(error), stack: '' };
}

/** The error that callers get of it. */
export function errorOf(failure: WorkerFailure): Error {
  switch (failure.kind) {
    case 'coded':
      return new EngineFailure(failure.code, failure.message, failure.faults);
    case 'out-of-memory':
      return new OutOfMemoryError(failure.numQubits);
    case 'unexpected': {
      const error = new Error(failure.message);
      error.stack = failure.stack;
      return error;
    }
  }
}

/** Whether what ran the circuit is not to be used again. */
export function isEngineLost(error: unknown): error is CodedError {
  return (
    error instanceof HelperLostError ||
    error instanceof DeviceLostError ||
    error instanceof GpuFaultError
  );
}
