/** Handlers: the interface between the job layer and the work, one handler a kind. */
import type { Job, JobId } from './job.ts';

/** Reports of a handler about a job that it runs. */
export interface JobHooks {
  /** The work has really begun. */
  started(): void;
  /**
   * Fraction done in [0, 1]; going backwards is ignored, unless the work starts over.
   *
   * @param message - What is being done, for people; without one the last stays.
   */
  progress(fraction: number, message?: string): void;
  /** The work was lost and starts over: progress is 0. */
  startedOver(): void;
  /** The job was accepted before a restart, so a full queue takes it too. */
  readonly readmitted: boolean;
}

/** Runs the jobs of one kind. */
export interface JobHandler {
  /**
   * Runs the job's work, queueing it first if need be; resolves with the result's JSON text.
   *
   * @throws {CodedError} to fail the job with that code and message.
   * @throws the signal's reason, soon after it aborts.
   */
  run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string>;
  /** Jobs that will start before this one; undefined when it is not queued, so that none will. */
  queuePosition(id: JobId): number | undefined;
  /**
   * The job that waits for this one and is one piece of work with it, if there is one.
   *
   * @param job - Of its request no more is there than a brief listing gives.
   */
  parentOf?(job: Job): JobId | undefined;
  /**
   * When a job that waits is expected to start, milliseconds since 1970 UTC; undefined when it does not
   * wait here or that is not known.
   */
  expectedStart?(id: JobId): number | undefined;
}
