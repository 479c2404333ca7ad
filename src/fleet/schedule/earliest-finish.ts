/**
 * Earliest-finish placement: each run, in the order of the queue, goes where it ends first, by when slots
 * and devices become free and by how long each lane is expected to take. A slower lane that is free now
 * loses to a faster one worth waiting for. A run that waits for several things at once holds those that
 * are already free, so that later runs do not delay it; meanwhile they may do runs that end long before.
 *
 * One function both starts runs and says when the others are to start: a plan is the whole list of
 * placements, a dispatch the part of it that starts now. It reads a snapshot and changes nothing.
 *
 * Small circuits that would start within the horizon on a slot that is being given work join its list:
 * one message then carries them all. Nothing waits for a list to fill.
 *
 * @see Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity run scheduling for
 *   heterogeneous computing", 2002: earliest finish time on unlike processors.
 */
import { chooseDevices, type DeviceState, FreeTime, fitsAlone } from './devices.ts';
import type { Lane, PoolId } from './lane.ts';
import type { ScheduledRun } from './scheduled-run.ts';

/** Longest expected time of a list, milliseconds, and so the longest wait of others for it. */
export const LIST_MS = 4;
/** Largest number of runs in a list. */
export const LIST_LENGTH = 128;

/** The fleet at one moment. */
export interface Snapshot<T extends ScheduledRun> {
  readonly now: number;
  /** When each slot of a pool is free; `now` or earlier for one that is. */
  readonly pools: ReadonlyMap<PoolId, readonly number[]>;
  /** The open devices on which a lane's runs may take place. */
  readonly devicesOn: (lane: Lane) => readonly DeviceState[];
  readonly lanesOf: (run: T) => readonly Lane[];
  readonly expectedMs: (lane: Lane, run: T) => number;
}

/** Placement of a run. */
export interface Placement<T extends ScheduledRun> {
  readonly run: T;
  readonly lane: Lane;
  readonly devices: readonly DeviceState[];
  readonly startAt: number;
  readonly endAt: number;
  /** The placement whose list it joins; absent for one of its own. */
  readonly joins?: Placement<T>;
}

interface Candidate {
  readonly lane: Lane;
  readonly ms: number;
  readonly startAt: number;
  readonly devices: readonly DeviceState[];
}

/** A slot of a pool, and the list that is being put together on it. */
interface Slot<T extends ScheduledRun> {
  readonly time: FreeTime;
  list?: { readonly first: Placement<T>; numRuns: number };
}

/** Places runs one after the other, each in view of those before. */
export class EarliestFinish<T extends ScheduledRun> {
  readonly #snapshot: Snapshot<T>;
  readonly #pools = new Map<PoolId, readonly Slot<T>[]>();
  readonly #devices = new Map<DeviceState, FreeTime>();
  readonly #timeOf = (device: DeviceState) => this.#deviceTime(device);

  constructor(snapshot: Snapshot<T>) {
    this.#snapshot = snapshot;
    const { now, pools } = snapshot;
    for (const [id, slots] of pools) {
      const times = slots.map((freeAt) => ({ time: new FreeTime(Math.max(now, freeAt)) }));
      this.#pools.set(id, times);
    }
  }

  /**
   * Whether something may start now on the lane, by itself or in a list.
   *
   * @param needsDevice - Whether that takes a device, too.
   */
  isOpen(lane: Lane, needsDevice: boolean): boolean {
    const isAlone = !needsDevice || this.#hasFreeDevice(lane);
    return lane.pools.every((pool) => this.#isPoolOpen(pool, isAlone));
  }

  #isPoolOpen(pool: PoolId, isAlone: boolean): boolean {
    const { now } = this.#snapshot;
    for (const { time, list } of this.#slots(pool)) {
      const freeAt = time.fit(now, 0);
      if (isAlone && freeAt <= now) return true;
      if (list !== undefined && list.numRuns < LIST_LENGTH && freeAt < now + LIST_MS) return true;
    }
    return false;
  }

