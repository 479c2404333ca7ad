/** Job records of every kind, as `qcs jobs` reads and prints them. */
import { jobKindOf } from '../../jobs/job.ts';
import { JOB_RESOURCES, type JobResource } from '../../service/jobs/job-resources.ts';
import { fieldsOf, numberOf, printable, textOf, timeOf } from './answer-fields.ts';
import { AnswerUnreadableError, JobIdError } from './errors.ts';

/** Job record, or the part of it that a listing has. Times are milliseconds since 1970 UTC. */
export interface JobRecord {
  readonly resource: JobResource;
  readonly id: string;
  readonly status: string;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  /** Fraction in [0, 1]; undefined unless the job runs. */
  readonly progress: number | undefined;
  /** Number of jobs that start before it; undefined unless it waits. */
  readonly queuePosition: number | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** All fields of the answer, unchanged. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Fields that describe the job rather than its result. */
const NO_RESULT = new Set([
  ...['status', 'priority', 'created_at', 'started_at', 'finished_at', 'queue_position'],
  ...['expected_start_at', 'progress', 'error', 'agent', 'task', 'parent_id', 'processor'],
  ...['job_type', 'tpu_type', 'zone', 'chips', 'placed', 'retry_of'],
  ...['name', 'tags', 'request', 'request_bytes'],
]);

/**
 * Kind of job that an id names.
 *
 * @throws {JobIdError}
 */
export function resourceOf(id: string): JobResource {
  const kind = jobKindOf(id);
  const resource = JOB_RESOURCES.find((candidate) => candidate.kind === kind);
  if (resource === undefined) throw new JobIdError(id);
  return resource;
}

/**
 * Reads a record.
 *
 * @param origin - The service that answered it.
 * @throws {AnswerUnreadableError} if a field that every record has is missing.
 */
export function readRecord(value: unknown, resource: JobResource, origin: string): JobRecord {
  const fields = fieldsOf(value) ?? {};
  const id = textOf(fields[resource.idName]);
  const status = textOf(fields['status']);
  const createdAt = timeOf(fields['created_at']);
  if (id === undefined || status === undefined || createdAt === undefined) {
    const lacks = `a record of a ${resource.noun} has no ${resource.idName}, status or created_at`;
    throw new AnswerUnreadableError(origin, lacks);
  }
  return {
    resource,
    id: printable(id),
    status: printable(status),
    createdAt,
    startedAt: timeOf(fields['started_at']),
    finishedAt: timeOf(fields['finished_at']),
    progress: numberOf(fields['progress']),
    queuePosition: numberOf(fields['queue_position']),
    error: errorOf(fields['error']),
    fields,
  };
}

/** Error of a record or an event; undefined if there is none. */
export function errorOf(value: unknown): JobRecord['error'] {
  const { code, message } = fieldsOf(value) ?? {};
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code: printable(code), message: printable(message) };
}

/** Result of a job: its `result`, or the fields of its record that not every job has. */
export function resultOf({ fields, resource }: JobRecord): Readonly<Record<string, unknown>> {
  const result = fieldsOf(fields['result']);
  if (result !== undefined) return result;
  const rest = Object.entries(fields).filter(
    ([name]) => !NO_RESULT.has(name) && name !== resource.idName,
  );
  return Object.fromEntries(rest);
}

/** Target of the job: for a circuit its processor. */
export function targetText({ resource, fields }: JobRecord): string {
  return printable(resource.targetFields.map((name) => textOf(fields[name]) ?? '?').join(' '));
}

/** Name that the caller gave the job, or an empty string. */
export function nameText({ fields }: JobRecord): string {
  return printable(textOf(fields['name']) ?? '');
}

/** Tags of the job, separated by commas. */
export function tagsText({ fields }: JobRecord): string {
  const tags: readonly unknown[] = Array.isArray(fields['tags']) ? fields['tags'] : [];
  return printable(tags.filter((tag) => typeof tag === 'string').join(', '));
}

/** Progress of a running job, or the number of jobs before a waiting one. */
export function progressText({ progress, queuePosition }: JobRecord): string {
  if (progress !== undefined) return `${Math.floor(100 * progress)}%`;
  return queuePosition === undefined ? '' : `${queuePosition} before it`;
}

/**
 * Run time of the job so far.
 *
 * @param now - Milliseconds since 1970 UTC.
 */
export function runText({ startedAt, finishedAt }: JobRecord, now: number): string {
  return startedAt === undefined ? '' : durationText((finishedAt ?? now) - startedAt);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** Formats a duration in its largest unit: milliseconds below a second, seconds below a minute. */
export function durationText(ms: number): string {
  // The service's clock may be ahead of this machine's.
  const length = Math.max(0, ms);
  for (const [unit, size] of UNITS) {
    if (length >= size) return `${Math.floor(length / size)} ${unit}`;
  }
  if (length < 1000) return `${Math.round(length)} ms`;
  return `${length < 9950 ? (length / 1000).toFixed(1) : Math.floor(length / 1000)} s`;
}
