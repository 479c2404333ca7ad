/** What a job runner needs to share its jobs with the other nodes of a cluster. */
import type { Job, JobClaim, JobId, JobQueueing, NewJob } from './job.ts';

/** A job that waits, with the facts that decide where it may run. */
export type QueuedJob = Pick<Job, 'id' | 'target' | 'queueing' | 'claim'>;

/** State of a job in the database. */
export type StoredState = Pick<Job, 'status' | 'origin'>;

/** Jobs of a cluster, as the runner of one node sees them. */
export interface JobSharing {
  /** Name of this node. */
  readonly node: string;
  /**
   * Claim with which this node starts a new job at once; undefined if the job has to wait in the database, where any
   * node may claim it.
   */
  claimNew(job: Pick<NewJob, 'target'>, queueing: JobQueueing): JobClaim | undefined;
  /** A further claim of this node, for a job that is not stored yet. */
  newClaim(): JobClaim;
  /** Notes that a job began here that did not wait in the database, so that its key is charged for it. */
  charge(job: Pick<Job, 'keyId'>, queueing: JobQueueing): void;
  /** Tells the nodes that a job waits in a line. */
  announceQueued(line: string): void;
  /** Tells the nodes that the record of a job has changed. */
  announceChanged(id: JobId): void;
  /** Tells the nodes of the progress of a job that runs here. */
  announceProgress(id: JobId, progress: number, message: string | undefined): void;
  /** Asks the node that runs a job to announce its progress for some time. */
  askForProgress(id: JobId): void;
  /** Reads the statuses of jobs, and which nodes took them in; deleted jobs are left out. */
  statesOf(ids: readonly JobId[]): Promise<ReadonlyMap<JobId, StoredState>>;
  /**
   * Number of jobs that start before a job that waits in the database; undefined if it is not known to wait there.
   *
   * @param line - Line of a job that came so recently that its place is not known yet: it is taken to be the last.
   */
  queuePosition(id: JobId, line?: string): number | undefined;
  /** Expected start of a job that waits in the database, milliseconds since 1970 UTC. */
  expectedStart(id: JobId): number | undefined;
  /**
   * Why no node that is up can run a job that waits in the database, in a sentence; undefined if one can, or it does not
   * wait there.
   */
  waitingFor(job: QueuedJob): string | undefined;
  /** Progress of a job that runs on another node, in [0, 1], as of a second ago. */
  progressOf(id: JobId): number | undefined;
  /** Called after a job that was held here was released: there may be room for others. */
  released(): void;
}
