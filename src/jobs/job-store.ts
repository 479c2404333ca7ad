/**
 * Store of jobs. All concurrency control rests on the compare-and-set of `transition`: if several callers try
 * the same transition, exactly one succeeds.
 */
import type {
  Job,
  JobId,
  JobList,
  JobPart,
  JobPartPlace,
  JobPatch,
  JobQuery,
  JobStatus,
  NewJob,
} from './job.ts';

export interface JobStore {
  /**
   * Adds a job: a new one as `queued` without attempts; one that began before it was stored, in its present
   * state.
   *
   * @param parts - Parts of its result, stored together with it.
   * @throws {DuplicateJobError} if the id is taken.
   */
  create(job: NewJob | Job, parts?: readonly JobPart[]): Promise<Job>;
  /**
   * Finds a job by id.
   *
   * @throws {JobDamagedError} if the stored job cannot be read.
   */
  get(id: JobId): Promise<Job | undefined>;
  /** Lists jobs. Damaged ones are left out, and the page is filled with others. */
  list(query: JobQuery): Promise<JobList>;
  /**
   * Moves a job from one status to another and applies the patch, atomically. A job that goes back to `queued`
   * is held by nobody.
   *
   * @param held - Record of the process that runs the job. A store that processes share moves the job only if it is
   *   still the one that this process holds. Undefined if anybody may move it.
   * @throws {JobNotFoundError} if there is no such job.
   * @throws {JobTransitionError} if the life cycle has no such transition, the job is not in `from`, or it is
   *   held by another process; nothing has changed then.
   */
  transition(id: JobId, from: JobStatus, to: JobStatus, patch?: JobPatch, held?: Job): Promise<Job>;
  /**
   * Stores parts of a job's result, all or none. A part replaces one that begins at the same place.
   *
   * @param held - As for `transition`.
   * @returns False if the job does not wait or run, or is held by another process; nothing was stored then.
   */
  addParts(id: JobId, parts: readonly JobPart[], held?: Job): Promise<boolean>;
  /** Places of all parts of a job, in order of series and index. */
  partPlaces(id: JobId): Promise<readonly JobPartPlace[]>;
  /**
   * Reads parts of a job, in order of series and index.
   *
   * @param after - Only parts after this place; the first ones unless given.
   * @returns A page of parts, about 4 MiB or more; empty at the end.
   */
  parts(id: JobId, after?: JobPartPlace): Promise<readonly JobPart[]>;
  /** Deletes a final job; returns false if there is none. */
  remove(id: JobId): Promise<boolean>;
  /**
   * Ends unfinished damaged jobs, so that nobody waits for them and they expire.
   *
   * @param finishedAt - Milliseconds since 1970 UTC.
   * @returns The number of them that were waiting or running.
   */
  failDamaged(finishedAt: number): Promise<number>;
}
