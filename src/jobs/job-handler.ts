/** Interface between the job layer and the work: one handler per kind. */
import type { Job, JobId, JobPart, JobPartPlace } from './job.ts';

/** Reports of a handler about a job that it runs. */
export interface JobHooks {
  /** Reports that the work began. */
  started(): void;
  /**
   * Reports the fraction done in [0, 1]. A decrease is ignored, unless the work starts over.
   *
   * @param message - Current work, for people; without one the last message stays.
   */
  progress(fraction: number, message?: string): void;
  /** Reports that the work was lost and starts over: progress is 0. */
  startedOver(): void;
  /**
   * Keeps parts of the result over a crash. They are stored soon, at the latest with the job's outcome; parts of one
   * call are stored together or not at all.
   */
  saveParts(parts: readonly JobPart[]): void;
  /**
   * Stores the job, if it is not stored yet, and parts of its result, before anything else happens.
   *
   * @throws the store's error, if they cannot be written; JobLostError if another process has taken or ended the job.
   */
  storeParts(parts: readonly JobPart[]): Promise<void>;
  /** Places of the parts that are stored, in order; those of an earlier run when the work begins. */
  savedParts(): Promise<readonly JobPartPlace[]>;
  /** True if the job was accepted before a restart, so that a full queue accepts it too. */
  readonly readmitted: boolean;
}

/** Runs the jobs of one kind. */
export interface JobHandler {
  /**
   * Runs the job's work, after queueing if necessary. Resolves with the result's JSON text.
   *
   * @throws {CodedError} to fail the job with that code and message.
   * @throws the signal's reason, soon after it aborts.
   */
  run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string>;
  /** Number of jobs that start before this one; undefined if it is not queued. */
  queuePosition(id: JobId): number | undefined;
  /**
   * What a job that is cancelled or has failed had got, JSON text that is kept as its result; undefined if nothing is
   * kept. Its parts are still stored.
   */
  resultSoFar?(job: Job): Promise<string | undefined>;
  /**
   * Job that waits for this one and is one unit of work with it, if any.
   *
   * @param job - A brief listing's job; its request may be cut off.
   */
  parentOf?(job: Job): JobId | undefined;
  /**
   * Expected start of a waiting job, milliseconds since 1970 UTC; undefined if it does not wait here or the
   * time is unknown.
   */
  expectedStart?(id: JobId): number | undefined;
}
