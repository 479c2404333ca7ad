/**
 * Workloads of a simulated fleet: jobs, and when each arrives. Open loops send whatever the fleet does;
 * in a closed loop each client sends its next job once its last is done.
 */
import type { ScheduledRun, Tier } from '../../../src/fleet/schedule/scheduled-run.ts';
import type { SeededDraws } from './seeded-draws.ts';

/** A job as the scheduler sees it, and what a simulation tells it apart by. */
export interface SimulatedJob extends ScheduledRun {
  /** 0, 1, 2 … in the order in which jobs are made. */
  readonly index: number;
  /** By which latencies are reported apart. */
  readonly sizeClass: string;
  readonly tier: Tier;
}

/** A job on its way. */
export interface Arrival<J extends SimulatedJob> {
  readonly at: number;
  readonly job: J;
}

/** Source of jobs. Times are milliseconds. */
export interface Workload<J extends SimulatedJob> {
  /** The next one that comes whatever becomes of the others, in order of time; undefined at the end. */
  next(): Arrival<J> | undefined;
  /** The one that comes because that one is done. */
  afterEnd(job: J, now: number): Arrival<J> | undefined;
}

/** Makes the job of that number. */
type MakeJob<J extends SimulatedJob> = (index: number) => J;

/** Purpose of the draws of times between arrivals. */
const BETWEEN_ARRIVALS = 1000;

/**
 * Jobs at random moments, at a constant rate.
 *
 * @param perSecond - Mean rate.
 */
export function poissonArrivals<J extends SimulatedJob>(
  numJobs: number,
  perSecond: number,
  draws: SeededDraws,
  makeJob: MakeJob<J>,
): Workload<J> {
  let index = 0;
  let at = 0;
  return {
    next() {
      if (index >= numJobs) return undefined;
      at += draws.exponential(index, BETWEEN_ARRIVALS, 1000 / perSecond);
      return { at, job: makeJob(index++) };
    },
    afterEnd: () => undefined,
  };
}

/** Clients that each have one job in the fleet at a time, without a pause between. */
export function closedLoop<J extends SimulatedJob>(
  numJobs: number,
  numClients: number,
  makeJob: MakeJob<J>,
): Workload<J> {
  let index = 0;
  const make = (at: number) => (index < numJobs ? { at, job: makeJob(index++) } : undefined);
  return {
    next: () => (index < numClients ? make(0) : undefined),
    afterEnd: (_, now) => make(now),
  };
}

/** Jobs with their times. */
export function tracedArrivals<J extends SimulatedJob>(
  arrivals: readonly Arrival<J>[],
): Workload<J> {
  const inOrder = arrivals.toSorted((a, b) => a.at - b.at);
  let next = 0;
  return { next: () => inOrder[next++], afterEnd: () => undefined };
}
