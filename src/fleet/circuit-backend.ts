/**
 * The backend of the simulators on one machine. It carries out the scheduler's decisions on lanes of
 * engines: threads for small circuits, an engine on all threads for wide ones, a process for each
 * adapter, and one for several adapters that hold a state together. Each processor can be paused by
 * itself.
 *
 * Runs, each a circuit or a batch, wait in the scheduler's queue until a slot and devices are free for
 * them. A run whose engine was lost goes back to the head of the queue and then to a lane where it has
 * not failed, if there is one. When it has failed too often, its caller gets an EngineLostError; a CircuitMemoryError
 * when it filled the heap of its worker.
 * Self-tests go ahead of the queue: they must not wait behind a thousand circuits to find out whether
 * those would run.
 */
import { Admission } from './admission.ts';
import { EngineLanes, type EngineTime, type ThreadOptions } from './engine-lanes.ts';
import {
  CircuitMemoryError,
  EngineLostError,
  FleetClosedError,
  WorkerLostError,
} from './errors.ts';
import { FleetRun, hasFilledItsHeap, isTriedAgain, type PlacedRun, type Ran } from './fleet-run.ts';
import type { ProcessorLoad, RunHooks } from './processor.ts';
import type { Devices } from './schedule/devices.ts';
import { type LaneNeed, laneNeedOf } from './schedule/eligible-lanes.ts';
import type { DeviceView, LaneId } from './schedule/lane.ts';
import type { MayRunOn, RunWork } from './schedule/scheduled-run.ts';
import { type Dispatch, type Plan, Scheduler } from './schedule/scheduler.ts';
import { AdapterPool, type AdapterPoolOptions, type EnginePool } from './workers/engine-pool.ts';

/** Interval of looking at waiting runs while nothing else happens. */
const WAKE_UP_MS = 1000;
/** A self-test is started this often at most. */
const MAX_SELF_TEST_ATTEMPTS = 2;
/** A long plan that is outdated is made anew after this many times the time that it took to make. */
const TIME_PER_PLAN_COST = 20;
/** Milliseconds from which on a plan counts as long. */
const LONG_PLAN_MS = 2;
/** A plan that nothing has outdated still ages, because running circuits come closer to their ends. */
const MAX_PLAN_AGE_MS = 100;

/** Options of a backend. */
export interface CircuitBackendOptions extends ThreadOptions {
  /** Runs that may wait, over all processors. */
  readonly queueLimit: number;
  /** Milliseconds of waiting that raise a run by one level; a priority is two levels. */
  readonly ageingMs: number;
}

/** The engines of this machine and the runs that wait for them. */
export class CircuitBackend {
  readonly #scheduler: Scheduler<FleetRun>;
  readonly #lanes: EngineLanes;
  readonly #admission: Admission;
  /** Self-tests that wait for an engine of their lane. */
  #selfTests: readonly FleetRun[] = [];
  #plan: { readonly plan: Plan; readonly madeAt: number; readonly costMs: number } | undefined;
  #isPlanOutdated = false;
  #isClosed = false;
  #isPumpDue = false;
  #isPumping = false;
  #pumpAgain = false;
  /**
   * Set while runs wait: time alone changes which starts next, and workers keep the process alive
   * only once they have a circuit.
   */
  #wakeUp: NodeJS.Timeout | undefined;

