/**
 * The devices of the fleet as places to run: which are free, which come next, and what each has done.
 *
 * A device runs one circuit at a time, or one list of small ones. A state larger than a device's budget
 * takes several devices of one backing, or of all adapters that hold a part of it.
 */
import { AMPLITUDE_BYTES } from '../memory-shares.ts';
import type { DeviceView, LaneView } from './lane-view.ts';
import type { ScheduledTask } from './scheduled-task.ts';

/** What a device has done since the start. */
export interface DeviceCounters {
  readonly completed: number;
  /** Circuits that ended with an error, or were cancelled while they ran. */
  readonly failed: number;
  /** Circuits that were lost with what ran them. */
  readonly lost: number;
  /** Time with a circuit, milliseconds. */
  readonly busyMs: number;
}

/** How a task ended on a device. */
export type Ending = 'completed' | 'failed' | 'lost';

/** A device and where it stands. */
export interface DeviceState {
  view: DeviceView;
  /** When it started what it runs; undefined while it is free. */
  busySince: number | undefined;
  /** When it is expected to be free; in the past while it is. */
  freeAt: number;
  /** When it was last given work: of free devices the one that has rested longest goes first. */
  lastUsed: number;
  completed: number;
  failed: number;
  lost: number;
  busyMs: number;
}

/** The devices of a fleet. */
export class DeviceBook {
  readonly #states = new Map<string, DeviceState>();
  #turn = 0;

  /** Adds a device, or says what has become of it. */
  set(view: DeviceView): void {
    const state = this.#states.get(view.id);
    if (state !== undefined) state.view = view;
    else {
      const counters = { completed: 0, failed: 0, lost: 0, busyMs: 0 };
      this.#states.set(view.id, {
        view,
        busySince: undefined,
        freeAt: 0,
        lastUsed: 0,
        ...counters,
      });
    }
  }

  get states(): Iterable<DeviceState> {
    return this.#states.values();
  }

  get(id: string): DeviceState | undefined {
    return this.#states.get(id);
  }

  /** Marks devices as busy. */
  start(ids: readonly string[], now: number, freeAt: number): void {
    for (const id of ids) {
      const state = this.#known(id);
      state.busySince = now;
      state.freeAt = freeAt;
      state.lastUsed = ++this.#turn;
    }
  }

  /** Counts how a task ended. */
  count(ids: readonly string[], ending: Ending): void {
    for (const id of ids) this.#known(id)[ending]++;
  }

  /** Marks devices as free. */
  free(ids: readonly string[], now: number): void {
    for (const id of ids) {
      const state = this.#known(id);
      state.busyMs += now - (state.busySince ?? now);
      state.busySince = undefined;
      state.freeAt = now;
    }
  }

  counters(id: string, now: number): DeviceCounters {
    const { completed, failed, lost, busyMs, busySince } = this.#known(id);
    return {
      completed,
      failed,
      lost,
      busyMs: busyMs + (busySince === undefined ? 0 : now - busySince),
    };
  }

  #known(id: string): DeviceState {
    const state = this.#states.get(id);
    if (state === undefined) throw new Error(`unreachable: there is no device ${id}`);
    return state;
  }
}

/** Devices chosen for a task: none where it needs none, undefined where too few are open. */
export interface ChosenDevices {
  readonly states: readonly DeviceState[];
  /** When all of them are free. */
  readonly freeAt: number;
}

const NONE: ChosenDevices = { states: [], freeAt: Number.NEGATIVE_INFINITY };

/**
 * The devices on which a task would run soonest on that lane; undefined where its state does not fit
 * those that are open.
 *
 * @param freeAt - When a device is free, as planned so far.
 */
export function chooseDevices(
  task: ScheduledTask,
  lane: LaneView,
  devices: Iterable<DeviceState>,
  freeAt: (device: DeviceState) => number,
  now: number,
): ChosenDevices | undefined {
  if (!task.needsDevice) return NONE;
  const bytes = AMPLITUDE_BYTES[task.precision] * 2 ** task.work.numQubits;
  const open: DeviceState[] = [];
  let best: DeviceState | undefined;
  for (const device of devices) {
    if (!device.view.isOpen || !isOn(device.view, lane)) continue;
    open.push(device);
    if (best === undefined || isSooner(device, best, freeAt, now)) best = device;
  }
  if (best === undefined) return undefined;
  // What runs on the CPU's threads has memory of its own, and so have parts on each adapter.
  const budget = best.view.budgetBytes;
  const isCounted = lane.kind === 'adapter' || (lane.kind === 'wide' && isCpu(best.view));
  if (lane.kind !== 'spread' && (!isCounted || bytes <= budget)) {
    return { states: [best], freeAt: freeAt(best) };
  }
  const count = lane.kind === 'spread' ? open.length : Math.ceil(bytes / budget);
  if (count > open.length) return undefined;
  open.sort((a, b) => (isSooner(a, b, freeAt, now) ? -1 : 1));
  const states = open.slice(0, count);
  return { states, freeAt: Math.max(...states.map(freeAt)) };
}

/** Whether a lane's runs may take place on the device. */
function isOn({ adapter }: DeviceView, lane: LaneView): boolean {
  switch (lane.kind) {
    case 'small':
    case 'wide':
      return true;
    case 'adapter':
      return adapter === lane.id;
    case 'spread':
      return adapter !== undefined && lane.pools.includes(adapter);
  }
}

function isCpu({ adapter }: DeviceView): boolean {
  return adapter === undefined;
}

function isSooner(
  a: DeviceState,
  b: DeviceState,
  freeAt: (device: DeviceState) => number,
  now: number,
): boolean {
  const soonest = Math.max(now, freeAt(a)) - Math.max(now, freeAt(b));
  return soonest === 0 ? a.lastUsed < b.lastUsed : soonest < 0;
}
