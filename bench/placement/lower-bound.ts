/**
 * A proven lower bound of the makespan: no schedule, not even one that knows all run times and arrivals
 * ahead, is done sooner.
 *
 * Give each slot of pool i a price w_i ≥ 0 with Σ w_i · slots_i = 1. A job on a lane takes its time on one
 * slot of each of the lane's pools, so it costs at least c_j = min over lanes of p · Σ w_i. In a schedule of
 * length T all slots together are sold for T at most, hence T ≥ Σ c_j: linear programming duality, and
 * true for any prices. Prices are improved by multiplicative weights; a bad search gives a weaker bound,
 * never a wrong one.
 *
 * The same holds of the jobs that arrive at r or later, which have the time from r on; and each single
 * job ends no sooner than its arrival and its shortest run.
 *
 * @see Arora, Hazan, Kale, "The multiplicative weights update method", 2012, section 3.
 */

import { eligibleLanes } from '../../src/fleet/schedule/eligible-lanes.ts';
import type { Lane, PoolId } from '../../src/fleet/schedule/lane.ts';
import type { Arrival } from '../capacity/model/workload.ts';
import type { Replay, TraceJob } from './trace.ts';

/** Number of arrival times from which on the remaining work is bounded. */
const NUM_SUFFIXES = 12;
const NUM_ROUNDS = 200;
const STEP = 0.7;

/** Pools of one class have one price. */
interface Option {
  readonly ms: number;
  /** Classes of the pools, one entry a pool. */
  readonly classes: readonly number[];
}

/** Milliseconds from the first arrival. */
export function lowerBoundMs(
  replay: Replay,
  trueMs: (lane: Lane, job: TraceJob) => number,
): number {
  const { arrivals } = replay;
  const first = arrivals[0]?.at ?? 0;
  const classes = classesOf(replay);
  const options = arrivals.map(({ job }) => optionsOf(replay, job, trueMs, classes.of));
  let best = 0;
  for (const [j, { at }] of arrivals.entries()) {
    const shortest = Math.min(...(options[j] ?? []).map(({ ms }) => ms));
    best = Math.max(best, at - first + shortest);
  }
  for (let suffix = 0; suffix < NUM_SUFFIXES; suffix++) {
    const from = Math.floor((suffix * arrivals.length) / NUM_SUFFIXES);
    const start = (arrivals[from]?.at ?? first) - first;
    best = Math.max(best, start + workBound(options.slice(from), classes.slots));
  }
  return best;
}

/** The best Σ c_j found. */
function workBound(jobs: readonly (readonly Option[])[], slots: readonly number[]): number {
  const total = slots.reduce((sum, count) => sum + count, 0);
  let prices = slots.map(() => 1 / total);
  let best = 0;
  for (let round = 0; round < NUM_ROUNDS; round++) {
    const loads = slots.map(() => 0);
    let bound = 0;
    for (const options of jobs) {
      let cheapest: Option | undefined;
      let least = Number.POSITIVE_INFINITY;
      for (const option of options) {
        const cost = option.ms * option.classes.reduce((sum, c) => sum + prices[c]!, 0);
        if (cost >= least) continue;
        least = cost;
        cheapest = option;
      }
      if (cheapest === undefined) continue;
      bound += least;
      for (const c of cheapest.classes) loads[c]! += cheapest.ms / slots[c]!;
    }
    best = Math.max(best, bound);
    // Raises the price of the pools in demand.
    const highest = Math.max(...loads);
    if (highest === 0) break;
    const step = STEP / Math.sqrt(1 + round);
    const raised = prices.map((price, c) => price * Math.exp((step * loads[c]!) / highest));
    const sum = raised.reduce((all, price, c) => all + price * slots[c]!, 0);
    prices = raised.map((price) => price / sum);
  }
  return best;
}

/** Groups pools into classes of alike adapters. */
function classesOf({ fleet, hardwareOf }: Replay) {
  const names: string[] = [];
  const slots: number[] = [];
  const ofPool = new Map<PoolId, number>();
  for (const lane of fleet.lanes) {
    const [pool = ''] = lane.pools;
    if (lane.pools.length > 1 || ofPool.has(pool)) continue;
    const name = hardwareOf(lane);
    const place = names.includes(name) ? names.indexOf(name) : names.push(name) - 1;
    slots[place] = (slots[place] ?? 0) + (fleet.slots.get(pool) ?? 0);
    ofPool.set(pool, place);
  }
  return { slots, of: (pool: PoolId) => ofPool.get(pool) ?? 0 };
}

function optionsOf(
  { fleet }: Replay,
  job: Arrival<TraceJob>['job'],
  trueMs: (lane: Lane, job: TraceJob) => number,
  classOf: (pool: PoolId) => number,
): readonly Option[] {
  const seen = new Map<string, Option>();
  for (const lane of eligibleLanes(job, fleet.lanes)) {
    const classes = lane.pools.map(classOf);
    seen.set(`${classes}`, { ms: trueMs(lane, job), classes });
  }
  return [...seen.values()];
}
