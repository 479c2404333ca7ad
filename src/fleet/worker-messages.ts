/**
 * What passes between the main thread and a worker thread: plain data, by structured clone. Large
 * arrays of results are transferred, not copied.
 *
 *     main ──▶ run, cancel            worker ──▶ ready, once; progress; done | failed | aborted
 */
import type { Circuit } from '../circuit/circuit.ts';
import type { CompilationReport } from '../compiler/compile.ts';
import type { RunRequest, RunResult } from '../engine/engine.ts';
import type { Fault } from '../errors/coded-error.ts';
import type { SerializedCircuit } from './serialized-circuit.ts';

/** Of the amplitudes. */
export type Precision = 'f32' | 'f64';

/** The engines that a worker opens, one of each precision it is asked for. */
export interface EngineOptions {
  /** Threads that work on one circuit together. */
  readonly numThreads: number;
  readonly maxQubits: Readonly<Record<Precision, number>>;
  /** For the states of one run. */
  readonly memoryBytes: number;
}

/** A worker's `workerData`. */
export interface WorkerSetup {
  readonly engine: EngineOptions;
}

/** What a run gives back across the thread. */
export interface WorkerOutcome {
  readonly run: RunResult;
  readonly compilation: CompilationReport;
  /** Compiling and preparing, milliseconds. */
  readonly compileMs: number;
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

/** To a worker. */
export type ToWorker =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly precision: Precision;
      readonly circuit: Circuit | SerializedCircuit;
      readonly request: Omit<RunRequest, 'onProgress'>;
    }
  | { readonly kind: 'cancel'; readonly id: number };

/** From a worker. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly id: number; readonly fraction: number }
  | { readonly kind: 'done'; readonly id: number; readonly outcome: WorkerOutcome }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: WorkerFailure }
  | { readonly kind: 'aborted'; readonly id: number };
