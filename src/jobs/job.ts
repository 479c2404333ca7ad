/**
 * A job: a persisted unit of work. Circuits, agents' tasks and TPU jobs share this one record and
 * its life cycle.
 *
 *     queued ──▶ running ──▶ completed | failed | cancelled
 *       │  ▲        │
 *       │  └────────┘ (interrupted: the process ended under it)
 *       └──▶ cancelled | failed
 */

/** Every kind of work. */
export const JOB_KINDS = ['circuit', 'task', 'tpu_job'] as const;

/** Kind of work. */
export type JobKind = (typeof JOB_KINDS)[number];

/** Every status; the last three are final. */
export const JOB_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

/** Status of a job. */
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Every level, the last one first served. */
export const JOB_PRIORITIES = ['low', 'normal', 'high'] as const;

/** The level that took effect, not the one asked for. */
export type JobPriority = (typeof JOB_PRIORITIES)[number];

/** Prefix plus UUIDv7 without dashes, so that ids sort by creation: `circ_0199…`. */
export type JobId = string;

/** Why a job failed. */
export interface JobError {
  readonly code: string;
  readonly message: string;
}

/** The record. Times are milliseconds since 1970 UTC. */
export interface Job {
  readonly id: JobId;
  readonly kind: JobKind;
  /** The API key that owns it. */
  readonly keyId: string;
  readonly status: JobStatus;
  readonly priority: JobPriority;
  /** Processor, agent or zone that the job runs on. */
  readonly target: string;
  /** JSON text of what its handler needs to run it, or run it again. */
  readonly request: string;
  /** JSON text; present once completed. */
  readonly result?: string;
  readonly error?: JobError;
  /** Name that its caller gave it; names may repeat. */
  readonly name?: string;
  /** Words by which its caller finds it again; each once, at least one. */
  readonly tags?: readonly string[];
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** How often it has been started; above 1 after an interruption. */
  readonly attempts: number;
  /** How far it is suspected of having brought down the processes that ended under it; see recovery.ts. */
  readonly suspicion?: number;
  /** The job that it runs again. */
  readonly retryOf?: JobId;
}

/** Fields of a job to create. */
export interface NewJob {
  readonly id: JobId;
  readonly kind: JobKind;
  readonly keyId: string;
  readonly priority: JobPriority;
  readonly target: string;
  readonly request: string;
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly createdAt: number;
  readonly retryOf?: JobId;
}

/** Labels that a caller gave its job. */
export type JobLabels = Pick<Job, 'name' | 'tags'>;

/** Position of a job in a listing. */
export type JobPlace = Pick<Job, 'createdAt' | 'id'>;

/** Fields that a transition sets; those left out stay. Going back to `queued` clears `startedAt`. */
export interface JobPatch {
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly attempts?: number;
  readonly suspicion?: number;
  readonly result?: string;
  readonly error?: JobError;
}

/** A filter; results come newest first, by the time of creation and within a millisecond by id. */
export interface JobQuery {
  readonly kind?: JobKind;
  readonly keyId?: string;
  readonly statuses?: readonly JobStatus[];
  readonly name?: string;
  /** Only jobs that have all of them. */
  readonly tags?: readonly string[];
  /** Only jobs created then or later. */
  readonly createdFrom?: number;
  /** Only jobs created earlier. */
  readonly createdBefore?: number;
  /** Only jobs older than the one there: the cursor of a listing. */
  readonly before?: JobPlace;
  /** Only jobs newer than the one there: the cursor of a listing that has the oldest first. */
  readonly after?: JobPlace;
  /** Oldest first instead; recovery re-queues in order of creation. */
  readonly oldestFirst?: boolean;
  /**
   * For listings: results are left out, and of requests only the first 256 characters are given. A
   * page of whole records may be gigabytes.
   */
  readonly isBrief?: boolean;
  readonly limit: number;
}

/** Characters of a request that a brief listing gives. */
export const BRIEF_REQUEST_LENGTH = 256;

/** The labels alone of what has them; no tags are none. */
export function labelsOf({
  name,
  tags = [],
}: {
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}): JobLabels {
  return { ...(name !== undefined && { name }), ...(tags.length > 0 && { tags }) };
}

/** Whether nothing leaves the status. */
export function isFinal(status: JobStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Whether a process ended under the job; an orderly stop, which puts it back, is none. */
export function wasInterrupted({ attempts, startedAt, error }: Job): boolean {
  return attempts > (startedAt === undefined ? 0 : 1) || error?.code === 'JOBS_INTERRUPTED';
}

/** The job in another status, the patch applied. Whether it may go there is the caller's to know. */
export function movedJob(job: Job, to: JobStatus, patch: JobPatch): Job {
  const { startedAt, ...rest } = { ...job, ...patch };
  const keepsStart = to !== 'queued' && startedAt !== undefined;
  return { ...rest, status: to, ...(keepsStart ? { startedAt } : {}) };
}

/** The transitions of the life cycle. */
export const TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['running', 'cancelled', 'failed'],
  running: ['completed', 'failed', 'cancelled', 'queued'],
  completed: [],
  failed: [],
  cancelled: [],
};
