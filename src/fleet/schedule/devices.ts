/**
 * Devices of the fleet: which are free, which are chosen next, and the past runs of each.
 *
 * A device runs one circuit at a time, or one list of small ones. A state larger than a device's budget
 * takes several devices of one backing, or of all adapters that hold a part of it.
 */
import { AMPLITUDE_BYTES } from '../memory-shares.ts';
import type { DeviceView, Lane } from './lane.ts';
import type { ScheduledRun } from './scheduled-run.ts';

/** Counters of a device since the start. */
export interface DeviceCounters {
  readonly completed: number;
  /** Circuits that ended with an error, or were cancelled while they ran. */
  readonly failed: number;
  /** Circuits that were lost with their engine. */
  readonly lost: number;
  /** Time with a circuit, milliseconds. */
  readonly busyMs: number;
}

/** Outcome of a run on a device. */
export type Ending = 'completed' | 'failed' | 'lost';

/** A device and where it stands. */
export interface DeviceState {
  view: DeviceView;
  /** Start of its current run; undefined while it is free. */
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
export class Devices {
  readonly #states = new Map<string, DeviceState>();
  /** Open devices by lane, as far as they were asked for since a device last changed. */
  #openOn = new WeakMap<Lane, readonly DeviceState[]>();
  #turn = 0;

