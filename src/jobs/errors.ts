/** Errors of the job layer. */
import { CodedError } from '../errors/coded-error.ts';
import type { JobId, JobKind, JobStatus } from './job.ts';

/** No job has that id (or none that the caller may see). */
export class JobNotFoundError extends CodedError {
  readonly code = 'JOBS_NOT_FOUND';

  constructor(id: JobId) {
    super(`There is no job ${id} of this key; it may have been deleted, or be another key's.`);
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

/** The process ended under the job so often, with little else running, that the job may be why. */
export class JobInterruptedError extends CodedError {
  readonly code = 'JOBS_INTERRUPTED';

  constructor(attempts: number) {
    super(
      `The service died under each of the job's attempts, ${attempts} in all, and the job may be the cause. It is not started again by itself; a retry starts it.`,
    );
  }
}

/** The stored record of a job cannot be read. */
export class JobDamagedError extends CodedError {
  readonly code = 'JOBS_DAMAGED';
  /** Fault of the record: `its status is "x"`. */
  readonly what: string;
  /** The API key that owns the job, where that is known. */
  readonly keyId: string | undefined;

  constructor(what: string, job?: { readonly id: JobId; readonly keyId: string }) {
    super(
      `The stored record of ${job ? `job ${job.id.slice(0, 100)}` : 'the job'} is damaged: ${what}.`,
    );
    this.what = what;
    this.keyId = job?.keyId;
  }
}

/** Only what failed or was cancelled is run again. */
export class JobNotRetriableError extends CodedError {
  readonly code = 'JOBS_NOT_RETRIABLE';

  constructor(id: JobId, status: JobStatus) {
    super(`Job ${id} is ${status}; only what has failed or was cancelled can be run again.`);
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
