/**
 * What runs the circuits of the simulators on one machine: the scheduler's decisions carried out on lanes
 * of engines: threads for small circuits, an engine on all threads for wide ones, a process for each
 * adapter, and one for several adapters that hold a state together. Each processor can be paused by
 * itself.
 *
 * Circuits wait in the scheduler's queue until a slot and devices are theirs. A circuit whose engine was
 * lost comes back to the queue, ahead of what has not run yet, and runs where it has not failed, if
 * anything else takes it; what fails again is the caller's EngineLostError. Self-tests go ahead of the
 * queue: they must not wait behind a thousand circuits to tell whether those would run.
 */
import { extname } from 'node:path';
import { AdapterLane, type AdapterLaneOptions } from './adapter-lane.ts';
import type {
  BackendOutcome,
  BackendTask,
  SelfTestTask,
  SubmittedSelfTest,
  SubmittedTask,
  TaskFollowing,
} from './backend-task.ts';
import { EngineLane, type EngineLaneEvents } from './engine-lane.ts';
import {
  EngineFailure,
  EngineLostError,
  FleetClosedError,
  QueueFullError,
  WorkerLostError,
} from './errors.ts';
import { PlanCache } from './plan-cache.ts';
import type { ProcessorLoad, TaskHooks } from './processor.ts';
import type { DeviceBook } from './schedule/device-book.ts';
import type { LaneNeed } from './schedule/eligible-lanes.ts';
import type { DeviceView } from './schedule/lane-view.ts';
import { runWork } from './schedule/run-work.ts';
import { levelOf, type MayRunOn } from './schedule/scheduled-task.ts';
import { type Dispatch, type Plan, Scheduler } from './schedule/scheduler.ts';
import { sizeOfCircuit, workOfCircuit } from './serialized-circuit.ts';
import { threadStarter } from './thread-host.ts';
import { type LaneId, WIDTHS, type Width } from './width.ts';
import type { EngineOptions } from './worker-messages.ts';

const WORKER_ENTRY = new URL(`./engine-worker${extname(import.meta.url)}`, import.meta.url);
const HEAP_LIMIT_MB = 2048;
/** Waiting circuits may take this much memory together; the one that crosses it is still taken. */
const MAX_WAITING_BYTES = 512 * 2 ** 20;
/** A circuit is started this often at most: on an adapter, on another, and on the CPU. */
const MAX_ATTEMPTS = { cpu: 2, adapter: 3 } as const;
/** What an adapter has too little of, another may have. */
const NO_MEMORY = 'ENGINE_STATE_MEMORY';
/** Threads of the machine on which the estimates' model was measured. */
const MODEL_THREADS = 2;
/** Bytes a second that a pass over a state moved on that machine, read plus written. */
const MODEL_BYTES_PER_SECOND = (2 * 8 * 2 ** 26) / 0.028;
/** Of an adapter on which nothing was measured: one that was comes first, until runs say better. */
const UNMEASURED_SPEED = 0.01;

