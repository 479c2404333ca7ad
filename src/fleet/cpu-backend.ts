/**
 * What runs the circuits of both simulators on one machine: one pool of engine threads behind one
 * bounded queue. Each processor is a group of the queue and can be paused by itself.
 *
 * Ahead of the queue goes the urgent lane: self-tests, which must not wait behind a thousand
 * circuits to tell whether they would run, and circuits whose thread was lost, which have waited
 * once already. A lost circuit is run once more; a second loss is the caller's EngineLostError.
 */
import type { Circuit } from '../circuit/circuit.ts';
import type { RunRequest } from '../engine/engine.ts';
import { EnginePool, type EnginePoolOptions } from './engine-pool.ts';
import { EngineLostError, FleetClosedError, QueueFullError, WorkerLostError } from './errors.ts';
import type { ProcessorLoad, TaskHooks } from './processor.ts';
import { RunTimes } from './run-times.ts';
import { type SerializedCircuit, sizeOfCircuit } from './serialized-circuit.ts';
import { type Priority, WorkQueue } from './work-queue.ts';
import type { WorkerOutcome } from './worker-messages.ts';

/** Waiting circuits may take this much memory together; the one that crosses it is still taken. */
const MAX_WAITING_BYTES = 512 * 2 ** 20;
/** A circuit is started this often at most. */
const MAX_ATTEMPTS = 2;

/** Work for the backend. */
export interface BackendTask {
  /** Unique among the tasks that wait. */
  readonly id: string;
  /** The processor it was sent to. */
  readonly group: string;
  readonly priority: Priority;
  readonly circuit: Circuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
  /** A self-test: goes ahead of the queue, also while its group is paused. */
  readonly isSelfTest?: boolean;
}

/** What the backend gives back. */
export interface BackendOutcome extends WorkerOutcome {
  /** From submission to the last start, milliseconds. */
  readonly queueMs: number;
}

/** How a backend is made. */
export interface CpuBackendOptions extends EnginePoolOptions {
  /** Circuits that may wait, over all groups. */
  readonly queueLimit: number;
  /** Milliseconds of waiting that raise a circuit by one priority level. */
  readonly ageingMs: number;
}

