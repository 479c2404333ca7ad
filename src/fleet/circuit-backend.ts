/**
 * What runs the circuits of the simulators on one machine: one bounded queue in front of lanes of
 * engines: threads for small circuits, an engine on all threads for wide ones, and a process for each
 * adapter. Each processor is a group of the queue and can be paused by itself. Each lane takes the
 * next of its own line, so a wide circuit that waits for its engine never holds up a small one.
 *
 * Where a processor may use adapters and the CPU, its small circuits go to the CPU, which is done with
 * them before an adapter has begun; wide ones go to adapters, and to the CPU's wide engine while no
 * adapter takes them.
 *
 * Ahead of the queue goes each lane's urgent list: self-tests, which must not wait behind a thousand
 * circuits to tell whether they would run, and circuits whose worker was lost, which have waited once
 * already. A lost circuit is run once more, on another adapter or on the CPU where there is one that
 * takes it; what fails again is the caller's EngineLostError.
 */
import { extname } from 'node:path';
import type { Circuit } from '../circuit/circuit.ts';
import { AdapterLane, type AdapterLaneOptions } from './adapter-lane.ts';
import {
  type BackendOutcome,
  type BackendTask,
  EngineLane,
  type EngineLaneEvents,
  type SubmittedTask,
} from './engine-lane.ts';
import {
  EngineFailure,
  EngineLostError,
  FleetClosedError,
  QueueFullError,
  WorkerLostError,
} from './errors.ts';
import { LaneSet } from './lane-set.ts';
import type { ProcessorLoad, TaskHooks } from './processor.ts';
import { type SerializedCircuit, sizeOfCircuit } from './serialized-circuit.ts';
import { threadStarter } from './thread-host.ts';
import { type LaneId, type Line, WIDTHS, type Width } from './width.ts';
import { WorkQueue } from './work-queue.ts';
import type { EngineOptions } from './worker-messages.ts';

const WORKER_ENTRY = new URL(`./engine-worker${extname(import.meta.url)}`, import.meta.url);
const HEAP_LIMIT_MB = 2048;
/** Waiting circuits may take this much memory together; the one that crosses it is still taken. */
const MAX_WAITING_BYTES = 512 * 2 ** 20;
/** A circuit is started this often at most: on an adapter, on another, and on the CPU. */
const MAX_ATTEMPTS = { cpu: 2, adapter: 3 } as const;
/** What an adapter has too little of, another may have. */
const NO_MEMORY = 'ENGINE_STATE_MEMORY';

/** Threads, each with engines. */
export interface ThreadLane {
  readonly numWorkers: number;
  readonly engine: EngineOptions;
}

/** How a backend is made. */
export interface CircuitBackendOptions {
  /** What fits these engines is a small circuit. */
  readonly small: ThreadLane;
  readonly wide: ThreadLane;
  /** Circuits that may wait, over all groups and widths. */
  readonly queueLimit: number;
  /** Milliseconds of waiting that raise a circuit by one priority level. */
  readonly ageingMs: number;
  /** The threads' module; the product's own unless a test brings another. */
  readonly workerEntry?: URL;
  /** How long a cancelled circuit may take to stop by itself before its thread is ended. */
  readonly cancelGraceMs?: number;
  /** JavaScript heap of one thread; state vectors live outside it. */
  readonly heapLimitMb?: number;
}

