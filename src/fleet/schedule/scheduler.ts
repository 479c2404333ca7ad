/**
 * The scheduler of a fleet decides which run starts next, when and where. It holds the state of the fleet
 * as data; every decision is made by `EarliestFinish` over a snapshot of it, in the order of
 * `RunQueue`. Time is passed in and nothing here waits, so that a live fleet, property tests and
 * simulations of fleets that are not there run the same code.
 */

import { Devices, type Ending } from './devices.ts';
import { EarliestFinish, LIST_MS, type Placement, type Snapshot } from './earliest-finish.ts';
import {
  capableLanes,
  type EligibleOptions,
  type LaneNeed,
  laneNeedOf,
  sizeClassOf,
  WaitingNeeds,
} from './eligible-lanes.ts';
import type { DeviceView, Lane, LaneId, PoolId, SizeClass } from './lane.ts';
import { RunEstimates } from './run-estimates.ts';
import { RunQueue } from './run-queue.ts';
import type { ScheduledRun } from './scheduled-run.ts';

/** Progress below this says nothing yet: it is mostly the time it took to begin. */
const MIN_FRACTION = 0.02;
/** An overdue run is assumed to need this part of its elapsed time more. */
const OVERDUE_PART = 0.1;
/** A run is assumed to need at least this long, milliseconds, so that its slot never counts as free. */
const MIN_LEFT_MS = 0.01;
/** After a scan that started nothing, its runs are skipped for this many milliseconds per waiting run. */
const REST_MS_OF_A_TASK = 0.05;

/** Options of a scheduler. */
interface SchedulerOptions {
  /** Milliseconds of waiting that raise a run by one level. */
  readonly ageingMs: number;
  /** Qubits of the widest small circuit. */
  readonly maxSmallQubits: number;
  readonly estimates?: RunEstimates;
  /** Cores that the lanes with threads share; as many as they need if absent. */
  readonly numCores?: number;
  /** Threads beside those of runs that use the cores now; part of one is a fraction. None if absent. */
  readonly numOtherThreads?: () => number;
}

/** Runs that start together on one lane, in this order. */
export interface Dispatch<T extends ScheduledRun> {
  readonly lane: LaneId;
  /** Empty where the runs need none. */
  readonly devices: readonly string[];
  readonly runs: readonly T[];
}

/** When and where a waiting run is to start. */
interface PlannedStart {
  readonly lane: LaneId;
  readonly devices: readonly string[];
  readonly startAt: number;
}

/** Plan for all waiting runs. */
export interface Plan {
  /** Runs of its size class that start before each waiting run once its processor is not paused. */
  readonly positions: ReadonlyMap<string, number>;
  /** Planned starts. Runs that no lane takes now, and those of paused processors, are absent. */
  readonly starts: ReadonlyMap<string, PlannedStart>;
  /** Waiting runs planned for a device. */
  readonly queueOfDevice: ReadonlyMap<string, number>;
  /** When a slot of a pool is free after all waiting runs. */
  readonly freeAt: (pool: PoolId) => number;
  /** When a device is free after all waiting runs. */
  readonly deviceFreeAt: (id: string) => number;
}

interface Running<T extends ScheduledRun> {
  readonly dispatch: Dispatch<T>;
  readonly pools: readonly PoolId[];
  /** CPU threads that it shares with runs on other lanes. */
  readonly numThreads: number;
  /** Runs that have not ended, in order, and the expected time of each, milliseconds. */
  readonly left: Map<string, number>;
  /** Start of the first of those, as far as it is known. */
  since: number;
  /** Fraction done of the first, as last reported, and when. */
  progress: { readonly fraction: number; readonly at: number } | undefined;
}

/** A fleet's schedule. Times are milliseconds of one clock that never goes back. */
export class Scheduler<T extends ScheduledRun> {
  readonly estimates: RunEstimates;
  readonly devices = new Devices();
  readonly #numCores: number;
  readonly #numOtherThreads: () => number;
  readonly #queue: RunQueue<T>;
  /** Qubits of the widest small circuit. */
  readonly maxSmallQubits: number;
  readonly #lanes = new Map<LaneId, Lane>();
  readonly #numFree = new Map<PoolId, number>();
  readonly #running = new Map<Dispatch<T>, Running<T>>();
  readonly #paused = new Set<string>();
  readonly #needs = new WaitingNeeds();
  /** Queues, by size class and processor, that a walk found nothing to start in, and until when to skip them. */
  readonly #exhausted = new Map<string, number>();
  #laneList: readonly Lane[] = [];

