/** Runs one trace under each scheduler, and verifies the schedules. */

import { AGEING_MS } from '../../src/fleet/schedule/fair-queue.ts';
import { type Lane, type LaneId, MAX_SMALL_QUBITS } from '../../src/fleet/schedule/lane.ts';
import { RunEstimates } from '../../src/fleet/schedule/run-estimates.ts';
import type { RunWork } from '../../src/fleet/schedule/scheduled-run.ts';
import { BrokenPromiseError } from '../capacity/model/fleet-audit.ts';
import { stateBytes } from '../capacity/model/fleet-model.ts';
import { simulateFleet } from '../capacity/model/simulate-fleet.ts';
import { tracedArrivals } from '../capacity/model/workload.ts';
import { assignOnArrival, type BaselineResult, leastLoaded, roundRobin } from './baselines.ts';
import { lowerBoundMs } from './lower-bound.ts';
import { type Replay, replayOf, type Trace, type TraceJob, trueTimes } from './trace.ts';

const SEED = 11;

/** Makespans of one trace, milliseconds. */
export interface Comparison {
  readonly trace: string;
  readonly numJobs: number;
  /** Standard deviation of the logarithm of actual over modelled run times. */
  readonly sigma: number;
  readonly lowerBoundMs: number;
  /** The scheduler with the model's times. */
  readonly earliestFinishMs: number;
  /** The scheduler without a model, learning while it runs. */
  readonly learningMs: number;
  readonly roundRobinMs: number;
  readonly leastLoadedMs: number;
}

/**
 * Runs a trace under the scheduler and both baselines.
 *
 * @throws {BrokenPromiseError} if any of them ran a job twice or not at all, two things in one place, or
 *   a state where it does not fit; or was done before the lower bound.
 */
export function compare(trace: Trace, sigma: number): Comparison {
  const replay = replayOf(trace);
  const trueMs = trueTimes(replay, sigma, SEED);
  const bound = lowerBoundMs(replay, trueMs);
  const baselines = [roundRobin, leastLoaded].map((choose) => {
    const result = assignOnArrival(replay, trueMs, choose);
    verify(replay, result);
    return result.makespanMs;
  });
  const [roundRobinMs = 0, leastLoadedMs = 0] = baselines;
  const earliestFinishMs = simulated(replay, trueMs, new ModelTimes(replay));
  const learningMs = simulated(replay, trueMs, modelsOnly(replay));
  for (const makespan of [...baselines, earliestFinishMs, learningMs]) {
    if (makespan < bound * (1 - 1e-9)) {
      throw new BrokenPromiseError(`${trace.name}: done in ${makespan} ms, before ${bound}`);
    }
  }
  return {
    trace: trace.name,
    numJobs: trace.jobs.length,
    sigma,
    lowerBoundMs: bound,
    earliestFinishMs,
    learningMs,
    roundRobinMs,
    leastLoadedMs,
  };
}

function simulated(
  { fleet, arrivals }: Replay,
  serviceMs: (lane: Lane, job: TraceJob) => number,
  estimates: RunEstimates,
): number {
  const workload = tracedArrivals(arrivals);
  const options = { ageingMs: AGEING_MS, maxSmallQubits: MAX_SMALL_QUBITS, estimates };
  return simulateFleet({ fleet, workload, serviceMs, ...options }).makespanMs;
}

/** Estimates fixed to the model's times, without learning. */
class ModelTimes extends RunEstimates {
  readonly #replay: Replay;
  readonly #jobs: ReadonlyMap<RunWork, TraceJob>;
  readonly #lanes: ReadonlyMap<LaneId, Lane>;

  constructor(replay: Replay) {
    super();
    this.#replay = replay;
    this.#jobs = new Map(replay.arrivals.map(({ job }) => [job.work, job]));
    this.#lanes = new Map(replay.fleet.lanes.map((lane) => [lane.id, lane]));
  }

  override expectedMs(id: LaneId, work: RunWork): number {
    const lane = this.#lanes.get(id);
    const job = this.#jobs.get(work);
    if (lane === undefined || job === undefined) throw new Error('unreachable: not of the trace');
    return this.#replay.expectedMs(lane, job);
  }

  override observe(): void {}
}

/** Estimates as a service has them at its start: it knows only which lanes are alike. */
function modelsOnly({ fleet, hardwareOf }: Replay): RunEstimates {
  const estimates = new RunEstimates();
  for (const lane of fleet.lanes) estimates.setModel(lane.id, hardwareOf(lane));
  return estimates;
}

/** Verifies a baseline's runs independently of the code that made them. */
function verify({ fleet, arrivals }: Replay, { runs }: BaselineResult): void {
  const lanes = new Map(fleet.lanes.map((lane) => [lane.id, lane]));
  const moments = new Map<string, { readonly at: number; readonly by: number }[]>();
  for (const { at, job } of arrivals) {
    const run = runs[job.index];
    const lane = run && lanes.get(run.lane);
    if (run === undefined || lane === undefined || run.start < at) {
      throw new BrokenPromiseError(`${job.id} did not run after its arrival`);
    }
    if (job.work.numQubits > lane.maxQubits[job.precision]) {
      throw new BrokenPromiseError(`${stateBytes(job)} bytes on ${lane.id}`);
    }
    for (const pool of lane.pools) {
      const ofPool = moments.get(pool) ?? [];
      ofPool.push({ at: run.start, by: 1 }, { at: run.end, by: -1 });
      moments.set(pool, ofPool);
    }
  }
  for (const [pool, ofPool] of moments) {
    let numRunning = 0;
    // At equal times, ends come before starts.
    for (const { by } of ofPool.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
      numRunning += by;
      if (numRunning > (fleet.slots.get(pool) ?? 0)) {
        throw new BrokenPromiseError(`${numRunning} at once on ${pool}`);
      }
    }
  }
}
