/**
 * What runs the circuits of the simulators on one machine: the scheduler's decisions carried out on lanes
 * of engines: threads for small circuits, an engine on all threads for wide ones, a process for each
 * adapter, and one for several adapters that hold a state together. Each processor can be paused by
 * itself.
 *
 * Circuits, and batches of them as one task each, wait in the scheduler's queue until a slot and devices
 * are theirs. One whose engine was lost comes back to the queue, ahead of what has not run yet, and runs
 * where it has not failed, if anything else takes it; what fails again is the caller's EngineLostError.
 * Self-tests go ahead of the queue: they must not wait behind a thousand circuits to tell whether those
 * would run.
 */
import type { AdapterLane, AdapterLaneOptions } from './adapter-lane.ts';
import { Admission } from './admission.ts';
import { BackendLanes, type ThreadOptions } from './backend-lanes.ts';
import type {
  BackendAnswer,
  BackendBatch,
  BackendBatchOutcome,
  BackendOutcome,
  BackendTask,
  SelfTestTask,
  SubmittedTask,
} from './backend-task.ts';
import { type Answer, CircuitRuns } from './circuit-runs.ts';
import type { EngineLane } from './engine-lane.ts';
import { EngineLostError, FleetClosedError, WorkerLostError } from './errors.ts';
import { PlanCache } from './plan-cache.ts';
import type { ProcessorLoad, RunHooks } from './processor.ts';
import { isTriedAgain } from './retry-rule.ts';
import type { Devices } from './schedule/devices.ts';
import { type LaneNeed, laneNeedOf } from './schedule/eligible-lanes.ts';
import type { DeviceView, LaneId } from './schedule/lane.ts';
import type { MayRunOn, RunWork } from './schedule/scheduled-run.ts';
import { type Dispatch, type Plan, Scheduler } from './schedule/scheduler.ts';
import { SelfTests } from './self-tests.ts';
import { batchOutcome, circuitOutcome, sizeOfTask, submittedTask } from './submitted-task.ts';
import { follow, settle } from './task-following.ts';

/** How often what waits is looked at where nothing else happens. */
const WAKE_UP_MS = 1000;

/** How a backend is made. */
export interface CircuitBackendOptions extends ThreadOptions {
  /** Circuits that may wait, over all processors and widths. */
  readonly queueLimit: number;
  /** Milliseconds of waiting that raise a circuit by one level; a priority is two. */
  readonly ageingMs: number;
}

/** The engines of this machine and what waits for them. */
export class CircuitBackend {
  readonly #scheduler: Scheduler<SubmittedTask>;
  readonly #plans: PlanCache;
  readonly #lanes: BackendLanes;
  readonly #selfTests: SelfTests;
  readonly #runs: CircuitRuns;
  readonly #admission: Admission;
  #isClosed = false;
  #isPumpDue = false;
  #isPumping = false;
  #pumpAgain = false;
  /**
   * Runs while something waits: time alone changes what starts next, and workers hold the process only
   * once they have a circuit.
   */
  #wakeUp: NodeJS.Timeout | undefined;

