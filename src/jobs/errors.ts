/** Errors of the job layer. */
import { CodedError } from '../errors/coded-error.ts';
import type { JobId, JobKind, JobStatus } from './job.ts';

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

/** A job with that id exists already. */
export class DuplicateJobError extends CodedError {
  readonly code = 'JOBS_DUPLICATE';

  constructor(id: JobId) {
    super(`There is a job ${id} already.`);
  }
}

/** Nothing in this process runs jobs of that kind. */
export class NoHandlerError extends CodedError {
  readonly code = 'JOBS_NO_HANDLER';

  constructor(kind: JobKind) {
    super(`Nothing here runs jobs of kind ${kind}.`);
  }
}

/** The process ended under the job as often as it is tried. */
export class JobInterruptedError extends CodedError {
  readonly code = 'JOBS_INTERRUPTED';

  constructor(attempts: number) {
    super(
      `The service stopped while the job ran, ${attempts} times; it is not tried again by itself.`,
    );
  }
}

/** Why the work of a cancelled job was aborted. */
export class JobCancelledError extends CodedError {
  readonly code = 'JOBS_CANCELLED';

  constructor(id: JobId) {
    super(`Job ${id} was cancelled.`);
  }
}

/** The service is stopping: it takes no more jobs, and puts those it has back into the queue. */
export class RunnerClosedError extends CodedError {
  readonly code = 'JOBS_SHUTTING_DOWN';

  constructor() {
    super('The service is shutting down and takes no new jobs.');
  }
}

/** An idempotency key was used before, for another request. */
export class IdempotencyConflictError extends CodedError {
  readonly code = 'JOBS_IDEMPOTENCY_CONFLICT';

  constructor(idempotencyKey: string) {
    super(
      `Idempotency key ${JSON.stringify(idempotencyKey)} was used within the last 24 hours for a different request.`,
    );
  }
}
