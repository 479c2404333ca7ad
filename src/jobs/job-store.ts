/**
 * Where jobs are kept. Four methods; the compare-and-set of `transition` carries all concurrency:
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
  get(id: JobId): Promise<Job | undefined>;
  list(query: JobQuery): Promise<readonly Job[]>;
  /**
   * Moves a job from one status to another and applies the patch, atomically.
   *
   * @throws {JobNotFoundError} if there is no such job.
   * @throws {JobTransitionError} if the life cycle has no such transition, or the job is not in
   *   `from`; nothing has changed then.
   */
  transition(id: JobId, from: JobStatus, to: JobStatus, patch?: JobPatch): Promise<Job>;
}
