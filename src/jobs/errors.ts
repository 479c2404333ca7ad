/** Errors of the job layer. */
import { CodedError } from '../errors/coded-error.ts';
import type { JobId, JobStatus } from './job.ts';

/** No job has that id (or none that the caller may see). */
export class JobNotFoundError extends CodedError {
  readonly code = 'JOBS_NOT_FOUND';

  constructor(id: JobId) {
    super(`There is no job ${id}.`);
  }
}

/** The job is not where the caller took it to be, or the life cycle has no such step. */
export class JobTransitionError extends CodedError {
  readonly code = 'JOBS_TRANSITION';
  /** The status the job really has. */
  readonly actual: JobStatus;

  constructor(id: JobId, from: JobStatus, to: JobStatus, actual: JobStatus) {
    super(`Job ${id} cannot go from ${from} to ${to}: it is ${actual}.`);
    this.actual = actual;
  }
}
