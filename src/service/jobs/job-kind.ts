/**
 * Kinds of jobs. A definition says how bodies of the kind are read, admitted, run and shown; the rest exists
 * once for all kinds: large bodies read in processes, Idempotency-Key, Prefer, limits in flight, listings,
 * events, cancel, retry, delete and recovery.
 *
 * To add a kind: its name in jobs/job.ts and its prefix in jobs/job-id.ts, its names in job-resources.ts
 * (the compiler asks for both), one file with its definition, listed in job-kinds.ts, and its route.
 */
import type { z } from 'zod';
import type { Job, JobId, JobLabels, JobPriority } from '../../jobs/job.ts';
import type { JobHandler } from '../../jobs/job-handler.ts';
import type { Planner } from '../../workloads/plans/planner.ts';
import type { ProcedurePool } from '../../workloads/procedures/procedure-pool.ts';
import type { AgentDirectory, Jobs, ProcessorDirectory, TpuDirectory } from '../directories.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { Readers } from '../reading/readers.ts';
import type { Reading } from '../reading/reading.ts';
import type { JobResource } from './job-resources.ts';

/**
 * A job that somebody asks for: what is read from a body, or from a stored job that is run again. Plain data,
 * since it may be read in another process. Kinds add fields of their own.
 */
export interface JobSubmission extends JobLabels {
  /** Processor, agent or zone that the job runs on. */
  readonly target: string;
  readonly priority?: JobPriority;
  /** Seed of its random draws; drawn when the job is created unless given. */
  readonly seed?: number;
  /** Numbers and short words stored before the body, with seed and tier. */
  readonly facts: object;
  /** Hash of path and body; present where the request has an Idempotency-Key. */
  readonly bodyHash?: string;
}

/** A job that is about to be created. */
export interface ComingJob {
  readonly id: JobId;
  readonly key: ApiKey;
  readonly seed: number;
}

/** Jobs that belong together. */
export interface JobRelatives {
  /** Job that this one is a part of. */
  readonly parent?: JobId;
  /** Jobs that are parts of this one. */
  readonly parts: readonly JobId[];
}

/** A body that submits a job of a kind, and how it is read. */
export interface JobBody<Submission extends JobSubmission, Context = unknown> {
  /** Path of the endpoint below `/api/v1`; part of the hash, so that an idempotency key stands for one endpoint. */
  readonly path: string;
  /** Reading that a process does of the body. */
  readonly reading: Reading<Context, Submission>;
  /** Context of the reading, as it is now; plain data. */
  context(): Context;
  /**
   * Reads a body in this thread where that takes a few milliseconds at most.
   *
   * @returns Undefined where it may take longer.
   * @throws {RequestInvalidError} listing every fault.
   */
  readSmall(body: unknown, numBytes: number): Submission | Promise<Submission> | undefined;
}

/** A kind of job as a service runs it: its definition's functions, over processors and agents. */
export interface ServedJobs<Submission extends JobSubmission> extends JobHandler {
  /** Jobs that a submission comes to, itself included; 1 unless given. */
  numJobs?(submission: Submission): number;
  /**
   * Makes sure that the job would be taken now, and keeps its place in a queue.
   *
   * @returns Gives the place up again; for a job that is not created after all.
   * @throws {CodedError} if it would not be taken.
   */
  admit(submission: Submission, job: ComingJob): Disposable | undefined;
  /** Until a job like this would start, milliseconds, for callers over their limit; 0 unless given. */
  expectedWaitMs?(submission: Submission): number | undefined;
  /** JSON text of the body as it is stored. */
  storedBody(submission: Submission): string;
  /**
   * The submission of a stored job, with its seed, so that it comes out as it would have.
   *
   * @throws {RequestInvalidError | ReadingRefusedError} if its target no longer takes it.
   */
  submissionOf(job: Job, signal: AbortSignal): Submission | Promise<Submission>;
  /** Fields of its record in a listing; of the request no more is there than a brief listing gives. */
  summarize(job: Job): object;
  /**
   * Fields of its whole record beside those of the summary and the result.
   *
   * @param submission - Of a job that was just submitted.
   */
  details?(job: Job, submission?: Submission): object | Promise<object>;
  /** Request as it was submitted, JSON text; undefined where an earlier version did not store it. */
  requestJson(job: Job): string | undefined;
  /** Jobs that belong together with one: they are deleted with it, or not before it has ended. */
  relativesOf?(job: Job): JobRelatives;
  /** Ends the threads that it has started. */
  close?(): Promise<void>;
}

/** Dependencies of the kinds. */
export interface JobKindDeps {
  readonly fleet: ProcessorDirectory;
  readonly agents: AgentDirectory;
  readonly planner: Pick<Planner, 'admit'>;
  readonly tpu: TpuDirectory;
  readonly pool: Pick<ProcedurePool, 'admit' | 'withdraw' | 'queuePosition'>;
  readonly readers: Pick<Readers, 'run'>;
  /** As the operating system names the CPU. */
  readonly cpuModel: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Called once jobs run: the runner is made with the kinds. */
  readonly jobs: () => Pick<
    Jobs,
    | 'submit'
    | 'get'
    | 'waitFor'
    | 'cancel'
    | 'watch'
    | 'queuePosition'
    | 'expectedStart'
    | 'progress'
  >;
}

/** Definition of a kind. */
export interface JobKindDefinition<Served> {
  /** Its names and its path. */
  readonly resource: JobResource;
  /** Schemas of a listing's entry and of the whole record. */
  readonly summary: z.ZodType;
  readonly record: z.ZodType;
  /** Headers that its submissions take. */
  readonly headers: z.ZodObject;
  /** A submission waits for the result unless the header Prefer says otherwise; else it is answered at once. */
  readonly waitsForResult: boolean;
  /** Most characters of all its requests that wait or run; no limit unless given. */
  readonly maxCharactersInFlight?: number;
  /** Work on its bodies that is done in processes. */
  readonly readings: readonly Reading<never, unknown>[];
  /** The kind over processors and agents. */
  readonly serve: (deps: JobKindDeps) => Served;
}

/** A kind of job in service: what it says of itself, and what does its work. */
export type ServedJobKind<Submission extends JobSubmission = JobSubmission> =
  ServedJobs<Submission> & { readonly definition: JobKindDefinition<unknown> };

/** Defines a kind of job; `serve` gives its functions together with the definition. */
export function defineJobKind<Served extends ServedJobs<JobSubmission>>(
  definition: JobKindDefinition<Served>,
): JobKindDefinition<Served & { readonly definition: JobKindDefinition<unknown> }> {
  return {
    ...definition,
    serve: (deps) => Object.assign(definition.serve(deps), { definition }),
  };
}
