/**
 * A fleet in virtual time: the live fleet's own scheduler, driven by a heap of events instead of a clock.
 * Nothing runs; a job takes as long as the caller says it would on the lane that it was given.
 *
 * Everything that is to hold is checked as it happens (`FleetAudit`), so a result is that of a schedule
 * that could have been.
 */
import type { Lane, LaneId } from '../../../src/fleet/schedule/lane.ts';
import type { RunEstimates } from '../../../src/fleet/schedule/run-estimates.ts';
import { type Dispatch, Scheduler } from '../../../src/fleet/schedule/scheduler.ts';
import { EventHeap } from './event-heap.ts';
import { FleetAudit } from './fleet-audit.ts';
import { type FleetModel, setFleet } from './fleet-model.ts';
import { SimulationLog, type SimulationResult } from './simulation-log.ts';
import type { Arrival, SimulatedJob, Workload } from './workload.ts';

/** Options of a simulation. Times are milliseconds. */
interface Simulation<J extends SimulatedJob> {
  readonly fleet: FleetModel;
  readonly workload: Workload<J>;
  /** How long a job really takes on a lane; above 0. The scheduler learns it only afterwards. */
  readonly serviceMs: (lane: Lane, job: J) => number;
  readonly ageingMs: number;
  readonly maxSmallQubits: number;
  /** Estimates of the scheduler; by default it knows no lane yet and learns. */
  readonly estimates?: RunEstimates;
  /** One waiting job in this many is asked for its planned start; 0 asks none. */
  readonly planEvery?: number;
  /** Jobs at the beginning whose latencies are not counted: the fleet fills up first. */
  readonly numWarmUp?: number;
}

type Event<J extends SimulatedJob> =
  | { readonly kind: 'arrival'; readonly arrival: Arrival<J>; readonly isOpenLoop: boolean }
  | { readonly kind: 'end'; readonly run: Run<J> };

/** A dispatch under way: its runs run one after another. */
interface Run<J extends SimulatedJob> {
  readonly dispatch: Dispatch<J>;
  readonly lane: Lane;
  next: number;
  ranMs: number;
}

/**
 * Runs a workload to its end.
 *
 * @throws {BrokenPromiseError} if the scheduler starts what must not start.
 * @throws Error if jobs are left that nothing takes.
 */
export function simulateFleet<J extends SimulatedJob>(simulation: Simulation<J>): SimulationResult {
  return new FleetRun(simulation).run();
}

class FleetRun<J extends SimulatedJob> {
  readonly #simulation: Simulation<J>;
  readonly #scheduler: Scheduler<J>;
  readonly #events = new EventHeap<Event<J>>();
  readonly #audit: FleetAudit<J>;
  readonly #log: SimulationLog<J>;
  readonly #lanes: ReadonlyMap<LaneId, Lane>;
  #numArrived = 0;
  #numAsked = 0;

  constructor(simulation: Simulation<J>) {
    this.#simulation = simulation;
    const { fleet, ageingMs, maxSmallQubits, estimates, numWarmUp = 0 } = simulation;
    this.#scheduler = new Scheduler<J>({
      ageingMs,
      maxSmallQubits,
      ...(estimates !== undefined && { estimates }),
    });
    setFleet(this.#scheduler, fleet);
    this.#audit = new FleetAudit(fleet);
    this.#log = new SimulationLog(numWarmUp);
    this.#lanes = new Map(fleet.lanes.map((lane) => [lane.id, lane]));
  }

  run(): SimulationResult {
    this.#takeNextArrivals();
    let now = 0;
    while (this.#events.nextAt < Number.POSITIVE_INFINITY) {
      now = this.#events.nextAt;
      const arrived: J[] = [];
      while (this.#events.nextAt === now) this.#happen(this.#events.take()!, now, arrived);
      for (const dispatch of this.#scheduler.dispatch(now)) this.#start(dispatch, now);
      for (const job of arrived) this.#askWhen(job, now);
    }
    if (this.#audit.numEnded !== this.#numArrived) {
      throw new Error(`${this.#numArrived - this.#audit.numEnded} jobs that nothing takes`);
    }
    return this.#log.result(this.#simulation.fleet, this.#scheduler, now);
  }

  #happen(event: Event<J>, now: number, arrived: J[]): void {
    if (event.kind === 'end') {
      this.#end(event.run, now);
      return;
    }
    const { job } = event.arrival;
    this.#numArrived++;
    this.#log.arrived(job, now);
    this.#scheduler.add(job, now);
    arrived.push(job);
    if (event.isOpenLoop) this.#takeNextArrivals();
  }

  /** Puts the next arrival of an open loop into the heap, which holds one at any time. */
  #takeNextArrivals(): void {
    const arrival = this.#simulation.workload.next();
    if (arrival === undefined) return;
    this.#events.add(arrival.at, { kind: 'arrival', arrival, isOpenLoop: true });
  }

  #start(dispatch: Dispatch<J>, now: number): void {
    const lane = this.#lanes.get(dispatch.lane);
    if (lane === undefined) throw new Error(`unreachable: there is no lane ${dispatch.lane}`);
    this.#audit.started(dispatch);
    this.#begin({ dispatch, lane, next: 0, ranMs: 0 }, now);
  }

  #begin(run: Run<J>, now: number): void {
    const job = run.dispatch.runs[run.next]!;
    run.ranMs = this.#simulation.serviceMs(run.lane, job);
    this.#log.started(job, now);
    this.#scheduler.began(run.dispatch, now);
    this.#events.add(now + run.ranMs, { kind: 'end', run });
  }

  #end(run: Run<J>, now: number): void {
    const { dispatch, ranMs } = run;
    const job = dispatch.runs[run.next++]!;
    this.#scheduler.ended(dispatch, job, 'completed', now, ranMs);
    this.#audit.ended(job);
    this.#log.ended(job, now, ranMs);
    const another = this.#simulation.workload.afterEnd(job, now);
    if (another !== undefined) {
      const event = { kind: 'arrival', arrival: another, isOpenLoop: false } as const;
      this.#events.add(another.at, event);
    }
    if (run.next < dispatch.runs.length) this.#begin(run, now);
    else this.#audit.freed(dispatch);
  }

  #askWhen(job: J, now: number): void {
    const { planEvery = 0 } = this.#simulation;
    if (planEvery === 0 || !this.#scheduler.isWaiting(job.id)) return;
    if (this.#numAsked++ % planEvery !== 0) return;
    const startAt = this.#scheduler.plan(now).starts.get(job.id)?.startAt;
    if (startAt !== undefined) this.#log.planned(job, startAt);
  }
}