  constructor(options: SchedulerOptions) {
    const { ageingMs, maxSmallQubits, estimates, numCores, numOtherThreads } = options;
    this.#numCores = numCores ?? Number.POSITIVE_INFINITY;
    this.#numOtherThreads = numOtherThreads ?? (() => 0);
    this.#queue = new RunQueue(ageingMs);
    this.maxSmallQubits = maxSmallQubits;
    this.estimates = estimates ?? new RunEstimates();
  }

  /** Runs that wait. */
  get numWaiting(): number {
    return this.#queue.length;
  }

  /** Runs that run. */
  get numRunning(): number {
    let count = 0;
    for (const { left } of this.#running.values()) count += left.size;
    return count;
  }

  /** Adds or updates a lane. */
  setLane(lane: Lane): void {
    this.#lanes.set(lane.id, lane);
    this.#laneList = [...this.#lanes.values()];
    this.#needs.setLanes(this.#laneList);
    for (const pool of lane.pools) if (!this.#numFree.has(pool)) this.#numFree.set(pool, 0);
    this.#exhausted.clear();
  }

  /** Sets how many slots of a pool are free now. */
  setFreeSlots(pool: PoolId, count: number): void {
    if (this.#numFree.get(pool) === count) return;
    this.#numFree.set(pool, count);
    this.#exhausted.clear();
  }

  freeSlots(pool: PoolId): number {
    return this.#numFree.get(pool) ?? 0;
  }

  /** Adds or updates a device. */
  setDevice(device: DeviceView): void {
    this.devices.set(device);
    this.#exhausted.clear();
  }

  /** Keeps a processor's waiting runs from starting, or lets them go again. */
  setPaused(processor: string, isPaused: boolean): void {
    if (isPaused) this.#paused.add(processor);
    else this.#paused.delete(processor);
    this.#exhausted.clear();
  }

  /** @param comesBack - The run was lost before: it goes ahead of those that have not run yet. */
  add(run: T, now: number, comesBack = false): void {
    const sizeClass = sizeClassOf(run, this.maxSmallQubits);
    this.#queue.add(run, sizeClass, this.#costOf(run), now, comesBack);
    this.#needs.add(run, sizeClass);
    this.#exhausted.delete(`${sizeClass} ${run.processor}`);
  }

  /** All waiting runs, in no order that matters. */
  get waiting(): Iterable<T> {
    return this.#queue.runs();
  }

  /** The lanes that take such a run, in order of preference. */
  takers(need: LaneNeed, options?: EligibleOptions): readonly LaneId[] {
    return capableLanes(need, this.#laneList, options).map(({ id }) => id);
  }

  isWaiting(id: string): boolean {
    return this.#queue.has(id);
  }

  /** Takes a waiting run out for good; undefined when it does not wait. */
  remove(id: string): T | undefined {
    const run = this.#queue.remove(id);
    if (run === undefined) return undefined;
    this.#needs.remove(run, sizeClassOf(run, this.maxSmallQubits));
    // It may have held something for itself.
    this.#exhausted.clear();
    return run;
  }

  /** Takes all waiting runs out for good. */
  drain(): readonly T[] {
    return [...this.#queue.runs()].flatMap(({ id }) => this.remove(id) ?? []);
  }

  /** Chooses the runs that start now. The caller starts them, and calls `ended` for each. */
  dispatch(now: number): readonly Dispatch<T>[] {
    if (this.#queue.length === 0 || !this.#hasRoom()) return [];
    const open = new Map<Placement<T>, T[]>();
    const placer = new EarliestFinish(this.#snapshot(now));
    // A full size class stays full during a walk: each placement only takes more.
    const full = new Set<string>();
    const isOpen = (sizeClass: SizeClass, processor: string) => {
      const name = `${sizeClass} ${processor}`;
      if (full.has(name)) return false;
      const mayStart =
        (this.#exhausted.get(name) ?? now) <= now && this.#mayStart(placer, sizeClass, processor);
      if (!mayStart) full.add(name);
      return mayStart;
    };
    const isLeftOut = (processor: string) => this.#paused.has(processor);
    const walked = new Map<string, number>();
    for (const stop of this.#queue.walk(now, { isLeftOut, isOpen })) {
      const { run, sizeClass } = stop;
      const placement = placer.place(run);
      stop.takesTurn = placement !== undefined;
      const name = `${sizeClass} ${run.processor}`;
      walked.set(name, (walked.get(name) ?? 0) + 1);
      if (placement === undefined) continue;
      if (placement.joins !== undefined) open.get(placement.joins)?.push(run);
      else if (placement.startAt <= now) open.set(placement, [run]);
      else continue;
      this.#queue.start(run.id, now);
      this.#needs.remove(run, sizeClass);
    }
    // A queue that is still open at the end of the walk has nothing that could start now. Time alone may
    // change that: a run is late, or a waiting one has risen by a level.
    for (const [name, numWalked] of walked) {
      this.#exhausted.set(name, now + Math.max(LIST_MS, REST_MS_OF_A_TASK * numWalked));
    }
    return [...open].map(([placement, runs]) => this.#start(placement, runs, now));
  }

  /** Notes that a run of a list has begun. */
  began(dispatch: Dispatch<T>, now: number): void {
    const running = this.#running.get(dispatch);
    if (running !== undefined) running.since = now;
  }

  /** Notes the progress of the run that has begun. */
  progressed(dispatch: Dispatch<T>, fraction: number, now: number): void {
    const running = this.#running.get(dispatch);
    if (running !== undefined) running.progress = { fraction, at: now };
  }

  /**
   * Notes that a run of a dispatch has ended.
   *
   * @param ranMs - How long it took, for a run whose time says something about the next one's.
   */
  ended(dispatch: Dispatch<T>, run: T, ending: Ending, now: number, ranMs?: number): void {
    const running = this.#running.get(dispatch);
    if (running === undefined || !running.left.delete(run.id)) {
      throw new Error(`unreachable: ${run.id} does not run`);
    }
    if (ranMs !== undefined) this.estimates.observe(dispatch.lane, run.work, ranMs);
    this.devices.count(dispatch.devices, ending);
    running.since = now;
    running.progress = undefined;
    if (running.left.size > 0) return;
    this.#running.delete(dispatch);
    this.devices.free(dispatch.devices, now);
    for (const pool of running.pools) {
      this.#numFree.set(pool, this.freeSlots(pool) + 1);
    }
    this.#exhausted.clear();
  }

  /** Plans when and where each waiting run is to start. */
  plan(now: number): Plan {
    const placer = new EarliestFinish(this.#snapshot(now));
    const starts = new Map<string, PlannedStart>();
    const queueOfDevice = new Map<string, number>();
    const positions = new Map<string, number>();
    const places = { small: 0, wide: 0 };
    const isLeftOut = (processor: string) => this.#paused.has(processor);
    for (const stop of this.#queue.walk(now, { isLeftOut })) {
      const { run, sizeClass } = stop;
      positions.set(run.id, places[sizeClass]++);
      const placement = placer.place(run);
      stop.takesTurn = placement !== undefined;
      if (placement === undefined) continue;
      const devices = placement.devices.map(({ view }) => view.id);
      const { lane, startAt } = placement;
      starts.set(run.id, { lane: lane.id, devices, startAt });
      for (const id of devices) queueOfDevice.set(id, (queueOfDevice.get(id) ?? 0) + 1);
    }
    for (const processor of this.#paused) this.#placePaused(processor, positions, now);
    return {
      positions,
      starts,
      queueOfDevice,
      freeAt: (pool) => {
        // Without a slot nobody knows: its engines are being started.
        const freeAt = placer.freeAt(pool);
        return Number.isFinite(freeAt) ? Math.max(now, freeAt) : now;
      },
      deviceFreeAt: (id) => {
        const device = this.devices.get(id);
        return device === undefined ? now : Math.max(now, placer.deviceFreeAt(device));
      },
    };
  }

  /** Sets the positions of a paused processor's runs among the others, as though it were not paused. */
  #placePaused(paused: string, positions: Map<string, number>, now: number): void {
    const places = { small: 0, wide: 0 };
    const isLeftOut = (processor: string) => processor !== paused && this.#paused.has(processor);
    for (const { run, sizeClass } of this.#queue.walk(now, { isLeftOut })) {
      const place = places[sizeClass]++;
      if (run.processor === paused) positions.set(run.id, place);
    }
  }

  #start(placement: Placement<T>, runs: readonly T[], now: number): Dispatch<T> {
    const { lane, devices } = placement;
    const left = new Map(runs.map((run) => [run.id, this.#expectedMs(lane, run)]));
    const dispatch = { lane: lane.id, devices: devices.map(({ view }) => view.id), runs };
    const { pools, numThreads = 0 } = lane;
    const running = { dispatch, pools, numThreads, left, since: now, progress: undefined };
    this.#running.set(dispatch, running);
    for (const pool of pools) this.#numFree.set(pool, this.freeSlots(pool) - 1);
    const endAt = [...left.values()].reduce((sum, ms) => sum + ms, now);
    this.devices.start(dispatch.devices, now, endAt);
    return dispatch;
  }

  #snapshot(now: number): Snapshot<T> {
    const pools = new Map<PoolId, number[]>();
    const slowdown = this.#slowdown();
    for (const [pool, count] of this.#numFree) pools.set(pool, new Array(count).fill(now));
    for (const running of this.#running.values()) {
      const freeAt = now + remainingMs(running, now, running.numThreads > 0 ? slowdown : 1);
      for (const pool of running.pools) pools.get(pool)?.push(freeAt);
      for (const id of running.dispatch.devices) {
        const device = this.devices.get(id);
        if (device !== undefined) device.freeAt = freeAt;
      }
    }
    return {
      now,
      pools,
      devicesOn: (lane) => this.devices.openOn(lane),
      lanesOf: (run) => this.#needs.lanesOf(run),
      expectedMs: (lane, run) =>
        this.#expectedMs(lane, run) * (lane.numThreads === undefined ? 1 : slowdown),
    };
  }

  /** Factor on the times of runs on lanes with threads while more threads run than there are cores. */
  #slowdown(): number {
    let numThreads = this.#numOtherThreads();
    for (const running of this.#running.values()) numThreads += running.numThreads;
    return Math.max(1, numThreads / this.#numCores);
  }

  /** Expected time of a run on the lane where it is most likely to run, milliseconds. */
  #costOf(run: T): number {
    const [lane] = this.#needs.lanesOf(run);
    // While nothing takes it, it has a price all the same: its key is to get no turns for nothing.
    const [closed] = lane
      ? [lane]
      : capableLanes(laneNeedOf(run), this.#laneList, { evenClosed: true });
    return this.estimates.expectedMs(closed?.id ?? 'wide', run.work);
  }

  #expectedMs(lane: Lane, { work }: T): number {
    return this.estimates.expectedMs(lane.id, work);
  }

  /** Whether any lane could start anything now. */
  #hasRoom(): boolean {
    const isFree = (pool: PoolId) => this.freeSlots(pool) > 0;
    return this.#laneList.some(({ isOpen, pools }) => isOpen && pools.every(isFree));
  }

  /** Whether a lane that takes any run of that queue could start one now. */
  #mayStart(placer: EarliestFinish<T>, sizeClass: SizeClass, processor: string): boolean {
    const { lanes, needDevice } = this.#needs.wanted(sizeClass, processor);
    return lanes.some((lane) => placer.isOpen(lane, needDevice));
  }
}

/**
 * Milliseconds until all runs of a dispatch have ended.
 *
 * @param slowdown - Factor on expected times.
 */
function remainingMs<T extends ScheduledRun>(
  running: Running<T>,
  now: number,
  slowdown: number,
): number {
  const { left, since, progress } = running;
  let first: number | undefined;
  let waiting = 0;
  for (const ms of left.values()) {
    if (first === undefined) first = ms * slowdown;
    else waiting += ms * slowdown;
  }
  const elapsed = now - since;
  let expected = first ?? 0;
  if (progress !== undefined && progress.fraction >= MIN_FRACTION && progress.at > since) {
    expected = (progress.at - since) / progress.fraction;
  }
  return Math.max(expected - elapsed, OVERDUE_PART * elapsed, MIN_LEFT_MS) + waiting;
}
