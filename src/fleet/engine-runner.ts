/**
 * One worker, a thread or a process, and the one circuit it runs at a time.
 *
 * A circuit's promise always settles: with the worker's answer, with the signal's reason once the
 * work has stopped, or with WorkerLostError when the worker ends. A cancelled circuit that is still
 * running after the grace is stopped by ending its worker, and so is one whose worker falls silent
 * where a limit is set to that.
 */
import type { Circuit } from '../circuit/circuit.ts';
import type { RunRequest } from '../engine/engine.ts';
import { EngineFailure, OutOfMemoryError, WorkerLostError } from './errors.ts';
import type { SerializedCircuit } from './serialized-circuit.ts';
import type { StartWorker, WorkerHost } from './worker-host.ts';
import type {
  EngineReport,
  FromWorker,
  Precision,
  WorkerFailure,
  WorkerOutcome,
} from './worker-messages.ts';

/** How long a worker may take to open its engine, unless told otherwise. */
const START_LIMIT_MS = 30_000;

/** A circuit for a worker. */
export interface WorkerTask {
  readonly precision: Precision;
  readonly circuit: Circuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
  readonly onProgress: (fraction: number) => void;
  readonly signal: AbortSignal;
}

/** How a worker is started and stopped. */
export interface EngineRunnerOptions {
  readonly start: StartWorker;
  /** How long a cancelled circuit may take to stop by itself. */
  readonly cancelGraceMs: number;
  /** How long a worker may take to open its engine; 30 s by default. */
  readonly startLimitMs?: number;
  /** How long a worker with a circuit may send nothing; it means to send something every second. */
  readonly silenceLimitMs?: number;
}

/** What the pool wants to hear. */
export interface EngineRunnerEvents {
  /** The worker is open, or a circuit is through: the worker can take one now. */
  readonly onIdle: (runner: EngineRunner) => void;
  /** The worker has ended. */
  readonly onExit: (runner: EngineRunner, exit: WorkerExit) => void;
}

/** How a worker ended. */
export interface WorkerExit {
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

/** A worker with an engine. */
export class EngineRunner {
  readonly #host: WorkerHost;
  readonly #options: EngineRunnerOptions;
  readonly #events: EngineRunnerEvents;
  readonly #startTimer: NodeJS.Timeout;
  #silenceTimer: NodeJS.Timeout | undefined;
  #running: Running | undefined;
  #numRun = 0;
  #isReady = false;
  #isEnding = false;
  #report: EngineReport | undefined;
  #fault: { readonly how: string; readonly cause?: unknown } | undefined;

  constructor(options: EngineRunnerOptions, events: EngineRunnerEvents) {
    this.#options = options;
    this.#events = events;
    this.#host = options.start({
      onMessage: (message) => this.#onMessage(message),
      onFault: (how, cause) => {
        this.#fault ??= { how, cause };
      },
      onExit: (how) => this.#onExit(how),
    });
    const { startLimitMs = START_LIMIT_MS } = options;
    this.#startTimer = setTimeout(
      () => this.#give(`it was not open after ${startLimitMs} ms`),
      startLimitMs,
    ).unref();
  }

  /** Whether the engine has been opened. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** What the worker said of its engine when it was open. */
  get report(): EngineReport | undefined {
    return this.#report;
  }

  /** Of the worker's process, where it has one of its own. */
  get pid(): number | undefined {
    return this.#host.pid;
  }

  /** Runs a circuit; the worker is idle. */
  run(task: WorkerTask): Promise<WorkerOutcome> {
    if (this.#running !== undefined) throw new Error('unreachable: the worker runs a circuit');
    const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome>();
    const id = this.#numRun++;
    const onAbort = () => this.#cancel(id);
    const { precision, circuit, request } = task;
    this.#running = { ...task, id, resolve, reject, onAbort };
    this.#host.setHolding(true);
    task.signal.addEventListener('abort', onAbort, { once: true });
    this.#watchSilence();
    try {
      this.#host.post({ kind: 'run', id, precision, circuit, request });
    } catch (error) {
      // What cannot be cloned never left; the worker stays as it was.
      this.#settle((running) => running.reject(error));
    }
    return promise;
  }

  /** Ends the worker; a circuit it runs is rejected. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#host.end();
  }

  /** Ends a worker that is of no more use. */
  #give(how: string): void {
    this.#fault ??= { how };
    void this.#host.end();
  }

  #cancel(id: number): void {
    const running = this.#running;
    if (running?.id !== id) return;
    this.#host.post({ kind: 'cancel', id });
    running.graceTimer = setTimeout(() => void this.end(), this.#options.cancelGraceMs);
  }

  /** Counts again from now. */
  #watchSilence(): void {
    clearTimeout(this.#silenceTimer);
    const { silenceLimitMs } = this.#options;
    if (silenceLimitMs === undefined || this.#running === undefined) return;
    this.#silenceTimer = setTimeout(
      () => this.#give(`it said nothing for ${silenceLimitMs} ms`),
      silenceLimitMs,
    );
  }

  #onMessage(message: FromWorker): void {
    if (message.kind === 'ready') {
      this.#isReady = true;
      this.#report = message.report;
      clearTimeout(this.#startTimer);
      this.#events.onIdle(this);
      return;
    }
    if (message.kind === 'lost') {
      this.#give(message.how);
      return;
    }
    // An ending worker is not given another circuit, so its answers no longer matter.
    if (message.id !== this.#running?.id || this.#isEnding) return;
    this.#watchSilence();
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

  /** The worker is free before the caller hears of it: the next circuit is on its way by then. */
  #settle(answer: (running: Running) => void): void {
    const running = this.#take();
    if (running === undefined) return;
    this.#host.setHolding(false);
    this.#events.onIdle(this);
    if (running.signal.aborted) running.reject(running.signal.reason);
    else answer(running);
  }

  #onExit(exitHow: string): void {
    clearTimeout(this.#startTimer);
    const how = this.#fault?.how ?? exitHow;
    const running = this.#take();
    this.#events.onExit(this, { wasReady: this.#isReady, wasIntended: this.#isEnding, how });
    if (running?.signal.aborted) running.reject(running.signal.reason);
    else running?.reject(new WorkerLostError(how, { cause: this.#fault?.cause }));
  }

  #take(): Running | undefined {
    const running = this.#running;
    if (running === undefined) return undefined;
    this.#running = undefined;
    clearTimeout(this.#silenceTimer);
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
