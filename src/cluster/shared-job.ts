/** A job of a cluster: what its record and its handler have beside those of a single node. */
import type { Job, NewJob } from '../jobs/job.ts';
import type { JobHandler } from '../jobs/job-handler.ts';
import { jobOfRow } from '../jobs/job-row.ts';
import type { StoredRow } from '../storage/damaged-records.ts';

/**
 * Claim of a node on a job: the node may run it, and no other writes its outcome. A claim is named by the node, the
 * epoch of the node, which is raised when the node starts or is given up, and a number.
 */
export interface JobClaim {
  readonly node: string;
  readonly epoch: number;
  readonly number: number;
}

/** Queueing of a job that waits for a node. */
export interface JobQueueing {
  /** Line that it waits in; jobs of one line compete for the same. */
  readonly line: string;
  /** Level at which it starts to wait; 0 goes first. */
  readonly level: number;
  /** Milliseconds that it is expected to take. */
  readonly costMs: number;
  /** Capacity that its target must have on the node that runs it, on a scale of the handler; 0 if any node can. */
  readonly width: number;
}

/** Record of a job. The further fields are absent from records of a single node. */
export interface SharedJob extends Job {
  readonly queueing?: JobQueueing;
  /** Node that took it in, where its place in flight is counted. */
  readonly origin?: string;
  /** Claim of the node that may run it; absent while it waits for one. */
  readonly claim?: JobClaim;
}

/** Fields of a job that decide its queueing. */
export type WaitingJob = Pick<NewJob, 'id' | 'kind' | 'priority' | 'target' | 'request'>;

/** Runs the jobs of one kind, on a node of a cluster or a single one. */
export interface SharedJobHandler extends JobHandler {
  /** Queueing of a job. Without it, all jobs of the kind wait in a line of their own. */
  queueing?(job: WaitingJob): JobQueueing;
}

/** True if two claims are the same, or neither is one. */
export function isSameClaim(a: JobClaim | undefined, b: JobClaim | undefined): boolean {
  return a?.node === b?.node && a?.epoch === b?.epoch && a?.number === b?.number;
}

/**
 * Converts a row of `SELECT *` or `RETURNING *` to a job.
 *
 * @throws {JobDamagedError} if the row is not a valid job.
 */
export function sharedJobOfRow(row: StoredRow): SharedJob {
  const { line, origin, owner: node } = row;
  return {
    ...jobOfRow(row),
    ...(typeof line === 'string' && {
      queueing: {
        line,
        level: Number(row['level']),
        costMs: Number(row['cost_ms']),
        width: Number(row['width']),
      },
    }),
    ...(typeof origin === 'string' && { origin }),
    ...(typeof node === 'string' && {
      claim: { node, epoch: Number(row['epoch']), number: Number(row['claim']) },
    }),
  };
}
