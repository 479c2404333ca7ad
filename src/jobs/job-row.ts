/** Converts rows of the `jobs` table to jobs. Stored values are validated only here. */
import { LAST_TIME, type StoredRow, storedNumber } from '../storage/damaged-records.ts';
import { JobDamagedError } from './errors.ts';
import { isJobId, JOB_KINDS, JOB_PRIORITIES, JOB_STATUSES, type Job } from './job.ts';

/**
 * Converts a row of `SELECT *` or `RETURNING *` to a job.
 *
 * @throws {JobDamagedError} if the row is not a valid job.
 */
export function jobOfRow(row: StoredRow): Job {
  const { result, suspicion, name, retry_of: retryOf, error_code: errorCode } = row;
  const kind = oneOf(JOB_KINDS, row, 'kind');
  const id = text(row, 'id');
  if (!isJobId(id, kind)) throw damage(row, `its id is none of a ${kind}`);
  const startedAt = time(row, 'started_at');
  const finishedAt = time(row, 'finished_at');
  const tags = tagsOf(row);
  return {
    id,
    kind,
    keyId: text(row, 'key_id'),
    status: oneOf(JOB_STATUSES, row, 'status'),
    priority: oneOf(JOB_PRIORITIES, row, 'priority'),
    target: text(row, 'target'),
    request: text(row, 'request'),
    ...(typeof name === 'string' ? { name } : {}),
    ...(tags === undefined ? {} : { tags }),
    createdAt: whole(row, 'created_at', LAST_TIME),
    attempts: whole(row, 'attempts', Number.MAX_SAFE_INTEGER),
    ...(typeof suspicion === 'number' && suspicion > 0 ? { suspicion } : {}),
    ...(typeof retryOf === 'string' ? { retryOf } : {}),
    ...(typeof result === 'string' ? { result } : {}),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(typeof errorCode === 'string'
      ? { error: { code: errorCode, message: text(row, 'error_message') } }
      : {}),
  };
}

function damage(row: StoredRow, what: string): JobDamagedError {
  return new JobDamagedError(what, { id: String(row['id']), keyId: String(row['key_id']) });
}

function text(row: StoredRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damage(row, `its ${column} is no text`);
  return value;
}

function whole(row: StoredRow, column: string, last: number): number {
  const value = storedNumber(row[column], last);
  if (value === undefined) throw damage(row, `its ${column} is ${row[column]}`);
  return value;
}

function time(row: StoredRow, column: string): number | undefined {
  return row[column] === null ? undefined : whole(row, column, LAST_TIME);
}

function tagsOf(row: StoredRow): readonly string[] | undefined {
  if (row['tags'] === null) return undefined;
  const value = parsed(text(row, 'tags'));
  const tags = Array.isArray(value) ? value.filter((tag) => typeof tag === 'string') : [];
  if (!Array.isArray(value) || tags.length < value.length) throw damage(row, 'its tags are none');
  return tags;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function oneOf<T extends string>(known: readonly T[], row: StoredRow, column: string): T {
  const value = text(row, column);
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) {
    throw damage(row, `its ${column} is ${JSON.stringify(value.slice(0, 100))}`);
  }
  return found;
}
