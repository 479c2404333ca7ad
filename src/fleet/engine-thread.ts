/**
 * One worker thread and the one circuit it runs at a time.
 *
 * A circuit's promise always settles: with the worker's answer, with the signal's reason once the
 * work has stopped, or with WorkerLostError when the thread ends. A cancelled circuit that is still
 * running after the grace is stopped by ending its thread.
 */
import { Worker } from 'node:worker_threads';
import type { Circuit } from '../circuit/circuit.ts';
import type { RunRequest } from '../engine/engine.ts';
import { EngineFailure, OutOfMemoryError, WorkerLostError } from './errors.ts';
import type { SerializedCircuit } from './serialized-circuit.ts';
import type {
  FromWorker,
  Precision,
  ToWorker,
  WorkerFailure,
  WorkerOutcome,
  WorkerSetup,
} from './worker-messages.ts';

/** How long a thread may take to open its engine. */
const START_LIMIT_MS = 30_000;

/** A circuit for a worker. */
export interface WorkerTask {
  readonly precision: Precision;
  readonly circuit: Circuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
  readonly onProgress: (fraction: number) => void;
  readonly signal: AbortSignal;
}

/** How a thread is started and stopped. */
export interface EngineThreadOptions {
  /** The thread's module. */
  readonly entry: URL;
  readonly setup: WorkerSetup;
  /** JavaScript heap of the thread; state vectors live outside it. */
  readonly heapLimitMb: number;
  /** How long a cancelled circuit may take to stop by itself. */
  readonly cancelGraceMs: number;
}

/** What the pool wants to hear. */
export interface EngineThreadEvents {
  /** The thread is open, or a circuit is through: the thread can take one now. */
  readonly onIdle: (thread: EngineThread) => void;
  /** The thread has ended. */
  readonly onExit: (thread: EngineThread, exit: ThreadExit) => void;
}

/** How a thread ended. */
export interface ThreadExit {
  readonly wasReady: boolean;
  /** Ended on purpose: closed, or to stop a cancelled circuit. */
  readonly wasIntended: boolean;
  /** For people: "exit code 1", or the uncaught error's message. */
  readonly how: string;
}

interface Running extends WorkerTask {
  readonly id: number;
  readonly resolve: (outcome: WorkerOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  graceTimer?: NodeJS.Timeout;
}

/** A thread with an engine. */
export class EngineThread {
  readonly #worker: Worker;
  readonly #options: EngineThreadOptions;
  readonly #events: EngineThreadEvents;
  readonly #startTimer: NodeJS.Timeout;
  #running: Running | undefined;
  #numRun = 0;
  #isReady = false;
  #isEnding = false;
  #fault: { readonly how: string; readonly cause?: unknown } | undefined;

  constructor(options: EngineThreadOptions, events: EngineThreadEvents) {
    this.#options = options;
    this.#events = events;
    this.#worker = new Worker(options.entry, {
      workerData: options.setup,
      resourceLimits: { maxOldGenerationSizeMb: options.heapLimitMb },
    });
    // Only a running circuit keeps the process alive.
    this.#worker.unref();
    this.#startTimer = setTimeout(() => {
      this.#fault = { how: `the thread was not open after ${START_LIMIT_MS} ms` };
      void this.#worker.terminate();
    }, START_LIMIT_MS).unref();
    this.#worker.on('message', (message: FromWorker) => this.#onMessage(message));
    this.#worker.on('messageerror', (cause) => {
      this.#fault = { how: 'its answer could not be read', cause };
      void this.#worker.terminate();
    });
    this.#worker.on('error', (cause) => {
      this.#fault = { how: cause instanceof Error ? cause.message : String(cause), cause };
    });
    this.#worker.on('exit', (exitCode) => this.#onExit(exitCode));
  }

  /** Whether the engine has been opened. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Runs a circuit; the thread is idle. */
  run(task: WorkerTask): Promise<WorkerOutcome> {
    if (this.#running !== undefined) throw new Error('unreachable: the thread runs a circuit');
    const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome>();
    const id = this.#numRun++;
    const onAbort = () => this.#cancel(id);
    const { precision, circuit, request } = task;
    this.#running = { ...task, id, resolve, reject, onAbort };
    this.#worker.ref();
    task.signal.addEventListener('abort', onAbort, { once: true });
    try {
      this.#post({ kind: 'run', id, precision, circuit, request });
    } catch (error) {
      // What cannot be cloned never left; the thread stays as it was.
      this.#settle((running) => running.reject(error));
    }
    return promise;
  }

  /** Ends the thread; a circuit it runs is rejected. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #cancel(id: number): void {
    const running = this.#running;
    if (running?.id !== id) return;
    this.#post({ kind: 'cancel', id });
    running.graceTimer = setTimeout(() => void this.end(), this.#options.cancelGraceMs);
  }

  #onMessage(message: FromWorker): void {
    if (message.kind === 'ready') {
      this.#isReady = true;
      clearTimeout(this.#startTimer);
      this.#events.onIdle(this);
      return;
    }
    // An ending thread is not given another circuit, so its answers no longer matter.
    if (message.id !== this.#running?.id || this.#isEnding) return;
    switch (message.kind) {
      case 'progress':
        this.#running.onProgress(message.fraction);
        return;
      case 'done':
        this.#settle((running) => running.resolve(message.outcome));
        return;
      case 'failed':
        this.#settle((running) => running.reject(errorOf(message.failure)));
        return;
      case 'aborted':
        this.#settle((running) => running.reject(running.signal.reason));
        return;
    }
  }

  /** The thread is free before the caller hears of it: the next circuit is on its way by then. */
  #settle(answer: (running: Running) => void): void {
    const running = this.#take();
    if (running === undefined) return;
    this.#worker.unref();
    this.#events.onIdle(this);
    if (running.signal.aborted) running.reject(running.signal.reason);
    else answer(running);
  }

  #onExit(exitCode: number): void {
    clearTimeout(this.#startTimer);
    const how = this.#fault?.how ?? `exit code ${exitCode}`;
    const running = this.#take();
    this.#events.onExit(this, { wasReady: this.#isReady, wasIntended: this.#isEnding, how });
    if (running?.signal.aborted) running.reject(running.signal.reason);
    else running?.reject(new WorkerLostError(how, { cause: this.#fault?.cause }));
  }

  #take(): Running | undefined {
    const running = this.#running;
    if (running === undefined) return undefined;
    this.#running = undefined;
    clearTimeout(running.graceTimer);
    running.signal.removeEventListener('abort', running.onAbort);
    return running;
  }
}

function errorOf(failure: WorkerFailure): Error {
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