/** The way to an adapter's process and through its queue, as measured on software drivers. */
const ADAPTER_FIXED_MS = 1.5;

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
  /** Circuits that may wait, over all processors and widths. */
  readonly queueLimit: number;
  /** Milliseconds of waiting that raise a circuit by one level; a priority is two. */
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
  readonly #scheduler: Scheduler<SubmittedTask>;
  readonly #plans: PlanCache;
  readonly #lanes = new Map<LaneId, EngineLane>();
  readonly #options: CircuitBackendOptions;
  /** Runs of spread lanes, by the adapter that each keeps from running anything else. */
  readonly #held = new Map<LaneId, number>();
  readonly #numRunning = new Map<string, number>();
  /** Circuits that were given to a worker and have not begun, with all of their list that have not. */
  readonly #listed = new Map<string, SubmittedTask[]>();
  #waitingBytes = 0;
  #isClosed = false;
  #isPumping = false;
  #pumpAgain = false;
  /** Runs while something waits: workers hold the process only once they have a circuit. */
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(options: CircuitBackendOptions) {
    const { small, wide, ageingMs } = options;
    this.#options = options;
    const { f32, f64 } = small.engine.maxQubits;
    this.#scheduler = new Scheduler({ ageingMs, maxSmallQubits: Math.min(f32, f64) });
    this.#plans = new PlanCache(() => this.#scheduler.plan(performance.now()));
    this.#addThreads('small', small);
    this.#addThreads('wide', wide);
  }

  /** Starts the engine threads. */
  open(): void {
    if (this.#isClosed) throw new FleetClosedError();
    for (const width of WIDTHS) this.#openLane(this.#lane(width));
  }

  /**
   * Starts the process of an adapter, or of several that hold a state together. It is given circuits
   * once it is said to be healthy.
   *
   * @param onLost - Hears that the process ended, by itself or because its device was lost: it is to
   *   say at once that the adapter is not healthy. Another process is started.
   */
  addAdapter(options: AdapterLaneOptions, onLost: (how: string) => void): AdapterLane {
    if (this.#isClosed) throw new FleetClosedError();
    const kind = options.members === undefined ? 'adapter' : 'spread';
    const number = [...this.#lanes.keys()].filter((id) => id.startsWith(kind)).length;
    const lane = new AdapterLane(`${kind}-${number}`, options);
    this.#lanes.set(lane.id, lane);
    this.#setAdapterLane(lane);
    this.#openLane(lane, onLost);
    return lane;
  }

  /** Gives an adapter circuits, or none. */
  setHealthy(lane: AdapterLane, isHealthy: boolean): void {
    lane.isHealthy = isHealthy;
    this.#setAdapterLane(lane);
    if (!isHealthy) this.#dropHopeless(lane);
    this.#changed();
  }

  /** Adds a device of the fleet, or says what has become of it. */
  setDevice(device: DeviceView): void {
    this.#scheduler.setDevice(device);
    this.#changed();
  }

  /** What the fleet's devices do and have done. */
  get devices(): DeviceBook {
    return this.#scheduler.devices;
  }

  /** The lanes that such a circuit may run on, those that are not well among them. */
  lanesFor(need: LaneNeed): readonly LaneId[] {
    return this.#scheduler.takers(need, { evenClosed: true });
  }

  /** On the clock of `performance.now()`: when a worker of that lane last showed that it lives. */
  lastSignOfLife(id: LaneId): number {
    return this.#lane(id).lastSignOfLife;
  }

  /**
   * Checks that the queue has room for a circuit of the processor.
   *
   * @throws {QueueFullError}
   */
  admit(processor: string): void {
    const { queueLimit } = this.#options;
    const isHeavy = this.#waitingBytes >= MAX_WAITING_BYTES;
    if (this.#scheduler.numWaiting < queueLimit && !isHeavy) return;
    throw new QueueFullError(
      processor,
      isHeavy ? `${MAX_WAITING_BYTES / 2 ** 20} MiB of circuits` : `${queueLimit} circuits`,
      Math.max(1, Math.ceil(this.#untilRoomMs() / 1000)),
    );
  }

  /**
   * Queues a task and runs it in its turn.
   *
   * @throws {QueueFullError} unless readmitted.
   * @throws {EngineLostError} if its worker was lost, and those that ran it again were too, or none
   *   that may run it can be started.
   * @throws {FleetClosedError}
   * @throws what the compiler and the engine throw, as EnginePool.run.
   * @throws the signal's reason; a running circuit's work has stopped by then.
   */
  async submit(task: BackendTask, hooks: TaskHooks, signal: AbortSignal): Promise<BackendOutcome> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new FleetClosedError();
    if (hooks.readmitted !== true) this.admit(task.processor);
    const { id, processor, keyId, tier, priority, precision, circuit, request } = task;
    const { following, promise } = follow(hooks, signal, () => this.#dropWaiting(submitted));
    const submitted: SubmittedTask = {
      id,
      processor,
      key: keyId,
      level: levelOf(priority, tier),
      mayRunOn: task.mayRunOn ?? 'cpu',
      precision,
      work: runWork(workOfCircuit(circuit), request),
      needsDevice: task.needsDevice ?? false,
      failedOn: new Set(),
      circuit,
      request,
      ...following,
    };
    this.#scheduler.add(submitted, submitted.submittedAt);
    this.#waitingBytes += sizeOfCircuit(circuit);
    this.#changed();
    return promise;
  }

  /**
   * Runs a self-test, ahead of all circuits.
   *
   * @throws {EngineLostError} if its worker was lost twice, or none can be started.
   * @throws as `submit` otherwise.
   */
  async test(test: SelfTestTask, hooks: TaskHooks, signal: AbortSignal): Promise<BackendOutcome> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new FleetClosedError();
    const { following, promise } = follow(hooks, signal, () => this.#dropTest(submitted));
    const submitted: SubmittedSelfTest = { ...test, ...following };
    this.#addTest(submitted);
    return promise;
  }

  /** How many start before a waiting task on what it waits for; undefined once it has begun. */
  position(taskId: string): number | undefined {
    const list = this.#listed.get(taskId);
    if (list !== undefined) return list.findIndex(({ id }) => id === taskId);
    if (!this.#scheduler.isWaiting(taskId)) return undefined;
    const position = this.#plans.get(taskId).positions.get(taskId);
    return position === undefined ? undefined : this.#listed.size + position;
  }

  /**
   * When a waiting task is to start as things stand, on the clock of `performance.now()`; undefined once
   * it has begun, and while nobody knows.
   */
  expectedStart(taskId: string): number | undefined {
    if (this.#listed.has(taskId)) return performance.now();
    if (!this.#scheduler.isWaiting(taskId)) return undefined;
    return this.#plans.get(taskId).starts.get(taskId)?.startAt;
  }

  /** What is to become of what waits, as things stood a moment ago. */
  get plan(): Plan {
    return this.#plans.get();
  }

  /** @param mayRunOn - Of the processor's circuits. */
  load(processor: string, mayRunOn: MayRunOn = 'cpu'): ProcessorLoad {
    const { freeAt } = this.plan;
    const now = performance.now();
    const lanes = [...this.#lanes.values()];
    const adapters = lanes.filter(
      (lane) => lane instanceof AdapterLane && lane.isHealthy && lane.members === undefined,
    );
    const hasAdapters = mayRunOn !== 'cpu' && adapters.length > 0;
    const wide = hasAdapters ? adapters.map(({ id }) => id) : ['wide'];
    const small = mayRunOn === 'adapter' ? wide : ['small'];
    const waitMs = (pools: readonly string[]) =>
      Math.max(0, Math.min(...pools.map((pool) => freeAt(pool))) - now);
    return {
      queueDepth: this.#scheduler.numWaiting + this.#listed.size,
      running: this.#numRunning.get(processor) ?? 0,
      expectedWaitMs: waitMs(small),
      expectedWideWaitMs: waitMs(wide),
    };
  }

  /** Keeps a processor's waiting tasks from starting, or lets them go again. Self-tests run still. */
  setPaused(processor: string, isPaused: boolean): void {
    this.#scheduler.setPaused(processor, isPaused);
    this.#changed();
  }

  /** Ends the workers; what waits or runs is rejected with FleetClosedError. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const lanes = [...this.#lanes.values()];
    const tests = lanes.flatMap((lane) => lane.selfTests.splice(0));
    for (const task of [...tests, ...this.#scheduler.drain()]) {
      settle(task, () => task.reject(new FleetClosedError()));
    }
    this.#holdProcess();
    await Promise.all(lanes.map((lane) => lane.close()));
  }

  #addThreads(id: Width, { numWorkers, engine }: ThreadLane): void {
    const {
      workerEntry = WORKER_ENTRY,
      cancelGraceMs,
      heapLimitMb = HEAP_LIMIT_MB,
    } = this.#options;
    const lane = new EngineLane(id, {
      numWorkers,
      start: threadStarter({ entry: workerEntry, setup: { engine }, heapLimitMb }),
      ...(cancelGraceMs !== undefined && { cancelGraceMs }),
    });
    this.#lanes.set(id, lane);
    const { maxQubits, numThreads } = engine;
    this.#scheduler.estimates.setSpeed(id, numThreads / MODEL_THREADS);
    this.#scheduler.setLane({
      id,
      kind: id,
      pools: [id],
      maxQubits,
      isOpen: true,
      isSoftware: true,
    });
  }

  #setAdapterLane(lane: AdapterLane): void {
    const { id, members, isHealthy, isSoftware, model, report, sweepBytesPerSecond } = lane;
    const speed = sweepBytesPerSecond / MODEL_BYTES_PER_SECOND;
    const { estimates } = this.#scheduler;
    if (model !== undefined) estimates.setModel(id, model);
    estimates.setSpeed(id, speed > 0 ? speed : UNMEASURED_SPEED, ADAPTER_FIXED_MS);
    this.#scheduler.setLane({
      id,
      kind: members === undefined ? 'adapter' : 'spread',
      pools: members ?? [id],
      maxQubits: { f32: report?.target.maxQubits ?? 0, f64: 0 },
      isOpen: isHealthy && report !== undefined,
      isSoftware,
    });
  }

  #openLane(lane: EngineLane, onLost?: EngineLaneEvents['onLost']): void {
    lane.open({
      onIdle: () => this.#pump(),
      onFault: () => this.#giveUp(lane),
      ...(onLost && { onLost }),
    });
  }

  #lane(id: LaneId): EngineLane {
    const lane = this.#lanes.get(id);
    if (lane === undefined) throw new Error(`unreachable: there is no lane ${id}`);
    return lane;
  }

  #changed(): void {
    this.#plans.invalidate();
    this.#pump();
  }

  /** Starts what can start: self-tests, and what the scheduler says. */
  #pump(): void {
    // What is started may fail at once and come back here.
    this.#pumpAgain = true;
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#pumpAgain) {
        this.#pumpAgain = false;
        for (const lane of this.#lanes.values()) this.#startTests(lane);
        this.#tellFreeSlots();
        for (const dispatch of this.#scheduler.dispatch(performance.now())) this.#start(dispatch);
      }
    } finally {
      this.#isPumping = false;
    }
    this.#holdProcess();
  }

  #startTests(lane: EngineLane): void {
    while (lane.numIdle > 0) {
      const test = lane.selfTests.shift();
      if (test === undefined) return;
      void this.#runTest(lane, test);
    }
  }

  #tellFreeSlots(): void {
    for (const lane of this.#lanes.values()) {
      if (lane instanceof AdapterLane && lane.members !== undefined) continue;
      const free = lane.numIdle - (this.#held.get(lane.id) ?? 0);
      this.#scheduler.setFreeSlots(lane.id, Math.max(0, free));
    }
  }

  #start(dispatch: Dispatch<SubmittedTask>): void {
    const { lane: laneId, devices, tasks } = dispatch;
    const lane = this.#lane(laneId);
    this.#plans.invalidate();
    for (const { circuit } of tasks) this.#waitingBytes -= sizeOfCircuit(circuit);
    this.#hold(lane, 1);
    const givenAt = performance.now();
    const listed = [...tasks];
    for (const { id } of tasks) this.#listed.set(id, listed);
    const answers = lane.run(tasks, devices, {
      onStarted: (task, startedAt) => {
        this.#begin(task);
        this.#scheduler.began(dispatch, startedAt);
      },
      onProgress: (_, fraction) =>
        this.#scheduler.progressed(dispatch, fraction, performance.now()),
    });
    const ownMs: (number | undefined)[] = [];
    for (const [i, answer] of answers.entries()) {
      const task = tasks[i]!;
      answer.then(
        (outcome) => {
          const { compileMs, run } = outcome;
          ownMs[i] = compileMs + run.timing.evolutionMs + run.timing.samplingMs;
          this.#ended(dispatch, task, 'completed');
          settle(task, () => task.resolve(outcome));
        },
        (error: unknown) => {
          const isLost = error instanceof WorkerLostError;
          this.#ended(dispatch, task, isLost ? 'lost' : 'failed');
          this.#onFailure(laneId, task, error);
        },
      );
    }
    void Promise.allSettled(answers).then(() => {
      this.#hold(lane, -1);
      this.#learn(dispatch, ownMs, performance.now() - givenAt);
      this.#pump();
    });
  }

  #ended(
    dispatch: Dispatch<SubmittedTask>,
    task: SubmittedTask,
    ending: 'completed' | 'failed' | 'lost',
  ): void {
    this.#begin(task);
    this.#countRunning(task, -1);
    this.#scheduler.ended(dispatch, task, ending, performance.now());
    this.#plans.invalidate();
  }

  #begin(task: SubmittedTask): void {
    const list = this.#listed.get(task.id);
    if (list === undefined) return;
    this.#listed.delete(task.id);
    list.splice(list.indexOf(task), 1);
    this.#countRunning(task, 1);
  }

  /** What a list took beside its circuits' own times, the way there and back, is shared by them. */
  #learn(
    { lane, tasks }: Dispatch<SubmittedTask>,
    ownMs: readonly (number | undefined)[],
    totalMs: number,
  ): void {
    const known = ownMs.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
    if (tasks.some((_, i) => ownMs[i] === undefined)) return;
    const share = Math.max(0, totalMs - known) / tasks.length;
    for (const [i, { work }] of tasks.entries()) {
      this.#scheduler.estimates.observe(lane, work, (ownMs[i] ?? 0) + share);
    }
  }

  /** Keeps the adapters of a spread lane from running anything else, or lets them go. */
  #hold(lane: EngineLane, by: 1 | -1): void {
    if (!(lane instanceof AdapterLane)) return;
    for (const member of lane.members ?? []) {
      this.#held.set(member, (this.#held.get(member) ?? 0) + by);
    }
  }

  #onFailure(laneId: LaneId, task: SubmittedTask, error: unknown): void {
    const isLost = error instanceof WorkerLostError;
    if (isLost && this.#isClosed) {
      settle(task, () => task.reject(new FleetClosedError()));
      return;
    }
    task.failedOn.add(laneId);
    if (!task.signal.aborted && this.#isTriedAgain(laneId, task, error)) {
      task.hooks.onStartedOver?.();
      this.#scheduler.add(task, performance.now(), true);
      this.#waitingBytes += sizeOfCircuit(task.circuit);
      const lane = this.#lane(laneId);
      if (lane.fault !== undefined) this.#dropHopeless(lane);
      this.#changed();
      return;
    }
    const failure = isLost ? new EngineLostError(task.attempts, { cause: error }) : error;
    settle(task, () => task.reject(failure));
  }

  #isTriedAgain(laneId: LaneId, task: SubmittedTask, error: unknown): boolean {
    const isAdapter = laneId !== 'small' && laneId !== 'wide';
    if (task.attempts >= (isAdapter ? MAX_ATTEMPTS.adapter : MAX_ATTEMPTS.cpu)) return false;
    // Where nothing else takes it: the same engine once more, which is opened anew.
    if (error instanceof WorkerLostError) return true;
    const hasNoMemory = error instanceof EngineFailure && error.code === NO_MEMORY;
    const { mayRunOn, precision, work } = task;
    const need = { mayRunOn, precision, numQubits: work.numQubits };
    const others = this.#scheduler.takers(need, { except: task.failedOn });
    return isAdapter && hasNoMemory && others.length > 0;
  }

  /** No engine of the lane can be started: what hoped for it is told so. */
  #giveUp(lane: EngineLane): void {
    for (const test of lane.selfTests.splice(0)) this.#rejectLost(test, lane);
    this.#dropHopeless(lane);
    this.#holdProcess();
  }

  /** Circuits that came back from the lane, and that nothing else takes, do not wait for it. */
  #dropHopeless(lane: EngineLane): void {
    for (const task of this.#scheduler.waiting) {
      if (!task.failedOn.has(lane.id)) continue;
      const { mayRunOn, precision, work } = task;
      const takers = this.#scheduler.takers({ mayRunOn, precision, numQubits: work.numQubits });
      if (takers.some((id) => this.#lane(id).fault === undefined)) continue;
      this.#takeOut(task);
      this.#rejectLost(task, lane);
    }
  }

  #rejectLost(task: TaskFollowing, { fault }: EngineLane): void {
    const lost = new EngineLostError(task.attempts, { cause: fault });
    settle(task, () => task.reject(lost));
  }

  async #runTest(lane: EngineLane, test: SubmittedSelfTest): Promise<void> {
    try {
      const outcome = await lane.runSelfTest(test);
      settle(test, () => test.resolve(outcome));
    } catch (error) {
      if (error instanceof WorkerLostError && this.#isClosed) {
        settle(test, () => test.reject(new FleetClosedError()));
      } else if (error instanceof WorkerLostError && test.attempts < MAX_ATTEMPTS.cpu) {
        test.hooks.onStartedOver?.();
        this.#addTest(test);
      } else {
        const isLost = error instanceof WorkerLostError;
        const failure = isLost ? new EngineLostError(test.attempts, { cause: error }) : error;
        settle(test, () => test.reject(failure));
      }
    }
    this.#pump();
  }

  #addTest(test: SubmittedSelfTest): void {
    const lane = this.#lane(test.selfTestOf);
    lane.selfTests.push(test);
    if (lane.fault !== undefined) this.#giveUp(lane);
    this.#pump();
  }

  /** The signal aborted; a task that runs is the pool's to stop. */
  #dropWaiting(task: SubmittedTask): void {
    if (!this.#takeOut(task)) return;
    settle(task, () => task.reject(task.signal.reason));
    this.#changed();
  }

  #takeOut(task: SubmittedTask): boolean {
    if (this.#scheduler.remove(task.id) === undefined) return false;
    this.#waitingBytes -= sizeOfCircuit(task.circuit);
    return true;
  }

  #dropTest(test: SubmittedSelfTest): void {
    const { selfTests } = this.#lane(test.selfTestOf);
    const place = selfTests.indexOf(test);
    if (place < 0) return;
    selfTests.splice(place, 1);
    settle(test, () => test.reject(test.signal.reason));
    this.#holdProcess();
  }

  #countRunning({ processor }: SubmittedTask, by: 1 | -1): void {
    this.#numRunning.set(processor, (this.#numRunning.get(processor) ?? 0) + by);
  }

  /** Until the queue has one circuit less: the first planned start. */
  #untilRoomMs(): number {
    const now = performance.now();
    const starts = [...this.plan.starts.values()].map(({ startAt }) => startAt - now);
    return starts.length === 0 ? 0 : Math.max(0, Math.min(...starts));
  }

  #holdProcess(): void {
    const hasTests = [...this.#lanes.values()].some(({ selfTests }) => selfTests.length > 0);
    if (hasTests || this.#scheduler.numWaiting > 0) {
      this.#keepAlive ??= setInterval(() => {}, 2 ** 30);
    } else {
      clearInterval(this.#keepAlive);
      this.#keepAlive = undefined;
    }
  }
}

function follow(
  hooks: TaskHooks,
  signal: AbortSignal,
  onAbort: () => void,
): { readonly following: TaskFollowing; readonly promise: Promise<BackendOutcome> } {
  const { promise, resolve, reject } = Promise.withResolvers<BackendOutcome>();
  signal.addEventListener('abort', onAbort, { once: true });
  const submittedAt = performance.now();
  return {
    following: { hooks, signal, submittedAt, resolve, reject, onAbort, attempts: 0 },
    promise,
  };
}

function settle(task: TaskFollowing, answer: () => void): void {
  task.signal.removeEventListener('abort', task.onAbort);
  answer();
}