  constructor(options: CircuitBackendOptions) {
    const { f32, f64 } = options.small.engine.maxQubits;
    const maxSmallQubits = Math.min(f32, f64);
    // A thread each for all cores, as many as the wide engine has.
    const numCores = options.wide.engine.numThreads;
    const ownThread = new OwnThread();
    this.#scheduler = new Scheduler({
      ageingMs: options.ageingMs,
      maxSmallQubits,
      numCores,
      numOtherThreads: () => ownThread.utilization,
    });
    this.#admission = new Admission({
      queueLimit: options.queueLimit,
      numWaiting: () => this.#scheduler.numWaiting,
      untilRoomMs: () => this.#untilRoomMs(),
    });
    this.#lanes = new EngineLanes(this.#scheduler, options, {
      onIdle: () => this.#pump(),
      onFault: (pool) => this.#giveUp(pool),
      onOutcome: (run, outcome) => {
        this.#isPlanOutdated = true;
        run.complete(outcome);
      },
      onFailure: (run, error) => {
        this.#isPlanOutdated = true;
        this.#onFailure(run, error);
      },
    });
  }

  /** Starts the engine threads. */
  open(): void {
    if (this.#isClosed) throw new FleetClosedError();
    this.#lanes.openThreads();
  }

  /**
   * Starts the process of an adapter, or of several that hold a state together. It gets circuits after
   * `setHealthy`.
   *
   * @param onLost - Called when the process has ended by itself or because its device was lost; it must
   *   set the adapter unhealthy at once. Another process is started.
   */
  addAdapter(options: AdapterPoolOptions, onLost: (how: string) => void): AdapterPool {
    if (this.#isClosed) throw new FleetClosedError();
    return this.#lanes.addAdapter(options, onLost);
  }

  /** Gives an adapter circuits, or none. */
  setHealthy(lane: AdapterPool, isHealthy: boolean): void {
    this.#lanes.setHealthy(lane, isHealthy);
    if (!isHealthy) this.#dropHopeless(lane);
    this.#changed();
  }

  /**
   * Adds or updates devices of the fleet, all at once, and then looks at the waiting runs.
   *
   * @param openBytes - Bytes for states on the open devices of each adapter pool.
   */
  setDevices(
    devices: readonly DeviceView[],
    openBytes: Iterable<readonly [AdapterPool, number]>,
  ): void {
    for (const device of devices) this.#scheduler.setDevice(device);
    for (const [lane, bytes] of openBytes) this.#lanes.setOpenBytes(lane, bytes);
    this.#changed();
  }

  /** State and counters of the fleet's devices. */
  get devices(): Devices {
    return this.#scheduler.devices;
  }

  /** Qubits of the widest circuit that runs on one thread. */
  get maxSmallQubits(): number {
    return this.#scheduler.maxSmallQubits;
  }

  /** Lanes that may run such a circuit, unhealthy ones included. */
  lanesFor(need: LaneNeed): readonly LaneId[] {
    return this.#scheduler.takers(need, { evenClosed: true });
  }

  /**
   * Engines among which the shots of such a run may be divided; 1 where results would depend on which of them take
   * which shots, and where engines hold each other's adapters.
   */
  numEnginesFor(need: LaneNeed): number {
    const pools = this.lanesFor(need).map((id) => this.#lanes.get(id));
    const isAlike = new Set(pools.map((pool) => pool instanceof AdapterPool)).size === 1;
    const isSpread = pools.some((pool) => pool instanceof AdapterPool && pool.members);
    if (!isAlike || isSpread) return 1;
    return pools.reduce((sum, { numWorkers }) => sum + numWorkers, 0);
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
   * Queues a run that `checkRun` takes, and runs it in its turn.
   *
   * @throws {QueueFullError} unless readmitted or admitted.
   * @throws {EngineLostError} if its worker was lost, and those that ran it again were too, or none
   *   that may run it can be started.
   * @throws {FleetClosedError}
   * @throws what the compiler and the engine throw, as EnginePool.run.
   * @throws the signal's reason; a running circuit's work has stopped by then.
   */
  async submit(asked: PlacedRun, hooks: RunHooks, signal: AbortSignal): Promise<Ran> {
    const isAdmitted = this.#admission.withdraw(asked.id);
    signal.throwIfAborted();
    if (this.#isClosed) throw new FleetClosedError();
    const isAccepted = isAdmitted || hooks.readmitted === true || asked.partOf !== undefined;
    if (!isAccepted) this.#admission.check(asked.processor, asked.keyId);
    const run = new FleetRun(asked, { hooks, signal });
    run.whenAborted(() => this.#dropWaiting(run));
    this.#scheduler.add(run, run.submittedAt);
    this.#admission.enter(run);
    this.#isPlanOutdated = true;
    this.#pumpSoon();
    return run.answer;
  }

  /**
   * Runs a self-test of a lane, ahead of all circuits and also while its processor is paused.
   *
   * @throws {EngineLostError} if its worker was lost twice, or none can be started.
   * @throws as `submit` otherwise.
   */
  async test(lane: LaneId, asked: PlacedRun, hooks: RunHooks, signal: AbortSignal): Promise<Ran> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new FleetClosedError();
    const run = new FleetRun(asked, { hooks, signal, selfTestOf: lane });
    run.whenAborted(() => this.#dropSelfTest(run));
    this.#addSelfTest(run);
    return run.answer;
  }

  /**
   * Number of runs that start before a waiting one on its engines; undefined once it has begun, and for a
   * moment where the queue is so long that the run came after the last plan.
   */
  position(runId: string): number | undefined {
    const place = this.#lanes.placeInList(runId);
    if (place !== undefined) return place;
    if (!this.#scheduler.isWaiting(runId)) return undefined;
    const position = this.plan.positions.get(runId);
    return position === undefined ? undefined : this.#lanes.numListed + position;
  }

  /**
   * Planned start of a waiting run, on the clock of `performance.now()`; undefined once it has begun, and
   * while it is not known.
   */
  expectedStart(runId: string): number | undefined {
    if (this.#lanes.placeInList(runId) !== undefined) return performance.now();
    if (!this.#scheduler.isWaiting(runId)) return undefined;
    return this.plan.starts.get(runId)?.startAt;
  }

  /** The plan for the waiting runs; a moment old if plans take long to make. */
  get plan(): Plan {
    const now = performance.now();
    if (this.#plan !== undefined) {
      const { plan, madeAt, costMs } = this.#plan;
      const isLong = costMs >= LONG_PLAN_MS;
      const outdatedAgeMs = isLong ? TIME_PER_PLAN_COST * costMs : 0;
      if (now - madeAt < (this.#isPlanOutdated ? outdatedAgeMs : MAX_PLAN_AGE_MS)) return plan;
    }
    const plan = this.#scheduler.plan(now);
    const madeAt = performance.now();
    this.#plan = { plan, madeAt, costMs: madeAt - now };
    this.#isPlanOutdated = false;
    return plan;
  }

  /** @param mayRunOn - Of the processor's circuits. */
  load(processor: string, mayRunOn: MayRunOn = 'cpu'): Required<ProcessorLoad> {
    const { freeAt } = this.plan;
    const now = performance.now();
    const adapters = this.#lanes.healthyAdapters;
    const hasAdapters = mayRunOn !== 'cpu' && adapters.length > 0;
    const wide = hasAdapters ? adapters.map(({ id }) => id) : ['wide'];
    const small = mayRunOn === 'adapter' ? wide : ['small'];
    const waitMs = (pools: readonly string[]) =>
      Math.max(0, Math.min(...pools.map((pool) => freeAt(pool))) - now);
    return {
      queueDepth: this.#scheduler.numWaiting + this.#lanes.numListed,
      running: this.#lanes.numBegun(processor),
      expectedWaitMs: waitMs(small),
      expectedWideWaitMs: waitMs(wide),
    };
  }

  /** Time that the engines had runs, by their lanes. */
  get engineTimes(): readonly EngineTime[] {
    return this.#lanes.engineTimes;
  }

  /** Pauses a processor, whose waiting runs then do not start, or ends the pause. Self-tests still run. */
  setPaused(processor: string, isPaused: boolean): void {
    this.#scheduler.setPaused(processor, isPaused);
    this.#changed();
  }

  /** Ends the workers; waiting and running circuits are rejected with FleetClosedError. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = [...this.#selfTests, ...this.#scheduler.drain()];
    this.#selfTests = [];
    for (const run of waiting) run.fail(new FleetClosedError());
    this.#holdProcess();
    await this.#lanes.close();
  }

  #changed(): void {
    this.#isPlanOutdated = true;
    this.#pump();
  }

  /** Pumps at the end of this turn of the event loop, so that circuits of one turn go in one list. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    this.#holdProcess();
    setImmediate(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  /** Starts self-tests, then the runs that the scheduler chooses. */
  #pump(): void {
    // A run that is started may fail at once and come back here.
    this.#pumpAgain = true;
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#pumpAgain) {
        this.#pumpAgain = false;
        this.#startSelfTests();
        this.#lanes.updateFreeSlots();
        for (const dispatch of this.#scheduler.dispatch(performance.now())) this.#start(dispatch);
      }
    } finally {
      this.#isPumping = false;
    }
    this.#holdProcess();
  }

  #start(dispatch: Dispatch<FleetRun>): void {
    this.#isPlanOutdated = true;
    for (const run of dispatch.runs) this.#admission.leave(run);
    this.#lanes.start(dispatch);
  }

  #onFailure(run: FleetRun, error: unknown): void {
    const isLost = error instanceof WorkerLostError;
    if (isLost && this.#isClosed) {
      run.fail(new FleetClosedError());
      return;
    }
    run.failedOn.add(run.lane);
    if (error instanceof WorkerLostError && error.wasAlone) run.lossesAlone++;
    if (!run.signal.aborted && this.#isTriedAgain(run, error)) {
      if (run.hasBegun) run.hooks.onStartedOver?.();
      this.#tryAgain(run);
    } else {
      run.fail(isLost ? failureOfLoss(error, run.attempts) : error);
    }
  }

  #isTriedAgain(run: FleetRun, error: unknown): boolean {
    if (run.selfTestOf !== undefined) {
      return error instanceof WorkerLostError && run.attempts < MAX_SELF_TEST_ATTEMPTS;
    }
    const others = () => this.#scheduler.takers(laneNeedOf(run), { except: run.failedOn });
    return isTriedAgain(error, run.lane, run, () => others().length > 0);
  }

  #tryAgain(run: FleetRun): void {
    if (run.selfTestOf !== undefined) {
      this.#addSelfTest(run);
      return;
    }
    this.#scheduler.add(run, performance.now(), true);
    this.#admission.enter(run);
    const pool = this.#lanes.get(run.lane);
    if (pool.fault !== undefined) this.#dropHopeless(pool);
    this.#changed();
  }

  /** No engine of the lane can be started: runs that wait for one fail. */
  #giveUp(pool: EnginePool): void {
    for (const run of this.#selfTests.filter(({ selfTestOf }) => selfTestOf === pool.id)) {
      this.#takeOutSelfTest(run);
      run.fail(new EngineLostError(run.attempts, { cause: pool.fault }));
    }
    this.#dropHopeless(pool);
    this.#holdProcess();
  }

  /** Fails runs that came back from the lane and that no other lane takes. */
  #dropHopeless(pool: EnginePool): void {
    for (const run of this.#scheduler.waiting) {
      if (!run.failedOn.has(pool.id)) continue;
      const takers = this.#scheduler.takers(laneNeedOf(run));
      if (takers.some((id) => this.#lanes.get(id).fault === undefined)) continue;
      this.#takeOut(run);
      run.fail(new EngineLostError(run.attempts, { cause: pool.fault }));
    }
  }

  /** The signal aborted. A run on a worker is stopped by its pool. */
  #dropWaiting(run: FleetRun): void {
    if (!this.#takeOut(run)) return;
    run.fail(run.signal.reason);
    this.#changed();
  }

  #takeOut(run: FleetRun): boolean {
    if (this.#scheduler.remove(run.id) === undefined) return false;
    this.#admission.leave(run);
    return true;
  }

  #addSelfTest(run: FleetRun): void {
    const pool = this.#lanes.get(run.selfTestOf ?? run.lane);
    this.#selfTests = [...this.#selfTests, run];
    if (pool.fault !== undefined) this.#giveUp(pool);
    this.#pump();
  }

  /** Starts the self-tests whose lanes have an idle engine, ahead of the queue. */
  #startSelfTests(): void {
    for (const run of this.#selfTests) {
      const pool = this.#lanes.get(run.selfTestOf ?? run.lane);
      if (pool.numIdle === 0 || this.#lanes.isHeld(pool.id)) continue;
      this.#takeOutSelfTest(run);
      this.#lanes.startSelfTest(run, pool);
    }
  }

  #dropSelfTest(run: FleetRun): void {
    if (!this.#takeOutSelfTest(run)) return;
    run.fail(run.signal.reason);
    this.#pump();
  }

  #takeOutSelfTest(run: FleetRun): boolean {
    if (!this.#selfTests.includes(run)) return false;
    this.#selfTests = this.#selfTests.filter((other) => other !== run);
    return true;
  }

  /** Milliseconds until the queue has one run less: the first planned start. */
  #untilRoomMs(): number {
    let soonest = Number.POSITIVE_INFINITY;
    for (const { startAt } of this.plan.starts.values()) soonest = Math.min(soonest, startAt);
    return Number.isFinite(soonest) ? Math.max(0, soonest - performance.now()) : 0;
  }

  #holdProcess(): void {
    if (this.#selfTests.length + this.#scheduler.numWaiting > 0) {
      this.#wakeUp ??= setInterval(() => this.#pump(), WAKE_UP_MS);
    } else {
      clearInterval(this.#wakeUp);
      this.#wakeUp = undefined;
    }
  }
}

/** The error of a run that is not tried again after it lost its worker. */
function failureOfLoss(loss: WorkerLostError, attempts: number): Error {
  if (hasFilledItsHeap(loss)) return new CircuitMemoryError({ cause: loss });
  return new EngineLostError(attempts, { cause: loss });
}

/** Time over which a thread's utilization is taken, milliseconds. */
const UTILIZATION_MS = 100;

/** Utilization of this thread, which shares the cores with the threads of runs. */
class OwnThread {
  #since = performance.eventLoopUtilization();
  #at = performance.now();
  #utilization = 0;

  /** Part of the time that it was busy lately, 0 to 1. */
  get utilization(): number {
    const now = performance.now();
    if (now - this.#at >= UTILIZATION_MS) {
      const until = performance.eventLoopUtilization();
      this.#utilization = performance.eventLoopUtilization(until, this.#since).utilization;
      this.#since = until;
      this.#at = now;
    }
    return this.#utilization;
  }
}