  constructor(options: CircuitBackendOptions) {
    const { f32, f64 } = options.small.engine.maxQubits;
    const maxSmallQubits = Math.min(f32, f64);
    this.#scheduler = new Scheduler({ ageingMs: options.ageingMs, maxSmallQubits });
    this.#admission = new Admission({
      queueLimit: options.queueLimit,
      numWaiting: () => this.#scheduler.numWaiting,
      untilRoomMs: () => this.#untilRoomMs(),
    });
    this.#plans = new PlanCache(() => this.#scheduler.plan(performance.now()));
    this.#lanes = new BackendLanes(this.#scheduler, options, {
      onIdle: () => this.#pump(),
      onFault: (lane) => this.#giveUp(lane),
    });
    this.#runs = new CircuitRuns(this.#scheduler, {
      onAnswer: ({ lane }, task, answer) => this.#onAnswer(lane, task, answer),
      onListEnd: (lane) => {
        this.#lanes.hold(lane, -1);
        this.#pump();
      },
    });
    this.#selfTests = new SelfTests(
      (id) => this.#lanes.get(id),
      () => this.#pump(),
    );
  }

  /** Starts the engine threads. */
  open(): void {
    if (this.#isClosed) throw new FleetClosedError();
    this.#lanes.openThreads();
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
    return this.#lanes.addAdapter(options, onLost);
  }

  /** Gives an adapter circuits, or none. */
  setHealthy(lane: AdapterLane, isHealthy: boolean): void {
    this.#lanes.setHealthy(lane, isHealthy);
    if (!isHealthy) this.#dropHopeless(lane);
    this.#changed();
  }

  /**
   * Says what has become of devices of the fleet, or adds them; what waits is looked at once for all.
   *
   * @param openBytes - For states, on the open devices of each adapter, or of several.
   */
  setDevices(
    devices: readonly DeviceView[],
    openBytes: Iterable<readonly [AdapterLane, number]>,
  ): void {
    for (const device of devices) this.#scheduler.setDevice(device);
    for (const [lane, bytes] of openBytes) this.#lanes.setOpenBytes(lane, bytes);
    this.#changed();
  }

  /** What the fleet's devices do and have done. */
  get devices(): Devices {
    return this.#scheduler.devices;
  }

  /** The lanes that such a circuit may run on, those that are not well among them. */
  lanesFor(need: LaneNeed): readonly LaneId[] {
    return this.#scheduler.takers(need, { evenClosed: true });
  }

  /** Milliseconds that such a run is expected to take by itself; undefined where nothing takes it. */
  expectedRunMs(need: LaneNeed, work: RunWork): number | undefined {
    const times = this.lanesFor(need).map((id) => this.#scheduler.estimates.expectedMs(id, work));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** On the clock of `performance.now()`: when a worker of that lane last showed that it lives. */
  lastSignOfLife(id: LaneId): number {
    return this.#lanes.lastSignOfLife(id);
  }

  /** Whether the queue has room, and whose places in it are kept. */
  get admission(): Admission {
    return this.#admission;
  }

  /**
   * Queues a circuit and runs it in its turn.
   *
   * @throws {QueueFullError} unless readmitted or admitted.
   * @throws {EngineLostError} if its worker was lost, and those that ran it again were too, or none
   *   that may run it can be started.
   * @throws {FleetClosedError}
   * @throws what the compiler and the engine throw, as EnginePool.run.
   * @throws the signal's reason; a running circuit's work has stopped by then.
   */
  async submit(task: BackendTask, hooks: RunHooks, signal: AbortSignal): Promise<BackendOutcome> {
    return circuitOutcome(await this.#queue(task, hooks, signal));
  }

  /**
   * Queues a batch task, whose request fits its shape, and runs it in its turn.
   *
   * @throws as `submit`.
   */
  async submitBatch(
    task: BackendBatch,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<BackendBatchOutcome> {
    return batchOutcome(await this.#queue(task, hooks, signal));
  }

  #queue(
    task: BackendTask | BackendBatch,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<BackendAnswer> {
    const isAdmitted = this.#admission.withdraw(task.id);
    signal.throwIfAborted();
    if (this.#isClosed) throw new FleetClosedError();
    const isAccepted = isAdmitted || hooks.readmitted === true;
    if (!isAccepted) this.#admission.check(task.processor, task.keyId);
    const { following, promise } = follow(hooks, signal, () => this.#dropWaiting(submitted));
    const submitted = submittedTask(task, following);
    this.#scheduler.add(submitted, submitted.submittedAt);
    this.#admission.enter(submitted.key, sizeOfTask(submitted));
    this.#plans.invalidate();
    this.#pumpSoon();
    return promise;
  }

  /**
   * Runs a self-test, ahead of all circuits.
   *
   * @throws {EngineLostError} if its worker was lost twice, or none can be started.
   * @throws as `submit` otherwise.
   */
  async test(test: SelfTestTask, hooks: RunHooks, signal: AbortSignal): Promise<BackendOutcome> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new FleetClosedError();
    return await this.#selfTests.run(test, hooks, signal);
  }

  /**
   * How many start before a waiting task on what it waits for; undefined once it has begun, and for a
   * moment where the queue is so long that it came after the last plan.
   */
  position(taskId: string): number | undefined {
    const place = this.#runs.placeInList(taskId);
    if (place !== undefined) return place;
    if (!this.#scheduler.isWaiting(taskId)) return undefined;
    const position = this.plan.positions.get(taskId);
    return position === undefined ? undefined : this.#runs.numListed + position;
  }

  /**
   * When a waiting task is to start as things stand, on the clock of `performance.now()`; undefined once
   * it has begun, and while nobody knows.
   */
  expectedStart(taskId: string): number | undefined {
    if (this.#runs.placeInList(taskId) !== undefined) return performance.now();
    if (!this.#scheduler.isWaiting(taskId)) return undefined;
    return this.plan.starts.get(taskId)?.startAt;
  }

  /** What is to become of what waits, as things stood a moment ago. */
  get plan(): Plan {
    return this.#plans.get();
  }

  /** @param mayRunOn - Of the processor's circuits. */
  load(processor: string, mayRunOn: MayRunOn = 'cpu'): ProcessorLoad {
    const { freeAt } = this.plan;
    const now = performance.now();
    const adapters = this.#lanes.healthyAdapters;
    const hasAdapters = mayRunOn !== 'cpu' && adapters.length > 0;
    const wide = hasAdapters ? adapters.map(({ id }) => id) : ['wide'];
    const small = mayRunOn === 'adapter' ? wide : ['small'];
    const waitMs = (pools: readonly string[]) =>
      Math.max(0, Math.min(...pools.map((pool) => freeAt(pool))) - now);
    return {
      queueDepth: this.#scheduler.numWaiting + this.#runs.numListed,
      running: this.#runs.numBegun(processor),
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
    this.#selfTests.close();
    for (const task of this.#scheduler.drain()) {
      settle(task, () => task.reject(new FleetClosedError()));
    }
    this.#holdProcess();
    await this.#lanes.close();
  }

  #changed(): void {
    this.#plans.invalidate();
    this.#pump();
  }

  /** After what has arrived with it: circuits of one turn of the event loop go in one list. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    this.#holdProcess();
    setImmediate(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
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
        for (const lane of this.#lanes.all) {
          if (!this.#lanes.isHeld(lane.id)) this.#selfTests.startOn(lane);
        }
        this.#lanes.tellFreeSlots();
        for (const dispatch of this.#scheduler.dispatch(performance.now())) this.#start(dispatch);
      }
    } finally {
      this.#isPumping = false;
    }
    this.#holdProcess();
  }

  #start(dispatch: Dispatch<SubmittedTask>): void {
    const lane = this.#lanes.get(dispatch.lane);
    this.#plans.invalidate();
    for (const task of dispatch.runs) this.#admission.leave(task.key, sizeOfTask(task));
    this.#lanes.hold(lane, 1);
    this.#runs.start(lane, dispatch);
  }

  #onAnswer(laneId: LaneId, task: SubmittedTask, answer: Answer): void {
    this.#plans.invalidate();
    if ('error' in answer) this.#onFailure(laneId, task, answer.error);
    else settle(task, () => task.resolve(answer.outcome));
  }

  #onFailure(laneId: LaneId, task: SubmittedTask, error: unknown): void {
    const isLost = error instanceof WorkerLostError;
    if (isLost && this.#isClosed) {
      settle(task, () => task.reject(new FleetClosedError()));
      return;
    }
    task.failedOn.add(laneId);
    if (error instanceof WorkerLostError && error.wasAlone) task.lossesAlone++;
    if (!task.signal.aborted && this.#isTriedAgain(laneId, task, error)) {
      if (task.hasBegun) task.hooks.onStartedOver?.();
      this.#scheduler.add(task, performance.now(), true);
      this.#admission.enter(task.key, sizeOfTask(task));
      const lane = this.#lanes.get(laneId);
      if (lane.fault !== undefined) this.#dropHopeless(lane);
      this.#changed();
      return;
    }
    const failure = isLost ? new EngineLostError(task.attempts, { cause: error }) : error;
    settle(task, () => task.reject(failure));
  }

  #isTriedAgain(laneId: LaneId, task: SubmittedTask, error: unknown): boolean {
    const others = () => this.#scheduler.takers(laneNeedOf(task), { except: task.failedOn });
    return isTriedAgain(error, laneId, task, () => others().length > 0);
  }

  /** No engine of the lane can be started: what hoped for it is told so. */
  #giveUp(lane: EngineLane): void {
    this.#selfTests.giveUp(lane);
    this.#dropHopeless(lane);
    this.#holdProcess();
  }

  /** Circuits that came back from the lane, and that nothing else takes, do not wait for it. */
  #dropHopeless(lane: EngineLane): void {
    for (const task of this.#scheduler.waiting) {
      if (!task.failedOn.has(lane.id)) continue;
      const takers = this.#scheduler.takers(laneNeedOf(task));
      if (takers.some((id) => this.#lanes.get(id).fault === undefined)) continue;
      this.#takeOut(task);
      const lost = new EngineLostError(task.attempts, { cause: lane.fault });
      settle(task, () => task.reject(lost));
    }
  }

  /** The signal aborted; a task that runs is the pool's to stop. */
  #dropWaiting(task: SubmittedTask): void {
    if (!this.#takeOut(task)) return;
    settle(task, () => task.reject(task.signal.reason));
    this.#changed();
  }

  #takeOut(task: SubmittedTask): boolean {
    if (this.#scheduler.remove(task.id) === undefined) return false;
    this.#admission.leave(task.key, sizeOfTask(task));
    return true;
  }

  /** Until the queue has one circuit less: the first planned start. */
  #untilRoomMs(): number {
    let soonest = Number.POSITIVE_INFINITY;
    for (const { startAt } of this.plan.starts.values()) soonest = Math.min(soonest, startAt);
    return Number.isFinite(soonest) ? Math.max(0, soonest - performance.now()) : 0;
  }

  #holdProcess(): void {
    if (this.#selfTests.numWaiting + this.#scheduler.numWaiting > 0) {
      this.#wakeUp ??= setInterval(() => this.#pump(), WAKE_UP_MS);
    } else {
      clearInterval(this.#wakeUp);
      this.#wakeUp = undefined;
    }
  }
}