  #hasFreeDevice(lane: Lane): boolean {
    const { now, devicesOn } = this.#snapshot;
    for (const device of devicesOn(lane)) {
      const time = this.#devices.get(device);
      const isFree = time === undefined ? device.busySince === undefined : time.fit(now, 0) <= now;
      if (isFree) return true;
    }
    return false;
  }

  /** When a slot of the pool is free after all that was placed. */
  freeAt(pool: PoolId): number {
    let soonest = Number.POSITIVE_INFINITY;
    for (const { time } of this.#slots(pool)) soonest = Math.min(soonest, time.end);
    return soonest;
  }

  /** When a device is free after all that was placed. */
  deviceFreeAt(device: DeviceState): number {
    return this.#deviceTime(device).end;
  }

  /** Puts a run where it is done first; undefined where nothing takes it now or later. */
  place(run: T): Placement<T> | undefined {
    let best: Candidate | undefined;
    for (const lane of this.#snapshot.lanesOf(run)) {
      best = this.#better(run, lane, best);
    }
    return best && (this.#join(run, best) ?? this.#put(run, best));
  }

  /** The lane where it is done before `best`, and else `best`. Most are ruled out by their slots alone. */
  #better(run: T, lane: Lane, best: Candidate | undefined): Candidate | undefined {
    const { now, devicesOn, expectedMs } = this.#snapshot;
    const endOfBest = best === undefined ? Number.POSITIVE_INFINITY : best.startAt + best.ms;
    const ms = expectedMs(lane, run);
    // Each round is as late as one thing asks, until all are free at that time.
    for (let startAt = now; ; ) {
      const askedFor = startAt;
      for (const pool of lane.pools) {
        startAt = Math.max(startAt, this.#soonest(pool, askedFor, ms));
      }
      if (!(startAt + ms < endOfBest)) return best;
      const need = { run, lane, ms, startAt };
      const chosen = chooseDevices(need, devicesOn(lane), this.#timeOf);
      if (chosen === undefined || !(chosen.startAt + ms < endOfBest)) return best;
      const isFound =
        chosen.startAt === startAt && (lane.pools.length === 1 || startAt === askedFor);
      if (isFound) return { lane, ms, startAt, devices: chosen.states };
      startAt = chosen.startAt;
    }
  }

  /** A small circuit in the list of the slot that it would wait for. */
  #join(run: T, { lane, ms, startAt }: Candidate): Placement<T> | undefined {
    const [pool] = lane.pools;
    if (pool === undefined || lane.pools.length > 1 || !mayBeListed(run)) return undefined;
    const { time, list } = this.#slotFor(pool, startAt, ms);
    if (list === undefined || list.numRuns >= LIST_LENGTH) return undefined;
    const { first } = list;
    const isOfList =
      first.lane.id === lane.id && first.run.processor === run.processor && mayBeListed(first.run);
    if (!isOfList || !canShareDevices(run, first)) return undefined;
    // It runs where the list does, which need not be on the devices that it would have alone.
    const { now } = this.#snapshot;
    const times = [time, ...first.devices.map(this.#timeOf)];
    const listEnd = Math.max(...times.map((other) => other.fit(now, ms)));
    const isFree = times.every((other) => other.fit(listEnd, ms) === listEnd);
    if (!isFree || listEnd + ms > now + LIST_MS) return undefined;
    list.numRuns++;
    for (const other of times) other.take(listEnd, ms);
    const { devices } = first;
    return { run, lane, devices, startAt: listEnd, endAt: listEnd + ms, joins: first };
  }

  #put(run: T, { lane, ms, startAt, devices }: Candidate): Placement<T> {
    const placement: Placement<T> = { run, lane, devices, startAt, endAt: startAt + ms };
    for (const pool of lane.pools) {
      const slot = this.#slotFor(pool, startAt, ms);
      slot.time.take(startAt, ms);
      if (startAt <= this.#snapshot.now) slot.list = { first: placement, numRuns: 1 };
    }
    for (const device of devices) this.#deviceTime(device).take(startAt, ms);
    return placement;
  }

  #slots(pool: PoolId): readonly Slot<T>[] {
    return this.#pools.get(pool) ?? [];
  }

  #soonest(pool: PoolId, start: number, ms: number): number {
    let soonest = Number.POSITIVE_INFINITY;
    for (const { time } of this.#slots(pool)) soonest = Math.min(soonest, time.fit(start, ms));
    return soonest;
  }

  /** The slot that became free last of those that are free at that time. */
  #slotFor(pool: PoolId, start: number, ms: number): Slot<T> {
    let best: Slot<T> | undefined;
    for (const slot of this.#slots(pool)) {
      if (slot.time.fit(start, ms) > start) continue;
      if (best === undefined || slot.time.since(start) > best.time.since(start)) best = slot;
    }
    if (best === undefined) throw new Error(`unreachable: no slot of ${pool} is free at ${start}`);
    return best;
  }

  #deviceTime(device: DeviceState): FreeTime {
    let time = this.#devices.get(device);
    if (time === undefined) {
      const { now } = this.#snapshot;
      const { busySince, freeAt } = device;
      time = new FreeTime(busySince === undefined ? now : Math.max(now, freeAt));
      this.#devices.set(device, time);
    }
    return time;
  }
}

/** Whether a run fits the devices of a list. */
function canShareDevices<T extends ScheduledRun>(run: T, { lane, devices }: Placement<T>): boolean {
  const [device] = devices;
  if (device === undefined) return !run.needsDevice;
  return run.needsDevice && devices.length === 1 && fitsAlone(run, lane, device);
}

/**
 * Nobody knows how long a branching circuit takes, and one whose worker was lost runs by itself from then
 * on, so that none of a list is lost twice with another's engine.
 */
function mayBeListed({ work, failedOn }: ScheduledRun): boolean {
  return !work.isBranching && failedOn.size === 0;
}
