/** Job records of every kind, as `qcs jobs` prints them. Their texts are those that a service sent. */
import type { AnyJobs } from '../../client/client.ts';
import { fieldsOf } from '../../client/json.ts';
import { JOB_RESOURCES, type JobResource } from '../../service/jobs/job-resources.ts';
import { printable } from '../command-io.ts';

/** Job record, or the part of it that a listing has. Times are milliseconds since 1970 UTC. */
export interface JobRecord {
  readonly resource: JobResource;
  readonly id: string;
  readonly status: string;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  /** All fields of the answer, unchanged. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Fields that describe the job rather than its result. */
const NO_RESULT = new Set([
  ...['status', 'priority', 'created_at', 'started_at', 'finished_at', 'queue_position'],
  ...[
    'expected_start_at',
    'waiting_for',
    'progress',
    'error',
    'agent',
    'task',
    'parent_id',
    'processor',
  ],
  ...['job_type', 'tpu_type', 'zone', 'chips', 'placed', 'retry_of'],
  ...['name', 'tags', 'request', 'request_bytes'],
]);

/** Names of the kind of jobs that the client's `jobs` are of. */
export function resourceOf({ place }: AnyJobs): JobResource {
  const resource = JOB_RESOURCES.find(({ path }) => path === place.path);
  if (resource === undefined) throw new Error(`unreachable: no jobs at ${place.path}`);
  return resource;
}

/**
 * Reads a record.
 *
 * @throws {UnreadableAnswerError} if a field that every record has is missing.
 */
export function readRecord(record: unknown, jobs: AnyJobs): JobRecord {
  const id = printable(jobs.idOf(record));
  const fields = fieldsOf(record) ?? {};
  return {
    resource: resourceOf(jobs),
    id,
    status: textOf(fields['status']),
    createdAt: timeOf(fields['created_at']) ?? 0,
    startedAt: timeOf(fields['started_at']),
    finishedAt: timeOf(fields['finished_at']),
    fields,
  };
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
  return resource.targetFields.map((name) => textOf(fields[name]) || '?').join(' ');
}

/** Name that the caller gave the job, or an empty string. */
export function nameText({ fields }: JobRecord): string {
  return textOf(fields['name']);
}

/** Tags of the job, separated by commas. */
export function tagsText({ fields }: JobRecord): string {
  const tags: readonly unknown[] = Array.isArray(fields['tags']) ? fields['tags'] : [];
  return tags.map(textOf).join(', ');
}

/** Error of a failed job, or an empty string. */
export function errorText({ fields }: JobRecord): string {
  const error = fieldsOf(fields['error']);
  return error === undefined ? '' : `${textOf(error['code'])}: ${textOf(error['message'])}`;
}

/** Warnings about ignored parts of the job's program. */
export function warningsOf({ fields: { warnings } }: JobRecord): readonly string[] {
  return (Array.isArray(warnings) ? warnings : []).map((each) =>
    textOf(fieldsOf(each)?.['message']),
  );
}

/** Progress of a running job, the number of jobs before a waiting one, or that no node can run it. */
export function progressText({ fields }: JobRecord): string {
  const { progress, queue_position: position, waiting_for: waitingFor } = fields;
  if (typeof progress === 'number') return `${Math.floor(100 * progress)}%`;
  if (waitingFor !== undefined) return 'no node can run it';
  return typeof position === 'number' ? `${position} before it` : '';
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

/** The value if it is a string, safe for a terminal; otherwise an empty string. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? printable(value) : '';
}

/** Milliseconds since 1970 UTC of an ISO time; undefined for anything else. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
