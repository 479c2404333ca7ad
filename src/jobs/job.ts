/**
 * A job: a persisted unit of work. Circuits, batches, experiments, agents' tasks and TPU jobs share this one
 * record and its life cycle. Their ids tell the kinds apart.
 *
 *     queued ──▶ running ──▶ completed | failed | cancelled
 *       │  ▲        │
 *       │  └────────┘ (interrupted: the process ended under it)
 *       └──▶ cancelled | failed
 *
 * A short job may be stored as completed without having been stored as running.
 */
import { randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** Kinds of work. */
export const JOB_KINDS = ['circuit', 'batch', 'experiment', 'task', 'tpu_job'] as const;

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
  /** Result, JSON text; present once completed. A job that ended before may have what it had got (`resultSoFar`). */
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
  /** Idempotency key of the job. A store that processes share creates the job only while the key stands for it. */
  readonly idempotencyKey?: string;
}

/** Items of a job's result that a part holds: those of one series from one index to another. */
export interface JobPartPlace {
  /** Number of the list that the items belong to. */
  readonly series: number;
  /** Index of the first item. */
  readonly from: number;
  /** Index after the last item. */
  readonly to: number;
}

/**
 * Part of a job's result. Parts are stored while the job runs, so that after a crash it goes on where it was. They
 * are kept while the job waits or runs and once it is completed.
 */
export interface JobPart extends JobPartPlace {
  readonly bytes: Uint8Array;
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
  /** Parts to store together with the transition. */
  readonly parts?: readonly JobPart[];
}

/** Filter of jobs. Results come newest first by time of creation, and by id within a millisecond. */
export interface JobQuery {
  readonly kind?: JobKind;
  readonly keyId?: string;
  readonly statuses?: readonly JobStatus[];
  readonly name?: string;
  /** Only jobs that have all of these tags. */
  readonly tags?: readonly string[];
  /**
   * Only jobs that have each of these words: as the beginning of the id, in the name, in the target, or as status or
   * kind. The letters A to Z match in either case. Write words with small ones.
   */
  readonly words?: readonly string[];
  /**
   * A search of one owner's jobs of a kind ends after about so many rows, so that it is short however many the owner
   * has. The list then says where it ended.
   */
  readonly maxRead?: number;
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

/** Jobs of a query. */
export interface JobList extends ReadonlyArray<Job> {
  /** Place that the search ended at, after `maxRead` rows; the place may be that of no job of the list. */
  readonly readTo?: JobPlace;
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
  const { parts: _, ...fields } = patch;
  const { startedAt, ...rest } = { ...job, ...fields };
  const keepsStart = to !== 'queued' && startedAt !== undefined;
  return { ...rest, status: to, ...(keepsStart ? { startedAt } : {}) };
}

/** Transitions of the life cycle. */
export const TRANSITIONS: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['running', 'completed', 'failed', 'cancelled'],
  running: ['completed', 'failed', 'cancelled', 'queued'],
  completed: [],
  failed: [],
  cancelled: [],
};

/**
 * Prefix of the ids of each kind. A UUIDv7 without dashes follows it: it starts with the time and a counter
 * within the millisecond, so ids of one kind sort by creation, and its random part makes ids impossible to
 * guess. Ids are stored, so prefixes must not change.
 */
const JOB_ID_PREFIXES: Readonly<Record<JobKind, string>> = {
  circuit: 'circ_',
  batch: 'batch_',
  experiment: 'exp_',
  task: 'task_',
  tpu_job: 'tpujob_',
};

const KINDS: ReadonlyMap<string, JobKind> = new Map(
  JOB_KINDS.map((kind) => [JOB_ID_PREFIXES[kind], kind]),
);

/** The version, 7, and the RFC's variant have fixed places. */
const JOB_ID = new RegExp(
  `^(${Object.values(JOB_ID_PREFIXES).join('|')})[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`,
);

/** Random words, drawn from the operating system in bulk; an id needs three or four. */
const random = new Uint32Array(1024);
let numUsed = random.length;

const generator = new V7Generator({
  nextUint32() {
    if (numUsed === random.length) {
      randomFillSync(random);
      numUsed = 0;
    }
    return random[numUsed++]!;
  },
});

/** Prefix of the ids of a kind: `circ_`. */
export function jobIdPrefix(kind: JobKind): string {
  return JOB_ID_PREFIXES[kind];
}

/** Creates an id that sorts after all ids of its kind that this process created before. */
export function newJobId(kind: JobKind): JobId {
  return JOB_ID_PREFIXES[kind] + generator.generate().toHex();
}

/** Kind of job that an id names; undefined if the text is not a job id. */
export function jobKindOf(text: string): JobKind | undefined {
  const prefix = JOB_ID.exec(text)?.[1];
  return prefix === undefined ? undefined : KINDS.get(prefix);
}

/** True if the text has the form of a job id, of `kind` if given. */
export function isJobId(text: string, kind?: JobKind): boolean {
  const found = jobKindOf(text);
  return found !== undefined && (kind === undefined || found === kind);
}
