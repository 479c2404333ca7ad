/**
 * Interface of a kind of job. A definition says how the bodies of the kind are read, admitted, run and shown.
 * Everything else exists once for all kinds: reading large bodies in processes, Idempotency-Key, Prefer,
 * limits in flight, listings, events, cancel, retry, delete and recovery.
 *
 * To add a kind: its name and prefix in jobs/job.ts, its names in job-resources.ts (the
 * compiler asks for both), a file with its definition, listed in job-kinds.ts, and its route.
 */
import type { z } from 'zod';
import type { SharedJobHandler } from '../../cluster/shared-job.ts';
import type { Job, JobId, JobLabels, JobPriority } from '../../jobs/job.ts';
import type { Planner } from '../../workloads/plans/planner.ts';
import type { ProcedurePool } from '../../workloads/procedures/procedure-pool.ts';
import type { AgentDirectory, Jobs, ProcessorDirectory, TpuDirectory } from '../directories.ts';
import type { ApiKey } from '../http/api-key.ts';
import type { Readers } from '../http/reading/readers.ts';
import type { Reading } from '../http/reading/reading.ts';
import type { JobResource } from './job-resources.ts';
import type { ProgressFields } from './task-counts-schema.ts';

/**
 * Submitted job, read from a body or from a stored job that is run again. It is plain data, because it may be
 * read in another process. Kinds add fields of their own.
 */
export interface JobSubmission extends JobLabels {
  /** Processor, agent or zone that the job runs on. */
  readonly target: string;
  readonly priority?: JobPriority;
  /** Seed of the random draws; drawn when the job is created unless given. */
  readonly seed?: number;
  /** Numbers and short strings stored before the body, with seed and tier. */
  readonly facts: object;
  /** Hash of path and body; present if the request has an Idempotency-Key. */
  readonly bodyHash?: string;
}

/** A job that is about to be created. */
export interface ComingJob {
  readonly id: JobId;
  readonly key: ApiKey;
  readonly seed: number;
}

/** Jobs related to a job. */
export interface JobRelatives {
  /** Job that contains this one. */
  readonly parent?: JobId;
  /** Jobs that this one contains. */
  readonly parts: readonly JobId[];
}

/** Body that submits a job of a kind, with its readers. */
export interface JobBody<Submission extends JobSubmission, Context = unknown> {
  /**
   * Path of the endpoint below `/api/v1`. It is part of the hash, so an idempotency key stands for one
   * endpoint.
   */
  readonly path: string;
  /** Reading of the body in a process. */
  readonly reading: Reading<Context, Submission>;
  /** Present context of the reading, plain data. */
  context(): Context;
  /**
   * Reads a body in this thread if that takes at most a few milliseconds.
   *
   * @returns Undefined if it may take longer.
   * @throws {RequestInvalidError} listing every fault.
   */
  readSmall(body: unknown, numBytes: number): Submission | Promise<Submission> | undefined;
}

/** Functions of a kind of job, bound to the processors and agents of a service. */
export interface ServedJobs<Submission extends JobSubmission> extends SharedJobHandler {
  /** Number of jobs that a submission creates, including itself; 1 unless given. */
  numJobs?(submission: Submission): number;
  /**
   * Checks that the job can be accepted now, and reserves its place in a queue.
   *
   * @returns Reservation; dispose of it if the job is not created after all.
   * @throws {CodedError} if the job cannot be accepted.
   */
  admit(submission: Submission, job: ComingJob): Disposable | undefined;
  /** Time until a job like this would start, milliseconds, for callers over their limit; 0 unless given. */
  expectedWaitMs?(submission: Submission): number | undefined;
  /** Body in its stored form, JSON text. */
  storedBody(submission: Submission): string;
  /**
   * Submission of a stored job with its seed, so that it gives the same result.
   *
   * @throws {RequestInvalidError | RelayedError} if its target no longer accepts it.
   */
  submissionOf(job: Job, signal: AbortSignal): Submission | Promise<Submission>;
  /** Fields of the record in a listing. A brief listing provides only the beginning of the request. */
  summarize(job: Job): object;
  /**
   * Further fields of the whole record, beside the summary and the result.
   *
   * @param submission - Present for a newly submitted job.
   */
  details?(job: Job, submission?: Submission): object | Promise<object>;
  /**
   * Result fields of a completed job's record as chunks of JSON text, without braces, where its result is kept in
   * parts. Without it, the stored result has the fields.
   *
   * @throws {JobDamagedError} while it is read.
   */
  resultText?(job: Job): AsyncIterable<string>;
  /** Starts to follow a job for one reader; the result gives the fields of each progress event when it is written. */
  followProgress?(id: JobId): () => ProgressFields;
  /** Submitted request, JSON text; undefined if an earlier version did not store it. */
  requestJson(job: Job): string | undefined;
  /** Related jobs. They are deleted together with this one, or prevent its deletion until they have ended. */
  relativesOf?(job: Job): JobRelatives;
  /** Ends the threads that the kind started. */
  close?(): Promise<void>;
}

/** Dependencies of job kinds. */
export interface JobKindDeps {
  readonly fleet: ProcessorDirectory;
  readonly agents: AgentDirectory;
  readonly planner: Pick<Planner, 'admit'>;
  readonly tpu: TpuDirectory;
  readonly pool: Pick<ProcedurePool, 'admit' | 'withdraw' | 'queuePosition'>;
  readonly readers: Pick<Readers, 'run'>;
  /** CPU model as the operating system names it. */
  readonly cpuModel: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Job runner; available once jobs run, because it is created with the kinds. */
  readonly jobs: () => Pick<
    Jobs,
    | 'submit'
    | 'get'
    | 'waitFor'
    | 'cancel'
    | 'watch'
    | 'parts'
    | 'queuePosition'
    | 'expectedStart'
    | 'waitingFor'
    | 'progress'
  >;
}

/** Definition of a kind of job. */
export interface JobKindDefinition<Served> {
  /** Names and path of the kind. */
  readonly resource: JobResource;
  /** Schemas of a listing's entries and of the whole record. */
  readonly summary: z.ZodType;
  readonly record: z.ZodType;
  /** Schema of the headers of submissions. */
  readonly headers: z.ZodObject;
  /**
   * Whether a submission waits for the result: always, unless the Prefer header says otherwise; if that header asks
   * for it; or never.
   */
  readonly waitsForResult: 'always' | 'if asked' | 'never';
  /** Greatest total length of all waiting and running requests, characters; no limit unless given. */
  readonly maxCharactersInFlight?: number;
  /** Work on bodies that processes do. */
  readonly readings: readonly Reading<never, unknown>[];
  /** Binds the kind to processors and agents. */
  readonly serve: (deps: JobKindDeps) => Served;
}

/** Kind of job in service: its definition and its functions. */
export type ServedJobKind<Submission extends JobSubmission = JobSubmission> =
  ServedJobs<Submission> & { readonly definition: JobKindDefinition<unknown> };

/** Defines a kind of job; `serve` returns its functions together with the definition. */
export function defineJobKind<Served extends ServedJobs<JobSubmission>>(
  definition: JobKindDefinition<Served>,
): JobKindDefinition<Served & { readonly definition: JobKindDefinition<unknown> }> {
  return {
    ...definition,
    serve: (deps) => Object.assign(definition.serve(deps), { definition }),
  };
}
