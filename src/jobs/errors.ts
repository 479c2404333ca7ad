/** Errors of the job layer. */
import { coded } from '../errors/coded-error.ts';
import type { JobId, JobKind, JobStatus } from './job.ts';

/** No job has this id, or none that the caller may see. */
export class JobNotFoundError extends coded(
  'JOBS_NOT_FOUND',
  (id: JobId) =>
    `There is no job ${id} of this key; it may have been deleted, or be another key's.`,
) {}

/** The job does not have the expected status, or the life cycle has no such transition. `actual` is its status. */
export class JobTransitionError extends coded(
  'JOBS_TRANSITION',
  (id: JobId, from: JobStatus, to: JobStatus, actual: JobStatus) => ({
    message: `Job ${id} cannot go from ${from} to ${to}: it is ${actual}.`,
    actual,
  }),
) {}

/** A job with this id exists already. */
export class DuplicateJobError extends coded(
  'JOBS_DUPLICATE',
  (id: JobId) => `There is a job ${id} already.`,
) {}

/** No handler in this process runs jobs of this kind. */
export class NoHandlerError extends coded(
  'JOBS_NO_HANDLER',
  (kind: JobKind) => `Nothing here runs jobs of kind ${kind}.`,
) {}

/** The process ended so often while this job ran, with few others, that the job may be the cause. */
export class JobInterruptedError extends coded(
  'JOBS_INTERRUPTED',
  (attempts: number) =>
    `The service died under each of the job's attempts, ${attempts} in all, and the job may be the cause. It is not started again by itself; a retry starts it.`,
) {}

/**
 * The stored record of a job cannot be read. `what` is the fault of the record: `its status is "x"`. `keyId` is the API
 * key that owns the job, if known.
 */
export class JobDamagedError extends coded(
  'JOBS_DAMAGED',
  (what: string, job?: { readonly id: JobId; readonly keyId: string }) => ({
    message: `The stored record of ${job ? `job ${job.id.slice(0, 100)}` : 'the job'} is damaged: ${what}.`,
    what,
    keyId: job?.keyId,
  }),
) {}

/** The job neither failed nor was cancelled, so it cannot be run again. */
export class JobNotRetriableError extends coded(
  'JOBS_NOT_RETRIABLE',
  (id: JobId, status: JobStatus) =>
    `Job ${id} is ${status}; only what has failed or was cancelled can be run again.`,
) {}

/** Reason for aborting the work of a cancelled job. */
export class JobCancelledError extends coded(
  'JOBS_CANCELLED',
  (id: JobId) => `Job ${id} was cancelled.`,
) {}

/**
 * Another process that shares the store holds the job now, because this one was not heard of for too long. Callers
 * never see it: they go on waiting for the outcome.
 */
export class JobLostError extends coded(
  'JOBS_LOST',
  (id: JobId) => `Job ${id} is held by another process now.`,
) {}

/** The service is stopping. It accepts no jobs and puts its present ones back into the queue. */
export class RunnerClosedError extends coded(
  'JOBS_SHUTTING_DOWN',
  () => 'The service is shutting down and takes no new jobs.',
) {}

/** The idempotency key was used before for a different request. */
export class IdempotencyConflictError extends coded(
  'JOBS_IDEMPOTENCY_CONFLICT',
  (idempotencyKey: string) =>
    `Idempotency key ${JSON.stringify(idempotencyKey)} was used within the last 24 hours for a different request.`,
) {}
