/** Records of jobs as callers see them: what is the same for all kinds. */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { Job, JobId } from '../../jobs/job.ts';
import { isoTime, type JsonText } from '../envelope.ts';
import { type JobFields, SHOWN_REQUEST_BYTES } from '../schemas/jobs.ts';
import type { JobSubmission, ServedJobKind } from './job-kind.ts';

/** Facts of a job that are known only while this process has it. */
export interface LiveFacts {
  /** Jobs that start before this one, which is queued. */
  queuePosition(id: JobId): number;
  /** Milliseconds since 1970 UTC. */
  expectedStart(id: JobId): number | undefined;
  progress(id: JobId): number | undefined;
}

/** The fields that every record has. */
export function viewJob(job: Job, live: LiveFacts): JobFields {
  const isQueued = job.status === 'queued';
  const position = isQueued ? live.queuePosition(job.id) : undefined;
  const expectedStart = isQueued ? live.expectedStart(job.id) : undefined;
  return {
    status: job.status,
    priority: job.priority,
    ...(job.name === undefined ? {} : { name: job.name }),
    ...(job.tags === undefined ? {} : { tags: [...job.tags] }),
    created_at: isoTime(job.createdAt),
    ...(job.retryOf === undefined ? {} : { retry_of: job.retryOf }),
    ...(job.startedAt === undefined ? {} : { started_at: isoTime(job.startedAt) }),
    ...(job.finishedAt === undefined ? {} : { finished_at: isoTime(job.finishedAt) }),
    ...(position === undefined ? {} : { queue_position: position }),
    ...(expectedStart === undefined ? {} : { expected_start_at: isoTime(expectedStart) }),
    ...(job.status === 'running' ? { progress: live.progress(job.id) ?? 0 } : {}),
    ...(job.error === undefined ? {} : { error: job.error }),
  };
}

/** Results and requests up to this length are read before they are answered, characters; of longer ones both ends are. */
const CHECKED_LENGTH = 65_536;

/**
 * The whole record of a job, as its kind shows it.
 *
 * @param submission - Of a job that was just submitted.
 * @throws {JobDamagedError} if its result is none.
 */
export async function recordJson<Submission extends JobSubmission>(
  kind: ServedJobKind<Submission>,
  job: Job,
  submission?: Submission,
): Promise<JsonText> {
  return recordText({ ...kind.summarize(job), ...(await kind.details?.(job, submission)) }, job);
}

/** The stored result is put in place as the text it is. */
function recordText(summary: object, { id, keyId, status, result }: Job): JsonText {
  const text = JSON.stringify(summary);
  if (result === undefined) {
    if (status !== 'completed') return { json: text };
    throw new JobDamagedError('it is completed and has no result', { id, keyId });
  }
  if (!isObjectText(result)) throw new JobDamagedError('its result is no JSON', { id, keyId });
  return { json: `${text.slice(0, -1)},${result.slice(1)}` };
}

/**
 * A whole record with the request, put in place as the text it is; of a large one that is not asked for
 * with its size.
 *
 * @param request - JSON text; undefined for a job of an earlier version, which did not store it.
 * @throws {JobDamagedError} if the request is none.
 */
export function withRequest(
  { json }: JsonText,
  { id, keyId }: Job,
  request: string | undefined,
  isAskedFor: boolean,
): JsonText {
  if (request === undefined) return { json };
  const numBytes = Buffer.byteLength(request);
  if (numBytes > SHOWN_REQUEST_BYTES && !isAskedFor) {
    return { json: `${json.slice(0, -1)},"request_bytes":${numBytes}}` };
  }
  if (!isObjectText(request)) throw new JobDamagedError('its request is no JSON', { id, keyId });
  return { json: `${json.slice(0, -1)},"request":${request}}` };
}

function isObjectText(text: string): boolean {
  if (!text.startsWith('{"') || !text.endsWith('}')) return false;
  if (text.length > CHECKED_LENGTH) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