interface Submitted extends BackendTask {
  readonly hooks: TaskHooks;
  readonly signal: AbortSignal;
  readonly submittedAt: number;
  readonly resolve: (outcome: BackendOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  attempts: number;
  startedAt: number;
  fraction: number;
}

/** The engine threads of this machine and what waits for them. */
export class CpuBackend {
  readonly #options: CpuBackendOptions;
  readonly #queue: WorkQueue<Submitted>;
  readonly #urgent: Submitted[] = [];
  readonly #running = new Set<Submitted>();
  readonly #runTimes = new RunTimes();
  #waitingBytes = 0;
  #pool: EnginePool | undefined;
  #lastSignOfLife = performance.now();
  #isClosed = false;
  /** Runs while something waits: threads hold the process only once they have a circuit. */
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(options: CpuBackendOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ capacity: options.queueLimit, ageingMs: options.ageingMs });
  }

  /** Starts the engine threads. */
  open(): void {
    if (this.#isClosed) throw new FleetClosedError();
    this.#pool ??= new EnginePool(this.#options, {
      onIdle: () => {
        this.#lastSignOfLife = performance.now();
        this.#dispatch();
      },
      onFault: () => this.#failUrgent(),
    });
  }

  /** On the clock of `performance.now()`: when a thread last finished, progressed or was opened. */
  get lastSignOfLife(): number {
    return this.#lastSignOfLife;
  }

  /**
   * Checks that the queue has room for a circuit of the group.
   *
   * @throws {QueueFullError}
   */
  admit(group: string): void {
    const isHeavy = this.#waitingBytes >= MAX_WAITING_BYTES;
    if (!this.#queue.isFull && !isHeavy) return;
    const untilRoomMs = this.#runTimes.meanMs / this.#options.numThreads;
    throw new QueueFullError(
      group,
      isHeavy
        ? `${MAX_WAITING_BYTES / 2 ** 20} MiB of circuits`
        : `${this.#queue.capacity} circuits`,
      Math.max(1, Math.ceil(untilRoomMs / 1000)),
    );
  }

  /**
   * Queues a task and runs it in its turn.
   *
   * @throws {QueueFullError} unless readmitted or a self-test.
   * @throws {EngineLostError} if its thread was lost twice, or no thread can be started.
   * @throws {FleetClosedError}
   * @throws what the compiler and the engine throw, as EnginePool.run.
   * @throws the signal's reason; a running circuit's work has stopped by then.
   */
  async submit(task: BackendTask, hooks: TaskHooks, signal: AbortSignal): Promise<BackendOutcome> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new FleetClosedError();
    const isSelfTest = task.isSelfTest === true;
    if (!isSelfTest && hooks.readmitted !== true) this.admit(task.group);
    const { promise, resolve, reject } = Promise.withResolvers<BackendOutcome>();
    const submitted: Submitted = {
      ...task,
      hooks,
      signal,
      submittedAt: performance.now(),
      resolve,
      reject,
      onAbort: () => this.#dropWaiting(submitted),
      attempts: 0,
      startedAt: 0,
      fraction: 0,
    };
    signal.addEventListener('abort', submitted.onAbort, { once: true });
    if (isSelfTest) this.#addUrgent(submitted);
    else {
      this.#queue.add(submitted, submitted.submittedAt);
      this.#waitingBytes += sizeOfCircuit(task.circuit);
    }
    this.#dispatch();
    return promise;
  }

  /** Tasks that will start before this one, as things stand; undefined once it does not wait. */
  position(taskId: string): number | undefined {
    const place = this.#urgent.findIndex((task) => task.id === taskId);
    if (place >= 0) return place;
    const position = this.#queue.position(taskId, performance.now());
    return position === undefined ? undefined : position + this.#urgent.length;
  }

  load(group: string): ProcessorLoad {
    const running = [...this.#running];
    return {
      queueDepth: this.#queue.length,
      running: running.filter((task) => task.group === group && !task.isSelfTest).length,
      expectedWaitMs: this.#runTimes.expectedWaitMs(
        running,
        this.#queue.numOpen(group),
        this.#options.numThreads,
        performance.now(),
      ),
    };
  }

  /** Keeps the group's waiting tasks from starting, or lets them go again. Self-tests run still. */
  setPaused(group: string, isPaused: boolean): void {
    this.#queue.setPaused(group, isPaused);
    this.#dispatch();
  }

  /** Ends the threads; what waits or runs is rejected with FleetClosedError. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of [...this.#urgent.splice(0), ...this.#queue.drain()]) {
      this.#settle(task, () => task.reject(new FleetClosedError()));
    }
    this.#holdProcess();
    await this.#pool?.close();
  }

  #dispatch(): void {
    const pool = this.#pool;
    while (pool !== undefined && pool.numIdle > 0) {
      const task = this.#urgent.shift() ?? this.#takeWaiting();
      if (task === undefined) break;
      void this.#run(pool, task);
    }
    this.#holdProcess();
  }

  #takeWaiting(): Submitted | undefined {
    const task = this.#queue.take(performance.now());
    if (task !== undefined) this.#waitingBytes -= sizeOfCircuit(task.circuit);
    return task;
  }

  async #run(pool: EnginePool, task: Submitted): Promise<void> {
    task.attempts++;
    task.startedAt = performance.now();
    task.fraction = 0;
    this.#running.add(task);
    const onProgress = (fraction: number) => {
      this.#lastSignOfLife = performance.now();
      task.fraction = fraction;
      task.hooks.onProgress?.(fraction);
    };
    try {
      const { circuit, request, signal } = task;
      if (task.attempts === 1) task.hooks.onStarted?.();
      const outcome = await pool.run({ circuit, request, onProgress, signal });
      this.#running.delete(task);
      if (!task.isSelfTest) this.#runTimes.add(performance.now() - task.startedAt);
      const queueMs = task.startedAt - task.submittedAt;
      this.#settle(task, () => task.resolve({ ...outcome, queueMs }));
    } catch (error) {
      this.#running.delete(task);
      this.#onFailure(task, error);
    }
  }

  #onFailure(task: Submitted, error: unknown): void {
    if (!(error instanceof WorkerLostError)) {
      this.#settle(task, () => task.reject(error));
    } else if (this.#isClosed) {
      this.#settle(task, () => task.reject(new FleetClosedError()));
    } else if (task.attempts < MAX_ATTEMPTS) {
      this.#addUrgent(task);
      this.#dispatch();
    } else {
      const lost = new EngineLostError(task.attempts, { cause: error });
      this.#settle(task, () => task.reject(lost));
    }
  }

  #addUrgent(task: Submitted): void {
    this.#urgent.push(task);
    if (this.#pool?.fault !== undefined) this.#failUrgent();
  }

  /** No thread can be started: what was to go first is told so instead of waiting for one. */
  #failUrgent(): void {
    for (const task of this.#urgent.splice(0)) {
      const lost = new EngineLostError(task.attempts, { cause: this.#pool?.fault });
      this.#settle(task, () => task.reject(lost));
    }
    this.#holdProcess();
  }

  /** The signal aborted; a task that runs is the pool's to stop. */
  #dropWaiting(task: Submitted): void {
    if (this.#running.has(task)) return;
    const place = this.#urgent.indexOf(task);
    if (place >= 0) this.#urgent.splice(place, 1);
    else if (this.#queue.remove(task.id)) this.#waitingBytes -= sizeOfCircuit(task.circuit);
    this.#settle(task, () => task.reject(task.signal.reason));
    this.#holdProcess();
  }

  #settle(task: Submitted, answer: () => void): void {
    task.signal.removeEventListener('abort', task.onAbort);
    answer();
  }

  #holdProcess(): void {
    const isWaiting = this.#urgent.length + this.#queue.length > 0;
    if (isWaiting) this.#keepAlive ??= setInterval(() => {}, 2 ** 30);
    else {
      clearInterval(this.#keepAlive);
      this.#keepAlive = undefined;
    }
  }
}
