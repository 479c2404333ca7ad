/** Errors on their way between the service and a process of procedures: classes do not cross. */
import { CodedError, type Fault } from '../../errors/coded-error.ts';
import type { SentFailure } from './procedure-messages.ts';

/** What V8 throws when the operating system refuses the memory of an array or of WebAssembly. */
const REFUSED_MEMORY = /^Array buffer allocation failed$|could not allocate memory/;

/** An expected failure on the other side, with the code that it had there. */
export class ProcedureFailure extends CodedError {
  readonly code: string;

  constructor(code: string, message: string, faults: readonly Fault[]) {
    super(message, faults);
    this.code = code;
  }
}

/** What a circuit failed with, inside the process; where it is thrown on, its original is told again. */
export class CircuitFailure extends ProcedureFailure {
  readonly circuit: number;

  constructor(circuit: number, code: string, message: string, faults: readonly Fault[]) {
    super(code, message, faults);
    this.circuit = circuit;
  }
}

/** An error taken apart. Never throws, whatever was thrown. */
export function failureOf(error: unknown): SentFailure {
  try {
    return takenApart(error);
  } catch {
    return { kind: 'unexpected', message: 'Something was thrown that cannot be read.', stack: '' };
  }
}

/**
 * The error that callers get of it.
 *
 * @param ofCircuit - What a circuit failed with.
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
      // For the log: where it happened, in the process.
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
