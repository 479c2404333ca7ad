/** Serialises errors between the service and a procedure process: classes do not survive the channel. */
import { CodedError, type Fault } from '../../errors/coded-error.ts';
import type { SentFailure } from './procedure-messages.ts';

/** Messages of V8's errors when the operating system refuses memory for an array or WebAssembly. */
const REFUSED_MEMORY = /^Array buffer allocation failed$|could not allocate memory/;

/** A coded error of the other side, with its code. */
class ProcedureFailure extends CodedError {
  readonly code: string;

  constructor(code: string, message: string, faults: readonly Fault[]) {
    super(message, faults);
    this.code = code;
  }
}

/**
 * The failure of a circuit, inside the process. If the procedure rethrows it, the service reports the
 * original error.
 */
export class CircuitFailure extends ProcedureFailure {
  readonly circuit: number;

  constructor(circuit: number, code: string, message: string, faults: readonly Fault[]) {
    super(code, message, faults);
    this.circuit = circuit;
  }
}

/** Serialises an error. Never throws, whatever the value. */
export function failureOf(error: unknown): SentFailure {
  try {
    return takenApart(error);
  } catch {
    return { kind: 'unexpected', message: 'Something was thrown that cannot be read.', stack: '' };
  }
}

/**
 * The error that callers receive.
 *
 * @param ofCircuit - Returns the error that a circuit failed with.
 */
export function errorOf(
  failure: Exclude<SentFailure, { readonly kind: 'memory' }>,
  ofCircuit: (circuit: number) => unknown,
): unknown {
  switch (failure.kind) {
    case 'coded':
      return new ProcedureFailure(failure.code, failure.message, failure.faults);
    case 'circuit':
      return ofCircuit(failure.circuit);
    case 'unexpected': {
      const error = new Error(failure.message);
      // For the log: the stack in the process.
      if (failure.stack !== '') error.stack = failure.stack;
      return error;
    }
  }
}

function takenApart(error: unknown): SentFailure {
  if (error instanceof CircuitFailure) return { kind: 'circuit', circuit: error.circuit };
  if (error instanceof CodedError) {
    const { code, message } = error;
    const faults = error.faults.map((fault) => ({ ...fault }));
    return { kind: 'coded', code, message, faults };
  }
  if (error instanceof RangeError && REFUSED_MEMORY.test(error.message)) return { kind: 'memory' };
  if (!(error instanceof Error)) {
    return { kind: 'unexpected', message: `Not an error was thrown: ${String(error)}`, stack: '' };
  }
  return { kind: 'unexpected', message: String(error.message), stack: String(error.stack ?? '') };
}
