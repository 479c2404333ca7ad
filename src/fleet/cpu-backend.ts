/**
 * What runs the circuits of both simulators on one machine: one bounded queue in front of two lanes,
 * engines for small circuits and one for wide ones. Each processor is a group of the queue and can be
 * paused by itself. A wide circuit that waits for its engine never holds up a small one, nor the
 * other way round: each lane takes the next of its own width.
 *
 * Ahead of the queue goes each lane's urgent list: self-tests, which must not wait behind a thousand
 * circuits to tell whether they would run, and circuits whose thread was lost, which have waited
 * once already. A lost circuit is run once more; a second loss is the caller's EngineLostError.
 */
import type { Circuit } from '../circuit/circuit.ts';
import {
  type BackendOutcome,
  type BackendTask,
  EngineLane,
  type SubmittedTask,
} from './engine-lane.ts';
import type { EnginePoolOptions } from './engine-pool.ts';
import { EngineLostError, FleetClosedError, QueueFullError, WorkerLostError } from './errors.ts';
import type { ProcessorLoad, TaskHooks } from './processor.ts';
import { type SerializedCircuit, sizeOfCircuit } from './serialized-circuit.ts';
import { WIDTHS, type Width } from './width.ts';
import { WorkQueue } from './work-queue.ts';

/** Waiting circuits may take this much memory together; the one that crosses it is still taken. */
const MAX_WAITING_BYTES = 512 * 2 ** 20;
/** A circuit is started this often at most. */
const MAX_ATTEMPTS = 2;

/** How a backend is made. */
export interface CpuBackendOptions extends Omit<EnginePoolOptions, 'numWorkers' | 'engine'> {
  /** What fits these engines is a small circuit. */
  readonly small: Pick<EnginePoolOptions, 'numWorkers' | 'engine'>;
  readonly wide: Pick<EnginePoolOptions, 'numWorkers' | 'engine'>;
  /** Circuits that may wait, over all groups and widths. */
  readonly queueLimit: number;
  /** Milliseconds of waiting that raise a circuit by one priority level. */
  readonly ageingMs: number;
}

/** The engine threads of this machine and what waits for them. */
export class CpuBackend {
  readonly #queue: WorkQueue<SubmittedTask>;
  readonly #lanes: Readonly<Record<Width, EngineLane>>;
  readonly #maxSmallQubits: number;
  #waitingBytes = 0;
  #isClosed = false;
  /** Runs while something waits: threads hold the process only once they have a circuit. */
  #keepAlive: NodeJS.Timeout | undefined;

