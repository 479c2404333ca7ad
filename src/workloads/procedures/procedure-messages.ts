/**
 * Messages between the service and a process that runs procedures, and the errors that cross in them.
 *
 * A process runs one call at a time. Every message names its call, because a message of a call may arrive
 * after the call has ended. Messages arrive in the order in which they were sent; the slots of shapes
 * rely on that.
 */
import { CodedError, type Fault, RelayedError } from '../../errors/coded-error.ts';
import type { RunOutputs } from '../../fleet/run-outputs.ts';
import type { CircuitRequest } from '../../fleet/schedule/scheduled-run.ts';
import type { PackedCircuit } from '../../fleet/workers/sent-batch.ts';
import type { JsonObject } from './json.ts';

/** Most circuits and batches that one call has in flight; further ones wait in its process. */
export const MAX_OUTSTANDING = 64;

/** Shapes that both sides cache for a call; a new one replaces the oldest. */
export const MAX_SHAPES = 64;

/** Settings of a process, passed as JSON in its first argument. */
export interface ProcessSetup {
  /** URL of a module that exports `findProcedure`. */
  readonly catalog: string;
  readonly maxResultBytes: number;
  /** Memory limit of the whole process, in bytes: the heap limit does not bound all of it. */
  readonly maxRssBytes: number;
}

/** A serialised error: classes do not survive the channel. */
export type SentFailure =
  | {
      readonly kind: 'coded';
      readonly code: string;
      readonly message: string;
      readonly faults: readonly Fault[];
    }
  /** The failure of a circuit of the call; the service has kept the error itself. */
  | { readonly kind: 'circuit'; readonly circuit: number }
  | { readonly kind: 'memory' }
  | { readonly kind: 'unexpected'; readonly message: string; readonly stack: string };

/** Messages to a process. */
export type ToProcess =
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly owner: string;
      readonly name: string;
      readonly input: JsonObject;
      readonly seed: number;
      readonly maxQubits: number;
      readonly maxNoisyQubits: number;
    }
  | { readonly kind: 'cancel'; readonly call: number }
  | CircuitAnswer;

/** Outcome of a run. */
export interface CircuitAnswer {
  readonly kind: 'answer';
  readonly call: number;
  /** Counted from 0 within the call. */
  readonly circuit: number;
  readonly answer: { readonly outputs: RunOutputs } | { readonly failure: SentFailure };
}

/** Request to run a circuit, or several of one shape. */
export interface CircuitAsked {
  readonly kind: 'run';
  readonly call: number;
  readonly circuit: number;
  /** Slot of the shape among those that were sent; only of several circuits. */
  readonly slot?: number;
  /** The circuit or shape, sent when no slot holds it yet. */
  readonly packed?: PackedCircuit;
  readonly request: CircuitRequest;
}

/** Messages from a process. */
export type FromProcess =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'progress';
      readonly call: number;
      readonly fraction: number;
      readonly message?: string;
    }
  | CircuitAsked
  | {
      readonly kind: 'done';
      readonly call: number;
      readonly resultJson: string;
      readonly units: number;
    }
  | {
      readonly kind: 'failed';
      readonly call: number;
      readonly failure: SentFailure;
      /** No code awaited the failed promise, so the state that the call left behind is unknown. */
      readonly isUncaught?: true;
    }
  /** The procedure stopped because its signal aborted. */
  | { readonly kind: 'aborted'; readonly call: number };

/** Messages of V8's errors when the operating system refuses memory for an array or WebAssembly. */
const REFUSED_MEMORY = /^Array buffer allocation failed$|could not allocate memory/;

/**
 * The failure of a circuit, inside the process. If the procedure rethrows it, the service reports the
 * original error.
 */
export class CircuitFailure extends RelayedError {
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
      return new RelayedError(failure.code, failure.message, failure.faults);
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
