/** Report on a mixed load: how many jobs of each kind, how fast, and the faults. */
import { NumberLogs } from '../../../bench/capacity/model/number-log.ts';
import type { JobStatus } from '../../../src/jobs/job.ts';

/** Faults of one load that are kept; where there is one there are often many. */
const MAX_FAULTS = 50;

/** Jobs of one kind by how they ended. */
export type Outcomes = Record<Extract<JobStatus, 'completed' | 'failed' | 'cancelled'>, number>;

/** Filled while the load runs. */
export class LoadReport {
  readonly outcomes = new Map<string, Outcomes>();
  /** Milliseconds from creation to end, as the service says, of completed jobs by kind. */
  readonly jobMs = new NumberLogs();
  /** Milliseconds from creation to start, likewise. */
  readonly queueMs = new NumberLogs();
  /** Milliseconds of requests by what they asked for. */
  readonly requestMs = new NumberLogs();
  readonly faults: string[] = [];
  /** Places of the TPU fleet where jobs were seen waiting for chips. */
  readonly zonesWithLines = new Set<string>();
  watched = 0;
  reconnects = 0;
  eventsSeen = 0;
  progressEvents = 0;
  repeats = 0;
  cancelsAsked = 0;
  sawRunning = 0;
  /** From the first submission to the end of the last job. */
  seconds = 0;

  /** Takes note of something that is wrong. */
  fault(text: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(text);
  }

  /** Takes note of a job's end. */
  ended(name: string, status: keyof Outcomes): void {
    const outcomes = this.outcomes.get(name) ?? { completed: 0, failed: 0, cancelled: 0 };
    outcomes[status]++;
    this.outcomes.set(name, outcomes);
  }

  /** Jobs that ended so; all of them unless a status is given. */
  total(status?: keyof Outcomes): number {
    let sum = 0;
    for (const outcomes of this.outcomes.values()) {
      sum +=
        status === undefined
          ? outcomes.completed + outcomes.failed + outcomes.cancelled
          : outcomes[status];
    }
    return sum;
  }
}
