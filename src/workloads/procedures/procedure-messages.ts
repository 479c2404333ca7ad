/**
 * Messages between the service and a process that runs procedures.
 *
 * A process runs one call at a time. Every message names its call, because a message of a call may arrive
 * after the call has ended. Messages arrive in the order in which they were sent; the slots of shapes
 * rely on that.
 */
import type { Fault } from '../../errors/coded-error.ts';
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
