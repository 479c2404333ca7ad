/** The row of the `jobs` table as a Job: the one place where what the file holds is checked. */
import type { SQLOutputValue } from 'node:sqlite';
import { JOB_KINDS, JOB_PRIORITIES, JOB_STATUSES, type Job } from './job.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

/** The job that a row of `SELECT *` or `RETURNING *` holds. */
export function jobOfRow(row: Row): Job {
  const result = row['result'];
  const startedAt = row['started_at'];
  const finishedAt = row['finished_at'];
  return {
    id: text(row, 'id'),
    kind: oneOf(JOB_KINDS, text(row, 'kind')),
    keyId: text(row, 'key_id'),
    status: oneOf(JOB_STATUSES, text(row, 'status')),
    priority: oneOf(JOB_PRIORITIES, text(row, 'priority')),
    target: text(row, 'target'),
    request: text(row, 'request'),
    createdAt: Number(row['created_at']),
    attempts: Number(row['attempts']),
    ...(typeof result === 'string' ? { result } : {}),
    ...(typeof startedAt === 'number' ? { startedAt } : {}),
    ...(typeof finishedAt === 'number' ? { finishedAt } : {}),
    ...(typeof row['error_code'] === 'string'
      ? { error: { code: row['error_code'], message: text(row, 'error_message') } }
      : {}),
  };
}

function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`unreachable: ${column} of a job is ${value}`);
  return value;
}

function oneOf<T extends string>(known: readonly T[], value: string): T {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`unreachable: a job that is ${value}`);
  return found;
}
