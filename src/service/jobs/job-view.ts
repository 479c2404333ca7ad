/** Job records in the form that callers see: the part that all kinds share. */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { Job } from '../../jobs/job.ts';
import type { Jobs } from '../directories.ts';
import { isoTime, type JsonText } from '../http/envelope.ts';
import type { JobSubmission, ServedJobKind } from './job-kind.ts';
import { type JobFields, SHOWN_REQUEST_BYTES } from './job-schema.ts';

/** Facts of a job that only the process holding it knows. */
export type LiveFacts = Pick<Jobs, 'queuePosition' | 'expectedStart' | 'waitingFor' | 'progress'>;

/** Fields of every record. */
export function viewJob(job: Job, live: LiveFacts): JobFields {
  const isQueued = job.status === 'queued';
  const waitingFor = isQueued ? live.waitingFor?.(job) : undefined;
  const isInLine = isQueued && waitingFor === undefined;
  const position = isInLine ? live.queuePosition(job.id) : undefined;
  const expectedStart = isInLine ? live.expectedStart(job.id) : undefined;
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
    ...(waitingFor === undefined ? {} : { waiting_for: waitingFor }),
    ...(job.status === 'running' ? { progress: live.progress(job.id) ?? 0 } : {}),
    ...(job.error === undefined ? {} : { error: job.error }),
  };
}

/**
 * Greatest length of results and requests that are parsed before they are answered, characters. Of longer
 * ones only both ends are checked.
 */
const CHECKED_LENGTH = 65_536;

/**
 * Whole record of a job from the store.
 *
 * @param submission - Present for a newly submitted job.
 * @throws {JobDamagedError} if its stored result is not one.
 */
export async function recordJson<Submission extends JobSubmission>(
  kind: ServedJobKind<Submission>,
  job: Job,
  submission?: Submission,
): Promise<JsonText> {
  const { id, keyId, result } = job;
  if (result !== undefined && !isObjectText(result)) {
    throw new JobDamagedError('its result is no JSON', { id, keyId });
  }
  return freshRecordJson(kind, job, submission);
}

/** Whole record of a job whose result, if it has one, this process has written just now. */
export async function freshRecordJson<Submission extends JobSubmission>(
  kind: ServedJobKind<Submission>,
  job: Job,
  submission?: Submission,
): Promise<JsonText> {
  const summary = { ...kind.summarize(job), ...(await kind.details?.(job, submission)) };
  const resultText = job.result === undefined ? undefined : kind.resultText?.(job);
  if (resultText === undefined) return recordText(summary, job);
  return { json: JSON.stringify(summary).slice(0, -1), rest: afterComma(resultText) };
}

/** The rest of an object whose beginning was written. */
async function* afterComma(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield ',';
  yield* text;
  yield '}';
}

/** Inserts the result as text. */
function recordText(summary: object, { id, keyId, status, result }: Job): JsonText {
  const text = JSON.stringify(summary);
  if (result === undefined) {
    if (status !== 'completed') return { json: text };
    throw new JobDamagedError('it is completed and has no result', { id, keyId });
  }
  return { json: `${text.slice(0, -1)},${result.slice(1)}` };
}

/**
 * Adds the request to a record, as text. A large request that was not asked for is replaced by its size.
 *
 * @param request - JSON text; undefined for a job of an earlier version, which did not store it.
 * @throws {JobDamagedError} if the stored request is not one.
 */
export function withRequest(
  record: JsonText,
  { id, keyId }: Job,
  request: string | undefined,
  isAskedFor: boolean,
): JsonText {
  if (request === undefined) return record;
  const numBytes = Buffer.byteLength(request);
  if (numBytes > SHOWN_REQUEST_BYTES && !isAskedFor) {
    return withField(record, `"request_bytes":${numBytes}`);
  }
  if (!isObjectText(request)) throw new JobDamagedError('its request is no JSON', { id, keyId });
  return withField(record, `"request":${request}`);
}

/** Adds a field to an object; where its rest is to follow, before that. */
function withField({ json, rest }: JsonText, field: string): JsonText {
  if (rest !== undefined) return { json: `${json},${field}`, rest };
  return { json: `${json.slice(0, -1)},${field}}` };
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
