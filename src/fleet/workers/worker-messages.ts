/**
 * Messages between the main thread and a worker, a thread or a process: plain data, by structured clone.
 * Large arrays of results are transferred between threads, not copied, and those that a request brings
 * lie in memory that threads share.
 *
 *     main ──▶ run, cancel        worker ──▶ ready, once; news; progress; lost
 *
 * Classes do not cross, so errors are taken apart on their way out.
 */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import type { CompilationReport } from '../../compiler/compile.ts';
import type { TargetProfile } from '../../compiler/program.ts';
import { DeviceLostError, GpuFaultError, HelperLostError } from '../../engine/errors.ts';
import type { Tuning } from '../../engine/webgpu/tuning/tuning.ts';
import { CodedError, type Fault } from '../../errors/coded-error.ts';
import type { StartChild } from '../../processes/supervised-child.ts';
import { EngineFailure, OutOfMemoryError } from '../errors.ts';
import type { ExecutionTimes, RunOutputs } from '../run-outputs.ts';
import type { Precision } from '../schedule/lane.ts';
import type { BatchRunRequest, CircuitRequest } from '../schedule/scheduled-run.ts';
import type { SerializedCircuit, WrittenCircuit } from './sent-circuit.ts';

/** The engines that a worker opens, one of each precision it is asked for. */
export interface EngineOptions {
  /** Threads that work on one circuit together. */
  readonly numThreads: number;
  readonly maxQubits: Readonly<Record<Precision, number>>;
  /** For the states of one run. */
  readonly memoryBytes: number;
}

/** A thread's `workerData`. */
export interface WorkerSetup {
  readonly engine: EngineOptions;
  /** Whether it runs circuits of its own while it has nothing to do after its start. */
  readonly warmsUp: boolean;
}

/** The engine that a process opens on an adapter; also the first argument it is given, as JSON. */
export interface GpuWorkerSetup {
  /** A part of its name by which its driver lists it first, and the whole name to check. */
  readonly adapter: { readonly backend: string; readonly name: string };
  /** For the states of one run. */
  readonly memoryBytes: number;
  /** Milliseconds for which memory of states is kept after a run, if not as the engine does by default. */
  readonly idleMemoryMs?: number;
  /** Folder for tunings; without it, none is made. */
  readonly tuningFolder?: string;
}

/** An adapter of several that one process opens. */
export interface SpreadMember extends GpuWorkerSetup {
  /** Added to the process's environment while the adapter is opened, so that it sees this card alone. */
  readonly pin?: Readonly<Record<string, string>>;
}

/**
 * The engine that a process opens over several adapters, for states that none of them holds alone;
 * also the first argument it is given, as JSON.
 */
export interface SpreadWorkerSetup {
  /** 2, 4, 8 … of them; the least memory among them decides. */
  readonly members: readonly SpreadMember[];
}

/** Report of a worker on its engine once it is open. */
export interface EngineReport {
  readonly target: TargetProfile;
  /** From the start of the process until circuits could be taken, milliseconds. */
  readonly openMs: number;
  /** Tuning of an adapter, measured now or when it was first opened. */
  readonly tuning?: Tuning;
}

/** Part of an earlier circuit that an engine still had: nothing, its shape with other angles, or the same program. */
export const REUSES = ['nothing', 'shape', 'program'] as const;
export type Reuse = (typeof REUSES)[number];

/** Outcome of a run. */
export interface RunOutcome extends ExecutionTimes {
  readonly outputs: RunOutputs;
  /** Set, as `reused`, for a circuit that came by itself. */
  readonly compilation?: CompilationReport;
  readonly reused?: Reuse;
  /** Compiling and preparing, or making the shape ready, milliseconds. */
  readonly compileMs: number;
  /** As in `OwnTime`. */
  readonly ownMs: number;
}

/** An error, taken apart to cross the thread. */
export type WorkerFailure =
  | {
      readonly kind: 'coded';
      readonly code: string;
      readonly message: string;
      readonly faults: readonly Fault[];
    }
  | { readonly kind: 'out-of-memory'; readonly numQubits: number }
  | { readonly kind: 'unexpected'; readonly message: string; readonly stack: string };

/** A circuit in a form that is sent: as text where possible, because that costs both sides least. */
export type SentCircuit = WrittenCircuit | DynamicCircuit | SerializedCircuit;

/** A run of a list. */
export interface SentRun {
  readonly id: number;
  readonly precision: Precision;
  readonly circuit: SentCircuit;
  readonly request: CircuitRequest;
}

/** A batch run in its worker: circuits of one shape, whose own angles do not matter. */
export interface SentBatch extends SentRun {
  readonly circuit: WrittenCircuit | DynamicCircuit;
  readonly request: BatchRunRequest;
}

/** Observables without objects. */
export interface SentObservables {
  /** For each observable, one past its last term. */
  readonly sumEnds: Uint32Array;
  readonly coefficients: Float64Array;
  /** For each term, one past its last factor. */
  readonly termEnds: Uint32Array;
  /** As `codeOfFactor` numbers them. */
  readonly factors: Uint32Array;
}

/** A run in a message. */
export interface PostedRun extends SentRun {
  /** Those of the request, which is posted without them. */
  readonly observables?: SentObservables;
}

/** To a worker. */
export type ToWorker =
  /** Runs, one after the other; the first begins as soon as the worker has it. */
  | { readonly kind: 'run'; readonly runs: readonly PostedRun[] }
  | { readonly kind: 'cancel'; readonly id: number };

/** A circuit that was begun, and how long before this was sent, milliseconds. */
export interface Begun {
  readonly id: number;
  readonly agoMs: number;
}

/** The end of a circuit that is not among the packed ones. */
export type Ended =
  | (Begun & { readonly kind: 'done'; readonly outcome: RunOutcome })
  | (Begun & { readonly kind: 'failed'; readonly failure: WorkerFailure })
  /** Whether or not it was begun. */
  | { readonly kind: 'aborted'; readonly id: number };

/** Starts a worker: a thread, or a process with an adapter. */
export type StartWorker = StartChild<ToWorker, FromWorker>;

/** Outcomes that ask for counts alone; packed and unpacked by sent-run.ts. */
export interface PackedOutcomes {
  /** A fixed number of numbers for each outcome. */
  readonly facts: Float64Array;
  /** For each outcome: the words of its measured values, then their occurrences. */
  readonly counts: Uint32Array;
  /** Reports that the other side has not got yet, in order. */
  readonly reports: readonly CompilationReport[];
}

/** From a worker. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly report?: EngineReport }
  /** Events since the last news, gathered over some milliseconds where circuits are short. */
  | {
      readonly kind: 'news';
      readonly packed?: PackedOutcomes;
      readonly ended: readonly Ended[];
      /** The run under way, unless the other side knows; the first of a list has begun by being sent. */
      readonly begun?: Begun;
    }
  | { readonly kind: 'progress'; readonly id: number; readonly fraction: number }
  /** The engine is gone, and with it the worker's use. */
  | { readonly kind: 'lost'; readonly how: string };

/** Messages of V8 when the operating system refuses the memory of an array or of an engine. */
const REFUSED_MEMORY = /^Array buffer allocation failed$|could not allocate memory/;

/** Takes an error apart. */
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

/** Whether the engine that ran the circuit must not be used again. */
export function isEngineLost(error: unknown): error is CodedError {
  return (
    error instanceof HelperLostError ||
    error instanceof DeviceLostError ||
    error instanceof GpuFaultError
  );
}
