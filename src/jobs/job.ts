/**
 * A job: a persisted unit of work. Circuits, agents' tasks and TPU jobs share this one record and
 * its life cycle.
 *
 *     queued ──▶ running ──▶ completed | failed | cancelled
 *       │  ▲        │
 *       │  └────────┘ (interrupted: the process ended under it)
 *       └──▶ cancelled | failed
 */

/** Kinds of work. */
export const JOB_KINDS = ['circuit', 'task', 'tpu_job'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** Statuses of a job; the last three are final. */
export const JOB_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** Priorities; the last one is served first. */
export const JOB_PRIORITIES = ['low', 'normal', 'high'] as const;

/** Effective priority of a job, which may be lower than the requested one. */
export type JobPriority = (typeof JOB_PRIORITIES)[number];

/** Prefix plus UUIDv7 without dashes, so that ids sort by creation: `circ_0199…`. */
export type JobId = string;

/** Error of a failed job. */
export interface JobError {
  readonly code: string;
  readonly message: string;
}

/** Record of a job. Times are milliseconds since 1970 UTC. */
export interface Job {
  readonly id: JobId;
  readonly kind: JobKind;
  /** API key that owns the job. */
  readonly keyId: string;
  readonly status: JobStatus;
  readonly priority: JobPriority;
  /** Processor, agent or zone that the job runs on. */
  readonly target: string;
  /** Input of the job's handler, JSON text, with everything needed to run it again. */
  readonly request: string;
  /** Result, JSON text; present once completed. */
  readonly result?: string;
  readonly error?: JobError;
  /** Name that the caller gave the job; names may repeat. */
  readonly name?: string;
  /** Distinct tags that the caller gave the job; at least one if present. */
  readonly tags?: readonly string[];
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** Number of starts; above 1 after an interruption. */
  readonly attempts: number;
  /** Suspicion of having crashed the processes that ended while the job ran; see recovery.ts. */
  readonly suspicion?: number;
  /** Job that this one repeats. */
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

/** Fields that a transition sets; omitted fields stay. Going back to `queued` clears `startedAt`. */
export interface JobPatch {
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly attempts?: number;
  readonly suspicion?: number;
  readonly result?: string;
  readonly error?: JobError;
}

/** Filter of jobs. Results come newest first by time of creation, and by id within a millisecond. */
export interface JobQuery {
  readonly kind?: JobKind;
  readonly keyId?: string;
  readonly statuses?: readonly JobStatus[];
  readonly name?: string;
  /** Only jobs that have all of these tags. */
  readonly tags?: readonly string[];
  /** Only jobs created at or after this time. */
  readonly createdFrom?: number;
  /** Only jobs created before this time. */
  readonly createdBefore?: number;
  /** Only jobs older than this place: the cursor of a listing. */
  readonly before?: JobPlace;
  /** Only jobs newer than this place: the cursor of a listing that starts with the oldest. */
  readonly after?: JobPlace;
  /** Lists the oldest first; recovery re-queues in order of creation. */
  readonly oldestFirst?: boolean;
  /**
   * Lists jobs without results and with only the first 256 characters of requests, because a page of whole
   * records may take gigabytes.
   */
  readonly isBrief?: boolean;
  readonly limit: number;
}

/** Length of a request in a brief listing, characters. */
export const BRIEF_REQUEST_LENGTH = 256;

/** Extracts the labels; an empty list of tags is left out. */
export function labelsOf({
  name,
  tags = [],
}: {
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}): JobLabels {
  return { ...(name !== undefined && { name }), ...(tags.length > 0 && { tags }) };
}

/** True if the life cycle has no transition from the status. */
export function isFinal(status: JobStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** True if a process ended while the job ran. An orderly stop, which puts the job back, does not count. */
export function wasInterrupted({ attempts, startedAt, error }: Job): boolean {
  return attempts > (startedAt === undefined ? 0 : 1) || error?.code === 'JOBS_INTERRUPTED';
}

/** Copies the job with another status and the patch applied. The caller checks the transition. */
export function movedJob(job: Job, to: JobStatus, patch: JobPatch): Job {
  const { startedAt, ...rest } = { ...job, ...patch };
  const keepsStart = to !== 'queued' && startedAt !== undefined;
  return { ...rest, status: to, ...(keepsStart ? { startedAt } : {}) };
}

/** Transitions of the life cycle. */
export const TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['running', 'cancelled', 'failed'],
  running: ['completed', 'failed', 'cancelled', 'queued'],
  completed: [],
  failed: [],
  cancelled: [],
};
