/**
 * The scheduler of a fleet: what waits, what runs where, and what starts next. It holds the state of the
 * fleet as data; every decision is made by `EarliestFinish` over a snapshot of it, in the order of
 * `FairQueue`. Time is passed in and nothing here waits, so that a live fleet, property tests and
 * simulations of fleets that are not there run the same code.
 */
import type { LaneId } from '../width.ts';
import { DeviceBook, type Ending } from './device-book.ts';
import { EarliestFinish, type Placement, type Snapshot } from './earliest-finish.ts';
import { eligibleLanes, lineOf } from './eligible-lanes.ts';
import { FairQueue, type QueueLine } from './fair-queue.ts';
import type { DeviceView, LaneView, PoolId } from './lane-view.ts';
import { RunEstimates } from './run-estimates.ts';
import type { MayRunOn, ScheduledTask } from './scheduled-task.ts';

/** Progress below this says nothing yet: it is mostly the time it took to begin. */
const MIN_FRACTION = 0.02;
/** What is overdue is expected to take this part of its time so far again. */
const OVERDUE_PART = 0.1;

/** How a scheduler is made. */
export interface SchedulerOptions {
  /** Milliseconds of waiting that raise a task by one level. */
  readonly ageingMs: number;
  /** The widest circuit of the line of small ones. */
  readonly maxSmallQubits: number;
  readonly estimates?: RunEstimates;
}

/** Tasks that start together on one lane, in this order. */
export interface Dispatch<T extends ScheduledTask> {
  readonly lane: LaneId;
  /** Empty where the tasks need none. */
  readonly devices: readonly string[];
  readonly tasks: readonly T[];
}

/** When and where a waiting task is to start. */
export interface PlannedStart {
  /** Tasks of its line that start before it. */
  readonly position: number;
  readonly lane: LaneId;
  readonly devices: readonly string[];
  readonly startAt: number;
}

/** What is to become of all that waits. */
export interface Plan {
  /** Absent are tasks that nothing takes as things stand. */
  readonly starts: ReadonlyMap<string, PlannedStart>;
  /** Waiting tasks planned for a device. */
  readonly queueOfDevice: ReadonlyMap<string, number>;
  /** When a pool is free after all that waits. */
  readonly freeAt: (pool: PoolId) => number;
}

interface Running<T extends ScheduledTask> {
  readonly dispatch: Dispatch<T>;
  readonly pools: readonly PoolId[];
  /** What is not through yet, in order, and how long each is expected to take. */
  readonly left: Map<string, number>;
  /** When the first of those began, as far as is known. */
  since: number;
  /** Fraction done of the first, as last reported, and when. */
  progress: { readonly fraction: number; readonly at: number } | undefined;
}

/** A fleet's schedule. Times are milliseconds of one clock that never goes back. */
export class Scheduler<T extends ScheduledTask> {
  readonly estimates: RunEstimates;
  readonly devices = new DeviceBook();
  readonly #queue: FairQueue<T>;
  readonly #maxSmallQubits: number;
  readonly #lanes = new Map<LaneId, LaneView>();
  readonly #numFree = new Map<PoolId, number>();
  readonly #running = new Map<Dispatch<T>, Running<T>>();
  readonly #paused = new Set<string>();
  /** What a processor's tasks may run on; all of one processor may run on the same. */
  readonly #mayRunOn = new Map<string, MayRunOn>();
  /** Lines of processors that were walked to the end: nothing of them starts until something changes. */
  readonly #exhausted = new Set<string>();
  #laneList: readonly LaneView[] = [];

  constructor({ ageingMs, maxSmallQubits, estimates }: SchedulerOptions) {
    this.#queue = new FairQueue(ageingMs);
    this.#maxSmallQubits = maxSmallQubits;
    this.estimates = estimates ?? new RunEstimates();
  }

  /** Tasks that wait. */
  get numWaiting(): number {
    return this.#queue.length;
  }

