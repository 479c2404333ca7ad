/**
 * The devices of the fleet as places to run: which are free, which come next, and what each has done.
 *
 * A device runs one circuit at a time, or one list of small ones. A state larger than a device's budget
 * takes several devices of one backing, or of all adapters that hold a part of it.
 */
import type { DeviceView, LaneView } from './lane-view.ts';

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
  /** Open devices by lane, as far as they were asked for since a device last changed. */
  #openOn = new WeakMap<LaneView, readonly DeviceState[]>();
  #turn = 0;

  /** Adds a device, or says what has become of it. */
  set(view: DeviceView): void {
    this.#openOn = new WeakMap();
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

  /** The open devices on which a lane's runs may take place. */
  openOn(lane: LaneView): readonly DeviceState[] {
    let open = this.#openOn.get(lane);
    if (open === undefined) {
      open = [...this.#states.values()].filter(({ view }) => view.isOpen && isOn(view, lane));
      this.#openOn.set(lane, open);
    }
    return open;
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

/** Whether a lane's runs may take place on the device. */
function isOn({ adapter }: DeviceView, lane: LaneView): boolean {
  switch (lane.kind) {
    case 'small':
    case 'wide':
      return true;
    case 'adapter':
      return adapter === lane.id;
    case 'spread':
      return adapter !== undefined && (lane.parts ?? lane.pools).includes(adapter);
  }
}
