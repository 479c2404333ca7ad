/**
 * Store of jobs. The compare-and-set of `transition` carries all concurrency:
 * of several callers that try the same transition exactly one succeeds.
 */
import type { Job, JobId, JobPatch, JobQuery, JobStatus, NewJob } from './job.ts';

/** A store of jobs. */
export interface JobStore {
  /**
   * Adds a job: a new one as `queued` with no attempts, one that began before it was stored as it
   * stands.
   *
   * @throws {DuplicateJobError} if the id is taken.
   */
  create(job: NewJob | Job): Promise<Job>;
  /** @throws {JobDamagedError} if what is stored of it cannot be read. */
  get(id: JobId): Promise<Job | undefined>;
  /** Damaged jobs are left out; a page is full all the same where there are others. */
  list(query: JobQuery): Promise<readonly Job[]>;
  /**
   * Moves a job from one status to another and applies the patch, atomically.
   *
   * @throws {JobNotFoundError} if there is no such job.
   * @throws {JobTransitionError} if the life cycle has no such transition, or the job is not in
   *   `from`; nothing has changed then.
   */
  transition(id: JobId, from: JobStatus, to: JobStatus, patch?: JobPatch): Promise<Job>;
  /** Deletes a job that is final; false where there is none. */
  remove(id: JobId): Promise<boolean>;
  /**
   * Brings damaged jobs that have no end to one, so that nobody waits for them and their time runs out.
   *
   * @param finishedAt - Milliseconds since 1970 UTC.
   * @returns How many of them were waiting or running.
   */
  failDamaged(finishedAt: number): Promise<number>;
}
