/**
 * What crosses between the service and a process that runs procedures.
 *
 * One call at a time; a message names its call, because what a process says of one may arrive when that
 * has ended. Messages arrive in the order in which they were sent, which the slots of shapes rest on.
 */
import type { Circuit } from '../../circuit/circuit.ts';
import type { BatchRequest, BatchResult } from '../../engine/batch-request.ts';
import type { RunResult } from '../../engine/engine.ts';
import type { Fault } from '../../errors/coded-error.ts';
import type { SerializedCircuit, WrittenCircuit } from '../../fleet/workers/sent-circuit.ts';
import type { JsonObject } from './json.ts';
import type { CircuitRequest } from './procedure-context.ts';

/** Circuits, and batches of them, that one call has under way at once; more wait in its process. */
export const MAX_OUTSTANDING = 64;

/** Shapes of batches that both sides of a call keep; a new one takes the place of the oldest. */
export const MAX_SHAPES = 64;

/** What a process is started with, as JSON in its first argument. */
export interface ProcessSetup {
  /** Of a module that exports `findProcedure`. */
  readonly catalog: string;
  readonly maxResultBytes: number;
  /** Of the whole process: what the heap's limit does not bound lies in it, too. */
  readonly maxRssBytes: number;
}

/** An error taken apart: classes do not cross. */
export type SentFailure =
  | {
      readonly kind: 'coded';
      readonly code: string;
      readonly message: string;
      readonly faults: readonly Fault[];
    }
  /** What a circuit of the call failed with, which the other side has kept. */
  | { readonly kind: 'circuit'; readonly circuit: number }
  | { readonly kind: 'memory' }
  | { readonly kind: 'unexpected'; readonly message: string; readonly stack: string };

/** A circuit in writing, or, where that is long or cannot be, as bytes that are passed on unread. */
export type SentCircuit = WrittenCircuit | SerializedCircuit;

/** To a process. */
export type ToProcess =
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly owner: string;
      readonly name: string;
      readonly input: JsonObject;
      readonly seed: number;
      readonly maxQubits: number;
    }
  | { readonly kind: 'cancel'; readonly call: number }
  | CircuitAnswer;

/** The end of a circuit. */
export interface CircuitAnswer {
  readonly kind: 'answer';
  readonly call: number;
  /** Counted from 0 within the call. */
  readonly circuit: number;
  readonly answer:
    | { readonly run: RunResult }
    | { readonly batch: BatchResult }
    | { readonly failure: SentFailure };
}

/** A circuit to run. */
export interface CircuitAsked {
  readonly kind: 'run';
  readonly call: number;
  readonly circuit: number;
  readonly written: SentCircuit;
  readonly request: CircuitRequest;
}

/** A batch to run. */
export interface BatchAsked {
  readonly kind: 'run-batch';
  readonly call: number;
  readonly circuit: number;
  /** Which of the shapes that were sent. */
  readonly slot: number;
  /** Present where the slot has not had it: from now on it has. */
  readonly shape?: Circuit;
  readonly request: BatchRequest;
}

/** From a process. */
export type FromProcess =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'progress';
      readonly call: number;
      readonly fraction: number;
      readonly message?: string;
    }
  | CircuitAsked
  | BatchAsked
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
      /** Nobody waited for what failed: what else the call left behind is not known. */
      readonly isUncaught?: true;
    }
  /** It ended for its signal's sake. */
  | { readonly kind: 'aborted'; readonly call: number };
