/**
 * Two schedulers to beat, by their textbook definitions. Both give a circuit to a slot the moment it
 * arrives, for good; each slot runs its circuits in the order in which it got them.
 *
 * Round-robin takes the slots that can run the circuit in turn. Least-loaded takes the one that has the
 * least work, by the same estimates that our scheduler has; it does not ask how long this circuit would
 * take there. Both know what fits where, as ours does.
 */

import { eligibleLanes } from '../../src/fleet/schedule/eligible-lanes.ts';
import type { Lane, LaneId } from '../../src/fleet/schedule/lane.ts';
import { EventHeap } from '../capacity/model/event-heap.ts';
import type { Replay, TraceJob } from './trace.ts';

/**
 * A place that runs one circuit at a time; it covers several slots if a lane needs several pools.
 */
interface Place {
  readonly lane: Lane;
  readonly slots: readonly Slot[];
}

interface Slot {
  /** Actual end of everything assigned to it. */
  freeAt: number;
  /** Expected milliseconds of the unfinished circuits assigned to it. */
  load: number;
  lastUsed: number;
}

/** Chooses one of the places that can run a circuit, of which there is at least one. */
type Choose = (places: readonly Place[]) => Place;

/** Result of a baseline scheduler on a trace. */
export interface BaselineResult {
  readonly makespanMs: number;
  /** Lane, start and end of each job, by its index; milliseconds. */
  readonly runs: readonly { readonly lane: LaneId; readonly start: number; readonly end: number }[];
}

/** Round-robin: the place used longest ago. */
export const roundRobin: Choose = (places) =>
  least(places, ({ slots }) => Math.max(...slots.map(({ lastUsed }) => lastUsed)));

/** Least loaded: the place with the least work; of equals the one used longest ago. */
export const leastLoaded: Choose = (places) => {
  const loadOf = ({ slots }: Place) => Math.max(...slots.map(({ load }) => load));
  const lowest = Math.min(...places.map(loadOf));
  return roundRobin(places.filter((place) => loadOf(place) === lowest));
};

/** Assigns each job of the trace to a place as it arrives. */
export function assignOnArrival(
  { fleet, arrivals, expectedMs }: Replay,
  trueMs: (lane: Lane, job: TraceJob) => number,
  choose: Choose,
): BaselineResult {
  const slotsOfPool = new Map(
    [...fleet.slots].map(([pool, count]) => [pool, Array.from({ length: count }, newSlot)]),
  );
  const placesOf = new Map<LaneId, readonly Place[]>();
  for (const lane of fleet.lanes) {
    const pools = lane.pools.map((pool) => slotsOfPool.get(pool) ?? []);
    const [first = []] = pools;
    const places =
      pools.length === 1
        ? first.map((slot) => ({ lane, slots: [slot] }))
        : [{ lane, slots: pools.flatMap(([slot]) => slot ?? []) }];
    placesOf.set(lane.id, places);
  }
  const ends = new EventHeap<() => void>();
  const runs: BaselineResult['runs'][number][] = [];
  let turn = 0;
  for (const { at, job } of arrivals) {
    while (ends.nextAt <= at) ends.take()?.();
    const lanes = eligibleLanes(job, fleet.lanes);
    const { lane, slots } = choose(lanes.flatMap(({ id }) => placesOf.get(id) ?? []));
    const expected = expectedMs(lane, job);
    const start = Math.max(at, ...slots.map(({ freeAt }) => freeAt));
    const end = start + trueMs(lane, job);
    turn++;
    for (const slot of slots) {
      slot.freeAt = end;
      slot.load += expected;
      slot.lastUsed = turn;
      ends.add(end, () => {
        slot.load -= expected;
      });
    }
    runs[job.index] = { lane: lane.id, start, end };
  }
  const first = arrivals[0]?.at ?? 0;
  return { makespanMs: Math.max(...runs.map(({ end }) => end)) - first, runs };
}

function newSlot(): Slot {
  return { freeAt: 0, load: 0, lastUsed: 0 };
}

function least(places: readonly Place[], of: (place: Place) => number): Place {
  const [first, ...others] = places;
  if (first === undefined) throw new Error('unreachable: no place takes the circuit');
  return others.reduce((best, place) => (of(place) < of(best) ? place : best), first);
}