/** The engines of this machine and what waits for them. */
export class CircuitBackend {
  readonly #queue: WorkQueue<SubmittedTask>;
  readonly #lanes: LaneSet;
  readonly #options: CircuitBackendOptions;
  readonly #maxSmallQubits: number;
  #waitingBytes = 0;
  #isClosed = false;
  /** Runs while something waits: workers hold the process only once they have a circuit. */
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(options: CircuitBackendOptions) {
    const { small, wide, queueLimit, ageingMs } = options;
    this.#options = options;
    this.#queue = new WorkQueue({ capacity: queueLimit, ageingMs });
    const cpu = { small: this.#threads('small', small), wide: this.#threads('wide', wide) };
    this.#lanes = new LaneSet(cpu, wide.engine.maxQubits);
    const { f32, f64 } = small.engine.maxQubits;
    this.#maxSmallQubits = Math.min(f32, f64);
  }

  /** Starts the engine threads. */
  open(): void {
    if (this.#isClosed) throw new FleetClosedError();
    for (const width of WIDTHS) this.#openLane(this.#lanes.cpu[width]);
  }

  /**
   * Starts the process of an adapter. It is given circuits once it is said to be healthy.
   *
   * @param onLost - Hears that the process ended, by itself or because its device was lost: it is to
   *   say at once that the adapter is not healthy. Another process is started.
   */
  addAdapter(options: AdapterLaneOptions, onLost: (how: string) => void): AdapterLane {
    if (this.#isClosed) throw new FleetClosedError();
    const lane = this.#lanes.addAdapter(options);
    this.#openLane(lane, onLost);
    return lane;
  }

  /** Gives an adapter circuits, or none; what was to go first on it goes elsewhere then, or fails. */
  setHealthy(lane: AdapterLane, isHealthy: boolean): void {
    lane.isHealthy = isHealthy;
    if (!isHealthy) this.#giveUp(lane, ({ selfTestOf }) => selfTestOf === undefined);
    this.#dispatchAll();
  }

  #threads(id: Width, { numWorkers, engine }: ThreadLane): EngineLane {
    const {
      workerEntry = WORKER_ENTRY,
      cancelGraceMs,
      heapLimitMb = HEAP_LIMIT_MB,
    } = this.#options;
    return new EngineLane(id, {
      numWorkers,
      start: threadStarter({ entry: workerEntry, setup: { engine }, heapLimitMb }),
      ...(cancelGraceMs !== undefined && { cancelGraceMs }),
    });
  }

  #openLane(lane: EngineLane, onLost?: EngineLaneEvents['onLost']): void {
    lane.open({
      onIdle: () => this.#dispatch(lane),
      onFault: () => this.#giveUp(lane),
      ...(onLost && { onLost }),
    });
  }

  /** Where a circuit waits that may run on the backing. */
  lineOf(
    { numQubits }: Circuit | SerializedCircuit,
    backing: BackendTask['backing'] = 'cpu',
  ): Line {
    if (backing === 'adapter') return 'adapter';
    if (numQubits <= this.#maxSmallQubits) return 'small';
    return backing === 'cpu' || !this.#lanes.hasAdapters ? 'wide' : 'adapter';
  }

  /** On the clock of `performance.now()`: when a worker of that lane last showed that it lives. */
  lastSignOfLife(id: LaneId): number {
    return this.#lanes.lane(id).lastSignOfLife;
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
   * @throws {EngineLostError} if its worker was lost, and those that ran it again were too, or no
   *   worker can be started.
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
      line: this.lineOf(task.circuit, task.backing),
      failedOn: new Set(),
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
    if (task.selfTestOf !== undefined)
      this.#addUrgent(this.#lanes.lane(task.selfTestOf), submitted);
    else {
      this.#queue.add(submitted, submitted.submittedAt);
      this.#waitingBytes += sizeOfCircuit(task.circuit);
      if (submitted.line === 'adapter') this.#dispatchAll();
      else this.#dispatch(this.#lanes.cpu[submitted.line]);
    }
    return promise;
  }

  /**
   * Tasks that will start before this one on the engines that it waits for, as things stand;
   * undefined once it does not wait.
   */
  position(taskId: string): number | undefined {
    for (const { urgent } of this.#lanes.all) {
      const place = urgent.findIndex((task) => task.id === taskId);
      if (place >= 0) return place;
    }
    const line = this.#queue.lineOf(taskId);
    if (line === undefined) return undefined;
    const position = this.#queue.position(taskId, performance.now()) ?? 0;
    const urgent = this.#lanes.of(line).map((lane) => lane.urgent.length);
    return position + Math.min(...urgent);
  }

  /** @param backing - Of the group's circuits. */
  load(group: string, backing: BackendTask['backing'] = 'cpu'): ProcessorLoad {
    const small = backing === 'adapter' ? 'adapter' : 'small';
    const wide = backing === 'cpu' || !this.#lanes.hasAdapters ? 'wide' : 'adapter';
    return {
      queueDepth: this.#queue.length,
      running: this.#lanes.all.reduce((sum, lane) => sum + lane.numRunning(group), 0),
      expectedWaitMs: this.#lanes.expectedWaitMs(small, this.#queue.numOpen(small, group)),
      expectedWideWaitMs: this.#lanes.expectedWaitMs(wide, this.#queue.numOpen(wide, group)),
    };
  }

  /** Keeps the group's waiting tasks from starting, or lets them go again. Self-tests run still. */
  setPaused(group: string, isPaused: boolean): void {
    this.#queue.setPaused(group, isPaused);
    this.#dispatchAll();
  }

  /** Ends the workers; what waits or runs is rejected with FleetClosedError. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const urgent = this.#lanes.all.flatMap((lane) => lane.urgent.splice(0));
    for (const task of [...urgent, ...this.#queue.drain()]) {
      this.#settle(task, () => task.reject(new FleetClosedError()));
    }
    this.#holdProcess();
    await Promise.all(this.#lanes.all.map((lane) => lane.close()));
  }

  #dispatchAll(): void {
    for (const lane of this.#lanes.inTurn) this.#dispatch(lane);
  }

  #dispatch(lane: EngineLane): void {
    while (lane.hasIdle) {
      const task = this.#takeUrgent(lane) ?? this.#takeWaiting(lane);
      if (task === undefined) break;
      void this.#run(lane, task);
    }
    this.#holdProcess();
  }

  /** An adapter that is not known to be well runs self-tests only. */
  #takeUrgent(lane: EngineLane): SubmittedTask | undefined {
    const { urgent } = lane;
    const isOpen = !(lane instanceof AdapterLane) || lane.isHealthy;
    const place = urgent.findIndex(({ selfTestOf }) => isOpen || selfTestOf !== undefined);
    return place < 0 ? undefined : urgent.splice(place, 1)[0];
  }

  #takeWaiting(lane: EngineLane): SubmittedTask | undefined {
    const task = this.#lanes.next(lane, this.#queue);
    if (task !== undefined) this.#waitingBytes -= sizeOfCircuit(task.circuit);
    return task;
  }