  /** Tasks that run. */
  get numRunning(): number {
    let count = 0;
    for (const { left } of this.#running.values()) count += left.size;
    return count;
  }

  /** Adds a lane, or says what has become of it. */
  setLane(lane: LaneView): void {
    this.#lanes.set(lane.id, lane);
    this.#laneList = [...this.#lanes.values()];
    for (const pool of lane.pools) if (!this.#numFree.has(pool)) this.#numFree.set(pool, 0);
    this.#exhausted.clear();
  }

  /** Says how many tasks a pool could start now, one a slot. */
  setFreeSlots(pool: PoolId, count: number): void {
    if (this.#numFree.get(pool) === count) return;
    this.#numFree.set(pool, count);
    this.#exhausted.clear();
  }

  freeSlots(pool: PoolId): number {
    return this.#numFree.get(pool) ?? 0;
  }

  /** Adds a device, or says what has become of it. */
  setDevice(device: DeviceView): void {
    this.devices.set(device);
    this.#exhausted.clear();
  }

  /** Keeps a processor's waiting tasks from starting, or lets them go again. */
  setPaused(processor: string, isPaused: boolean): void {
    if (isPaused) this.#paused.add(processor);
    else this.#paused.delete(processor);
  }

  /** @param comesBack - It ran and was lost: it goes before what has not run yet. */
  add(task: T, now: number, comesBack = false): void {
    this.#mayRunOn.set(task.processor, task.mayRunOn);
    const line = lineOf(task, this.#maxSmallQubits);
    const [lane] = eligibleLanes(task, this.#laneList);
    const cost = lane === undefined ? 0 : this.estimates.expectedMs(lane.id, task.work);
    this.#queue.add(task, line, cost, now, comesBack);
    this.#exhausted.delete(`${line} ${task.processor}`);
  }

  isWaiting(id: string): boolean {
    return this.#queue.has(id);
  }

  /** Takes a waiting task out for good; undefined when it does not wait. */
  remove(id: string): T | undefined {
    return this.#queue.remove(id);
  }

  /** Takes all waiting tasks out for good. */
  drain(): readonly T[] {
    return this.#queue.drain();
  }

  /** Starts what can start now. The caller runs it, and says of each task that it has `ended`. */
  dispatch(now: number): readonly Dispatch<T>[] {
    if (this.#queue.length === 0) return [];
    const open = new Map<Placement<T>, T[]>();
    const placer = new EarliestFinish(this.#snapshot(now));
    const isOpen = (line: QueueLine, processor: string) =>
      !this.#paused.has(processor) &&
      !this.#exhausted.has(`${line} ${processor}`) &&
      this.#mayStart(placer, line, processor);
    const walked = new Set<string>();
    for (const { task, line } of this.#queue.walk(now, isOpen)) {
      const placement = placer.place(task);
      walked.add(`${line} ${task.processor}`);
      if (placement === undefined) continue;
      if (placement.joins !== undefined) open.get(placement.joins)?.push(task);
      else if (placement.startAt <= now) open.set(placement, [task]);
      else continue;
      this.#queue.start(task.id);
    }
    // A line that is still open at the end of the walk has nothing that could start now.
    for (const name of walked) this.#exhausted.add(name);
    return [...open].map(([placement, tasks]) => this.#start(placement, tasks, now));
  }

  /** Says that a running task has begun, where a list says so of each. */
  began(dispatch: Dispatch<T>, now: number): void {
    const running = this.#running.get(dispatch);
    if (running !== undefined) running.since = now;
  }

  /** Says how far the task under way is. */
  progressed(dispatch: Dispatch<T>, fraction: number, now: number): void {
    const running = this.#running.get(dispatch);
    if (running !== undefined) running.progress = { fraction, at: now };
  }

  /**
   * Says that a task of a dispatch is through.
   *
   * @param ranMs - How long it took, for a task whose time says something about the next one's.
   */
  ended(dispatch: Dispatch<T>, task: T, ending: Ending, now: number, ranMs?: number): void {
    const running = this.#running.get(dispatch);
    if (running === undefined || !running.left.delete(task.id)) {
      throw new Error(`unreachable: ${task.id} does not run`);
    }
    if (ranMs !== undefined) this.estimates.observe(dispatch.lane, task.work, ranMs);
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

  /** When and where everything that waits is to start, as things stand. */
  plan(now: number): Plan {
    const placer = new EarliestFinish(this.#snapshot(now));
    const starts = new Map<string, PlannedStart>();
    const queueOfDevice = new Map<string, number>();
    const numOfLine = { small: 0, wide: 0 };
    for (const { task, line } of this.#queue.walk(now, (_, name) => !this.#paused.has(name))) {
      const position = numOfLine[line]++;
      const placement = placer.place(task);
      if (placement === undefined) continue;
      const devices = placement.devices.map(({ view }) => view.id);
      const { lane, startAt } = placement;
      starts.set(task.id, { position, lane: lane.id, devices, startAt });
      for (const id of devices) queueOfDevice.set(id, (queueOfDevice.get(id) ?? 0) + 1);
    }
    return { starts, queueOfDevice, freeAt: (pool) => Math.max(now, placer.freeAt(pool)) };
  }

  #start(placement: Placement<T>, tasks: readonly T[], now: number): Dispatch<T> {
    const { lane, devices } = placement;
    const left = new Map(tasks.map((task) => [task.id, this.#expectedMs(lane, task)]));
    const dispatch = { lane: lane.id, devices: devices.map(({ view }) => view.id), tasks };
    const { pools } = lane;
    this.#running.set(dispatch, { dispatch, pools, left, since: now, progress: undefined });
    for (const pool of pools) this.#numFree.set(pool, this.freeSlots(pool) - 1);
    const endAt = [...left.values()].reduce((sum, ms) => sum + ms, now);
    this.devices.start(dispatch.devices, now, endAt);
    return dispatch;
  }

  #snapshot(now: number): Snapshot<T> {
    const pools = new Map<PoolId, number[]>();
    for (const [pool, count] of this.#numFree) pools.set(pool, new Array(count).fill(now));
    for (const running of this.#running.values()) {
      const freeAt = now + remainingMs(running, now);
      for (const pool of running.pools) pools.get(pool)?.push(freeAt);
      for (const id of running.dispatch.devices) {
        const device = this.devices.get(id);
        if (device !== undefined) device.freeAt = freeAt;
      }
    }
    return {
      now,
      pools,
      devices: [...this.devices.states],
      lanesOf: (task) => eligibleLanes(task, this.#laneList),
      expectedMs: (lane, task) => this.#expectedMs(lane, task),
    };
  }

  #expectedMs(lane: LaneView, { work }: T): number {
    return this.estimates.expectedMs(lane.id, work);
  }

  /** Whether any lane that may run such tasks could start one now. */
  #mayStart(placer: EarliestFinish<T>, line: QueueLine, processor: string): boolean {
    const mayRunOn = this.#mayRunOn.get(processor);
    return this.#laneList.some((lane) => {
      const isCpu = lane.kind === 'small' || lane.kind === 'wide';
      if (isCpu ? mayRunOn === 'adapter' : mayRunOn === 'cpu') return false;
      if (lane.kind === 'small' && line === 'wide') return false;
      return lane.isOpen && lane.pools.every((pool) => placer.isOpen(pool));
    });
  }
}

/** Until what runs is through. */
function remainingMs<T extends ScheduledTask>(running: Running<T>, now: number): number {
  const [first = 0, ...rest] = running.left.values();
  const waiting = rest.reduce((sum, ms) => sum + ms, 0);
  const elapsed = now - running.since;
  const { progress } = running;
  if (progress !== undefined && progress.fraction >= MIN_FRACTION) {
    const { fraction, at } = progress;
    const total = (at - running.since) / fraction;
    return Math.max(total - elapsed, OVERDUE_PART * elapsed) + waiting;
  }
  return Math.max(first - elapsed, OVERDUE_PART * elapsed) + waiting;
}