  constructor({ small, wide, queueLimit, ageingMs, ...pool }: CpuBackendOptions) {
    this.#queue = new WorkQueue({ capacity: queueLimit, ageingMs });
    this.#lanes = {
      small: new EngineLane({ ...pool, ...small }),
      wide: new EngineLane({ ...pool, ...wide }),
    };
    const { f32, f64 } = small.engine.maxQubits;
    this.#maxSmallQubits = Math.min(f32, f64);
  }

  /** Starts the engine threads. */
  open(): void {
    if (this.#isClosed) throw new FleetClosedError();
    for (const width of WIDTHS) {
      this.#lanes[width].open({
        onIdle: () => this.#dispatch(width),
        onFault: () => this.#failUrgent(width),
      });
    }
  }

  /** Which engines run a circuit. */
  widthOf({ numQubits }: Circuit | SerializedCircuit): Width {
    return numQubits <= this.#maxSmallQubits ? 'small' : 'wide';
  }

  /** On the clock of `performance.now()`: when a thread of that width last showed that it lives. */
  lastSignOfLife(width: Width): number {
    return this.#lanes[width].lastSignOfLife;
  }

  /**
   * Checks that the queue has room for a circuit of the group.
   *
   * @throws {QueueFullError}
   */
  admit(group: string): void {
    const isHeavy = this.#waitingBytes >= MAX_WAITING_BYTES;
    if (!this.#queue.isFull && !isHeavy) return;
    throw new QueueFullError(
      group,
      isHeavy
        ? `${MAX_WAITING_BYTES / 2 ** 20} MiB of circuits`
        : `${this.#queue.capacity} circuits`,
      Math.max(1, Math.ceil(this.#untilRoomMs() / 1000)),
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
    const isSelfTest = task.selfTestOf !== undefined;
    if (!isSelfTest && hooks.readmitted !== true) this.admit(task.group);
    const { promise, resolve, reject } = Promise.withResolvers<BackendOutcome>();
    const submitted: SubmittedTask = {
      ...task,
      width: task.selfTestOf ?? this.widthOf(task.circuit),
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
    this.#dispatch(submitted.width);
    return promise;
  }

  /**
   * Tasks that will start before this one on the engines of its width, as things stand; undefined
   * once it does not wait.
   */
  position(taskId: string): number | undefined {
    for (const { urgent } of Object.values(this.#lanes)) {
      const place = urgent.findIndex((task) => task.id === taskId);
      if (place >= 0) return place;
    }
    const width = this.#queue.widthOf(taskId);
    if (width === undefined) return undefined;
    const position = this.#queue.position(taskId, performance.now()) ?? 0;
    return position + this.#lanes[width].urgent.length;
  }

  load(group: string): ProcessorLoad {
    const { small, wide } = this.#lanes;
    return {
      queueDepth: this.#queue.length,
      running: small.numRunning(group) + wide.numRunning(group),
      expectedWaitMs: small.expectedWaitMs(this.#queue.numOpen('small', group)),
      expectedWideWaitMs: wide.expectedWaitMs(this.#queue.numOpen('wide', group)),
    };
  }

  /** Keeps the group's waiting tasks from starting, or lets them go again. Self-tests run still. */
  setPaused(group: string, isPaused: boolean): void {
    this.#queue.setPaused(group, isPaused);
    for (const width of WIDTHS) this.#dispatch(width);
  }

  /** Ends the threads; what waits or runs is rejected with FleetClosedError. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const lanes = Object.values(this.#lanes);
    const urgent = lanes.flatMap((lane) => lane.urgent.splice(0));
    for (const task of [...urgent, ...this.#queue.drain()]) {
      this.#settle(task, () => task.reject(new FleetClosedError()));
    }
    this.#holdProcess();
    await Promise.all(lanes.map((lane) => lane.close()));
  }

  #dispatch(width: Width): void {
    const lane = this.#lanes[width];
    while (lane.hasIdle) {
      const task = lane.urgent.shift() ?? this.#takeWaiting(width);
      if (task === undefined) break;
      void this.#run(lane, task);
    }
    this.#holdProcess();
  }

  #takeWaiting(width: Width): SubmittedTask | undefined {
    const task = this.#queue.take(width, performance.now());
    if (task !== undefined) this.#waitingBytes -= sizeOfCircuit(task.circuit);
    return task;
  }

  async #run(lane: EngineLane, task: SubmittedTask): Promise<void> {
    try {
      const outcome = await lane.run(task);
      this.#settle(task, () => task.resolve(outcome));
    } catch (error) {
      this.#onFailure(task, error);
    }
  }

  #onFailure(task: SubmittedTask, error: unknown): void {
    if (!(error instanceof WorkerLostError)) {
      this.#settle(task, () => task.reject(error));
    } else if (this.#isClosed) {
      this.#settle(task, () => task.reject(new FleetClosedError()));
    } else if (task.attempts < MAX_ATTEMPTS) {
      this.#addUrgent(task);
      this.#dispatch(task.width);
    } else {
      const lost = new EngineLostError(task.attempts, { cause: error });
      this.#settle(task, () => task.reject(lost));
    }
  }

  #addUrgent(task: SubmittedTask): void {
    const lane = this.#lanes[task.width];
    lane.urgent.push(task);
    if (lane.fault !== undefined) this.#failUrgent(task.width);
  }

  /** No thread can be started: what was to go first is told so instead of waiting for one. */
  #failUrgent(width: Width): void {
    const { urgent, fault } = this.#lanes[width];
    for (const task of urgent.splice(0)) {
      const lost = new EngineLostError(task.attempts, { cause: fault });
      this.#settle(task, () => task.reject(lost));
    }
    this.#holdProcess();
  }

  /** The signal aborted; a task that runs is the pool's to stop. */
  #dropWaiting(task: SubmittedTask): void {
    const { running, urgent } = this.#lanes[task.width];
    if (running.has(task)) return;
    const place = urgent.indexOf(task);
    if (place >= 0) urgent.splice(place, 1);
    else if (this.#queue.remove(task.id)) this.#waitingBytes -= sizeOfCircuit(task.circuit);
    this.#settle(task, () => task.reject(task.signal.reason));
    this.#holdProcess();
  }

  #settle(task: SubmittedTask, answer: () => void): void {
    task.signal.removeEventListener('abort', task.onAbort);
    answer();
  }

  /** Until the queue has one circuit less: the lanes that have something to take from it share it. */
  #untilRoomMs(): number {
    const busy = WIDTHS.filter((width) => this.#queue.numOpen(width) > 0);
    const perMs = busy.reduce((sum, width) => sum + this.#lanes[width].circuitsPerMs, 0);
    return perMs === 0 ? 0 : 1 / perMs;
  }

  #holdProcess(): void {
    const isUrgent = WIDTHS.some((width) => this.#lanes[width].urgent.length > 0);
    if (isUrgent || this.#queue.length > 0) this.#keepAlive ??= setInterval(() => {}, 2 ** 30);
    else {
      clearInterval(this.#keepAlive);
      this.#keepAlive = undefined;
    }
  }
}
