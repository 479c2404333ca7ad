/**
 * Earliest-finish placement: each task, in the order of the queue, goes where it is done first, by when
 * slots and devices become free and by how long each lane is expected to take. A lane that is slower but
 * free now loses to a faster one worth waiting for; what waits for it holds its slot, so that what comes
 * later in the order does not delay what came first.
 *
 * One function both starts tasks and says when the others are to start: a plan is the whole list of
 * placements, a dispatch the part of it that starts now. It reads a snapshot and changes nothing.
 *
 * Small circuits that would start within the horizon on a slot that is being given work join its list:
 * one message then carries them all. Nothing waits for a list to fill.
 *
 * @see Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task scheduling for
 *   heterogeneous computing", 2002: earliest finish time on unlike processors.
 */
import { type ChosenDevices, chooseDevices, type DeviceState } from './device-book.ts';
import type { LaneView, PoolId } from './lane-view.ts';
import type { ScheduledTask } from './scheduled-task.ts';

/** Expected run time of a list, after which nothing joins it: what others wait for it at most. */
export const LIST_MS = 4;
/** Tasks of a list at most. */
export const LIST_LENGTH = 128;

/** The fleet at one moment. */
export interface Snapshot<T extends ScheduledTask> {
  readonly now: number;
  /** When each slot of a pool is free; `now` or earlier for one that is. */
  readonly pools: ReadonlyMap<PoolId, readonly number[]>;
  readonly devices: readonly DeviceState[];
  readonly lanesOf: (task: T) => readonly LaneView[];
  readonly expectedMs: (lane: LaneView, task: T) => number;
}

/** Where a task goes. */
export interface Placement<T extends ScheduledTask> {
  readonly task: T;
  readonly lane: LaneView;
  readonly devices: readonly DeviceState[];
  readonly startAt: number;
  readonly endAt: number;
  /** The placement whose list it joins; absent for one of its own. */
  readonly joins?: Placement<T>;
}

interface Candidate {
  readonly lane: LaneView;
  readonly ms: number;
  readonly startAt: number;
  readonly chosen: ChosenDevices;
}

/** A list that is being put together on a slot. */
interface OpenList<T extends ScheduledTask> {
  readonly first: Placement<T>;
  numTasks: number;
}

/** Places tasks one after the other, each in view of those before. */
export class EarliestFinish<T extends ScheduledTask> {
  readonly #snapshot: Snapshot<T>;
  readonly #pools = new Map<PoolId, number[]>();
  readonly #lists = new Map<PoolId, (OpenList<T> | undefined)[]>();
  readonly #deviceFreeAt = new Map<DeviceState, number>();

  constructor(snapshot: Snapshot<T>) {
    this.#snapshot = snapshot;
    for (const [id, slots] of snapshot.pools) {
      this.#pools.set(id, [...slots]);
      this.#lists.set(id, []);
    }
  }

  /** Whether something may start now on the pool, by itself or in a list. */
  isOpen(pool: PoolId): boolean {
    const { now } = this.#snapshot;
    const slots = this.#pools.get(pool) ?? [];
    const lists = this.#lists.get(pool) ?? [];
    return slots.some((freeAt, slot) => {
      if (freeAt <= now) return true;
      const list = lists[slot];
      return list !== undefined && list.numTasks < LIST_LENGTH && freeAt < now + LIST_MS;
    });
  }

  /** When a slot of the pool is free after all that was placed. */
  freeAt(pool: PoolId): number {
    return Math.min(...(this.#pools.get(pool) ?? []));
  }

  /** Puts a task where it is done first; undefined where nothing takes it now or later. */
  place(task: T): Placement<T> | undefined {
    let best: Candidate | undefined;
    for (const lane of this.#snapshot.lanesOf(task)) {
      const candidate = this.#candidate(task, lane);
      if (candidate === undefined) continue;
      if (best === undefined || endOf(candidate) < endOf(best)) best = candidate;
    }
    return best && (this.#join(task, best) ?? this.#put(task, best));
  }

  #candidate(task: T, lane: LaneView): Candidate | undefined {
    const { now, devices, expectedMs } = this.#snapshot;
    const freeAt = (device: DeviceState) => this.#deviceFreeAt.get(device) ?? deviceFreeAt(device);
    const chosen = chooseDevices(task, lane, devices, freeAt, now);
    if (chosen === undefined) return undefined;
    let startAt = Math.max(now, chosen.freeAt);
    for (const pool of lane.pools) startAt = Math.max(startAt, this.freeAt(pool));
    if (startAt === Number.POSITIVE_INFINITY) return undefined;
    return { lane, ms: expectedMs(lane, task), startAt, chosen };
  }

  /** A small circuit in the list of the slot that it would wait for. */
  #join(task: T, { lane, ms }: Candidate): Placement<T> | undefined {
    const [pool] = lane.pools;
    if (pool === undefined || lane.pools.length > 1 || task.work.isBranching) return undefined;
    const slots = this.#pools.get(pool)!;
    const slot = earliest(slots);
    const startAt = slots[slot]!;
    const { now } = this.#snapshot;
    const list = this.#lists.get(pool)?.[slot];
    if (list === undefined || startAt + ms > now + LIST_MS) return undefined;
    const { first } = list;
    const isOfList =
      first.lane.id === lane.id &&
      first.task.processor === task.processor &&
      !first.task.work.isBranching &&
      first.devices.length <= 1;
    if (!isOfList || list.numTasks >= LIST_LENGTH) return undefined;
    list.numTasks++;
    const endAt = startAt + ms;
    slots[slot] = endAt;
    for (const device of first.devices) this.#deviceFreeAt.set(device, endAt);
    return { task, lane, devices: first.devices, startAt, endAt, joins: first };
  }

  #put(task: T, { lane, ms, startAt, chosen }: Candidate): Placement<T> {
    const endAt = startAt + ms;
    const devices = chosen.states;
    const placement: Placement<T> = { task, lane, devices, startAt, endAt };
    for (const pool of lane.pools) {
      const slots = this.#pools.get(pool)!;
      const slot = earliest(slots);
      slots[slot] = endAt;
      if (startAt > this.#snapshot.now) continue;
      this.#lists.get(pool)![slot] = { first: placement, numTasks: 1 };
    }
    for (const device of devices) this.#deviceFreeAt.set(device, endAt);
    return placement;
  }
}

function endOf({ startAt, ms }: Candidate): number {
  return startAt + ms;
}

function deviceFreeAt({ busySince, freeAt }: DeviceState): number {
  return busySince === undefined ? Number.NEGATIVE_INFINITY : freeAt;
}

function earliest(slots: readonly number[]): number {
  let best = 0;
  for (let slot = 1; slot < slots.length; slot++) {
    if (slots[slot]! < slots[best]!) best = slot;
  }
  return best;
}