  /** Adds or updates a device. */
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
  openOn(lane: Lane): readonly DeviceState[] {
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

  /** Counts how a run ended. */
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
function isOn({ adapter }: DeviceView, lane: Lane): boolean {
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

/** Tolerance for sums of budgets, so that a run that fits exactly does not fail by rounding. */
const ROUNDING = 1e-9;

/** Devices chosen for a run; none where it needs none. */
interface ChosenDevices {
  readonly states: readonly DeviceState[];
  /** Time at which all of them are free for it. */
  readonly startAt: number;
}

/** A run that needs devices on a lane. */
interface DeviceNeed {
  readonly run: ScheduledRun;
  readonly lane: Lane;
  /** Milliseconds for which it would occupy them. */
  readonly ms: number;
  /** Time at which everything else is free for it. */
  readonly startAt: number;
}

interface Free {
  readonly state: DeviceState;
  readonly at: number;
  readonly since: number;
}

/**
 * The devices on which a run would start soonest; undefined where its state does not fit those that are
 * open. Of devices that are free in time it takes those that became free last, which leaves the others
 * to runs that start before, and else those that have rested longest.
 *
 * @param open - The open devices of the lane.
 */
export function chooseDevices(
  need: DeviceNeed,
  open: readonly DeviceState[],
  timeOf: (device: DeviceState) => FreeTime,
): ChosenDevices | undefined {
  const { run, lane, startAt } = need;
  if (!run.needsDevice) return { states: [], startAt };
  let soonest: Free | undefined;
  let numFitting = 0;
  const bytes = stateBytes(run);
  for (const state of open) {
    if (!fits(bytes, lane, state)) continue;
    numFitting++;
    const free = freeOf(state, timeOf(state), need);
    if (soonest === undefined || compare(free, soonest) < 0) soonest = free;
  }
  const alone = soonest && { states: [soonest.state], startAt: soonest.at };
  if (alone !== undefined && (alone.startAt <= startAt || numFitting === open.length)) return alone;
  const together = chooseSeveral(need, open, timeOf);
  if (alone === undefined || together === undefined) return alone ?? together;
  return together.startAt < alone.startAt ? together : alone;
}

/** Whether one device is enough for a run on a lane. */
export function fitsAlone(run: ScheduledRun, lane: Lane, device: DeviceState): boolean {
  return fits(stateBytes(run), lane, device);
}

function fits(bytes: number, lane: Lane, device: DeviceState): boolean {
  return lane.kind !== 'spread' && bytes <= roomOn(lane, device) * (1 + ROUNDING);
}

/** Several devices that hold the state together; with parts on several adapters, each holds its own. */
function chooseSeveral(
  need: DeviceNeed,
  open: readonly DeviceState[],
  timeOf: (device: DeviceState) => FreeTime,
): ChosenDevices | undefined {
  const { run, lane } = need;
  const free = open.map((state) => freeOf(state, timeOf(state), need)).sort(compare);
  if (lane.kind !== 'spread') return takeUntil(free, lane, stateBytes(run));
  const states: DeviceState[] = [];
  let at = need.startAt;
  const parts = partsOf(lane);
  for (const adapter of parts) {
    const itsOwn = free.filter(({ state }) => state.view.adapter === adapter);
    const part = takeUntil(itsOwn, lane, stateBytes(run) / parts.length);
    if (part === undefined) return undefined;
    states.push(...part.states);
    at = Math.max(at, part.startAt);
  }
  return { states, startAt: at };
}

/** The adapters that a state is spread over. */
function partsOf({ parts, pools }: Lane): readonly string[] {
  return parts ?? pools;
}

/** The first devices whose budgets are enough together. */
function takeUntil(free: readonly Free[], lane: Lane, bytes: number): ChosenDevices | undefined {
  const states: DeviceState[] = [];
  let room = 0;
  for (const { state, at } of free) {
    states.push(state);
    room += roomOn(lane, state);
    if (bytes <= room * (1 + ROUNDING)) return { states, startAt: at };
  }
  return undefined;
}

/** Bytes for a lane's runs on a device. Runs on the CPU's threads have memory of their own. */
function roomOn(lane: Lane, { view }: DeviceState): number {
  const isCpu = view.adapter === undefined;
  const isCounted = lane.kind === 'adapter' || lane.kind === 'spread';
  return isCounted || (lane.kind === 'wide' && isCpu) ? view.budgetBytes : Number.POSITIVE_INFINITY;
}

function stateBytes({ precision, work }: ScheduledRun): number {
  return AMPLITUDE_BYTES[precision] * 2 ** work.numQubits;
}

function freeOf(state: DeviceState, time: FreeTime, { startAt, ms }: DeviceNeed): Free {
  const at = time.fit(startAt, ms);
  return { state, at, since: time.since(at) };
}

/** Negative where `a` is to be taken before `b`. */
function compare(a: Free, b: Free): number {
  return a.at - b.at || b.since - a.since || a.state.lastUsed - b.state.lastUsed;
}

/** A run before a held stay must fit this many times: estimates err, and the stay must not be late. */
const GAP_MARGIN = 2;

/**
 * Free time of one slot or device, as planned so far. It is free from some time on, except for one stay
 * that is held for a run which waits for something else, too. A run that is short enough goes before that
 * stay. Times are milliseconds.
 *
 * One gap is kept, not all of them: more are rare, and searching lists of stays would make a plan of many
 * runs quadratic.
 *
 * @see Mu'alem, Feitelson, "Utilization, predictability, workloads, and user runtime estimates in
 *   scheduling the IBM SP2 with backfilling", 2001: what backfilling gains, and what estimates it needs.
 */
export class FreeTime {
  /** Free from then … */
  #from: number;
  /** … until then … */
  #until = Number.POSITIVE_INFINITY;
  /** … and again from then on. */
  #after = Number.POSITIVE_INFINITY;

  constructor(from: number) {
    this.#from = from;
  }

  /** Start of the free interval that has `at`, a time that `fit` returned. */
  since(at: number): number {
    return at >= this.#after ? this.#after : this.#from;
  }

  /** When it is free after all that is planned. */
  get end(): number {
    return this.#until === Number.POSITIVE_INFINITY ? this.#from : this.#after;
  }

  /** The earliest time, not before `start`, from which it is free for `ms`. */
  fit(start: number, ms: number): number {
    const at = Math.max(start, this.#from);
    return this.#isInGap(at, ms) ? at : Math.max(start, this.#after);
  }

  /** Takes the time from `start` on for `ms`, which `fit` has given. */
  take(start: number, ms: number): void {
    if (this.#until === Number.POSITIVE_INFINITY && start > this.#from) {
      this.#until = start;
      this.#after = start + ms;
    } else if (this.#isInGap(start, ms)) {
      this.#from = start + ms;
    } else {
      this.#after = start + ms;
    }
  }

  #isInGap(at: number, ms: number): boolean {
    return this.#until === Number.POSITIVE_INFINITY || at + GAP_MARGIN * ms <= this.#until;
  }
}
