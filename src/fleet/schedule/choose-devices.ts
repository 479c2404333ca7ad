/** Which devices a task takes on a lane: memory that is free soonest. */
import { AMPLITUDE_BYTES } from '../memory-shares.ts';
import type { DeviceState } from './device-book.ts';
import type { FreeTime } from './free-time.ts';
import type { LaneView } from './lane-view.ts';
import type { ScheduledTask } from './scheduled-task.ts';

/** Budgets are parts of a whole: what fits it exactly is not to fail by a rounding. */
const ROUNDING = 1e-9;

/** Devices chosen for a task: none where it needs none. */
export interface ChosenDevices {
  readonly states: readonly DeviceState[];
  /** When all of them are free for it. */
  readonly startAt: number;
}

/** A run that looks for devices. */
export interface DeviceNeed {
  readonly task: ScheduledTask;
  readonly lane: LaneView;
  /** How long it would have them. */
  readonly ms: number;
  /** When everything else is free for it. */
  readonly startAt: number;
}

interface Free {
  readonly state: DeviceState;
  readonly at: number;
  readonly since: number;
}

/**
 * The devices on which a run would start soonest; undefined where its state does not fit those that are
 * open. Of devices that are free in time it takes those that have become free last, which leaves the
 * others to what starts before, and else those that have rested longest.
 *
 * @param open - The open devices of the lane.
 */
export function chooseDevices(
  need: DeviceNeed,
  open: readonly DeviceState[],
  timeOf: (device: DeviceState) => FreeTime,
): ChosenDevices | undefined {
  const { task, lane, startAt } = need;
  if (!task.needsDevice) return { states: [], startAt };
  let soonest: Free | undefined;
  let numFitting = 0;
  const bytes = stateBytes(task);
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

/** Whether one device is enough for a task on a lane. */
export function fitsAlone(task: ScheduledTask, lane: LaneView, device: DeviceState): boolean {
  return fits(stateBytes(task), lane, device);
}

function fits(bytes: number, lane: LaneView, device: DeviceState): boolean {
  return lane.kind !== 'spread' && bytes <= roomOn(lane, device) * (1 + ROUNDING);
}

/** Several devices that hold the state together; with parts on several adapters, each holds its own. */
function chooseSeveral(
  need: DeviceNeed,
  open: readonly DeviceState[],
  timeOf: (device: DeviceState) => FreeTime,
): ChosenDevices | undefined {
  const { task, lane } = need;
  const free = open.map((state) => freeOf(state, timeOf(state), need)).sort(compare);
  if (lane.kind !== 'spread') return takeUntil(free, lane, stateBytes(task));
  const states: DeviceState[] = [];
  let at = need.startAt;
  const parts = partsOf(lane);
  for (const adapter of parts) {
    const itsOwn = free.filter(({ state }) => state.view.adapter === adapter);
    const part = takeUntil(itsOwn, lane, stateBytes(task) / parts.length);
    if (part === undefined) return undefined;
    states.push(...part.states);
    at = Math.max(at, part.startAt);
  }
  return { states, startAt: at };
}

/** The adapters that a state is spread over. */
function partsOf({ parts, pools }: LaneView): readonly string[] {
  return parts ?? pools;
}

/** The first devices whose budgets are enough together. */
function takeUntil(
  free: readonly Free[],
  lane: LaneView,
  bytes: number,
): ChosenDevices | undefined {
  const states: DeviceState[] = [];
  let room = 0;
  for (const { state, at } of free) {
    states.push(state);
    room += roomOn(lane, state);
    if (bytes <= room * (1 + ROUNDING)) return { states, startAt: at };
  }
  return undefined;
}

/** Bytes for a lane's runs on a device. What runs on the CPU's threads has memory of its own. */
function roomOn(lane: LaneView, { view }: DeviceState): number {
  const isCpu = view.adapter === undefined;
  const isCounted = lane.kind === 'adapter' || lane.kind === 'spread';
  return isCounted || (lane.kind === 'wide' && isCpu) ? view.budgetBytes : Number.POSITIVE_INFINITY;
}

function stateBytes({ precision, work }: ScheduledTask): number {
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