  async #run(lane: EngineLane, task: SubmittedTask): Promise<void> {
    try {
      const outcome = await lane.run(task);
      this.#settle(task, () => task.resolve(outcome));
    } catch (error) {
      this.#onFailure(lane, task, error);
    }
  }

  #onFailure(lane: EngineLane, task: SubmittedTask, error: unknown): void {
    const isLost = error instanceof WorkerLostError;
    if (isLost && this.#isClosed) {
      this.#settle(task, () => task.reject(new FleetClosedError()));
      return;
    }
    task.failedOn.add(lane.id);
    const next = this.#retryOn(lane, task, error);
    if (next !== undefined) {
      task.hooks.onStartedOver?.();
      this.#addUrgent(next, task);
    } else {
      const failure = isLost ? new EngineLostError(task.attempts, { cause: error }) : error;
      this.#settle(task, () => task.reject(failure));
    }
  }

  /** Where a circuit that failed is tried again; undefined where it is not. */
  #retryOn(lane: EngineLane, task: SubmittedTask, error: unknown): EngineLane | undefined {
    const isLost = error instanceof WorkerLostError;
    const isAdapter = lane instanceof AdapterLane;
    const maxAttempts = isAdapter ? MAX_ATTEMPTS.adapter : MAX_ATTEMPTS.cpu;
    if (task.attempts >= maxAttempts) return undefined;
    if (!isAdapter || task.selfTestOf !== undefined) return isLost ? lane : undefined;
    const hasNoMemory = error instanceof EngineFailure && error.code === NO_MEMORY;
    if (!isLost && !hasNoMemory) return undefined;
    // Where nothing else takes it: the same adapter once more, which is opened anew.
    return this.#lanes.elsewhere(task) ?? (isLost ? lane : undefined);
  }

  #addUrgent(lane: EngineLane, task: SubmittedTask): void {
    lane.urgent.push(task);
    if (lane.fault !== undefined) this.#giveUp(lane);
    this.#dispatch(lane);
  }

  /** What was to go first on a lane that runs nothing goes elsewhere, or is told so. */
  #giveUp(lane: EngineLane, concerns: (task: SubmittedTask) => boolean = () => true): void {
    for (const task of lane.urgent.filter(concerns)) {
      lane.urgent.splice(lane.urgent.indexOf(task), 1);
      const other = task.selfTestOf === undefined ? this.#lanes.elsewhere(task) : undefined;
      if (other !== undefined && other.id !== lane.id) {
        this.#addUrgent(other, task);
        continue;
      }
      const lost = new EngineLostError(task.attempts, { cause: lane.fault });
      this.#settle(task, () => task.reject(lost));
    }
    this.#holdProcess();
  }

  /** The signal aborted; a task that runs is the pool's to stop. */
  #dropWaiting(task: SubmittedTask): void {
    const lanes = this.#lanes.all;
    if (lanes.some(({ running }) => running.has(task))) return;
    const lane = lanes.find(({ urgent }) => urgent.includes(task));
    if (lane !== undefined) lane.urgent.splice(lane.urgent.indexOf(task), 1);
    else if (this.#queue.remove(task.id)) this.#waitingBytes -= sizeOfCircuit(task.circuit);
    this.#settle(task, () => task.reject(task.signal.reason));
    this.#holdProcess();
  }

  #settle(task: SubmittedTask, answer: () => void): void {
    task.signal.removeEventListener('abort', task.onAbort);
    answer();
  }

  /** Until the queue has one circuit less: the lines that have something to take share it. */
  #untilRoomMs(): number {
    const lines: readonly Line[] = ['small', 'wide', 'adapter'];
    const busy = lines.filter((line) => this.#queue.numOpen(line) > 0);
    const lanes = new Set(busy.flatMap((line) => this.#lanes.of(line)));
    const perMs = [...lanes].reduce((sum, lane) => sum + lane.circuitsPerMs, 0);
    return perMs === 0 ? 0 : 1 / perMs;
  }

  #holdProcess(): void {
    const isUrgent = this.#lanes.all.some(({ urgent }) => urgent.length > 0);
    if (isUrgent || this.#queue.length > 0) this.#keepAlive ??= setInterval(() => {}, 2 ** 30);
    else {
      clearInterval(this.#keepAlive);
      this.#keepAlive = undefined;
    }
  }
}
