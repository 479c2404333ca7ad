/**
 * Jobs in SQLite. One row a job; the compare-and-set is one UPDATE that names the status it expects.
 *
 * Writes go through the database's GroupCommit, so that jobs written in one turn of the event loop
 * share a commit; reads answer at once and see what is committed.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { GroupCommit } from '../storage/group-commit.ts';
import { DuplicateJobError, JobNotFoundError, JobTransitionError } from './errors.ts';
import {
  BRIEF_REQUEST_LENGTH,
  isFinal,
  type Job,
  type JobId,
  type JobPatch,
  type JobQuery,
  type JobStatus,
  type NewJob,
  TRANSITIONS,
} from './job.ts';
import { jobOfRow } from './job-row.ts';
import type { JobStore } from './job-store.ts';

const INSERT = `
  INSERT INTO jobs (id, kind, key_id, status, priority, target, request, created_at, started_at,
    finished_at, attempts, result, error_code, error_message)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`;

const UPDATE = `
  UPDATE jobs SET
    status = ?3,
    started_at = CASE ?3 WHEN 'queued' THEN NULL ELSE coalesce(?4, started_at) END,
    finished_at = coalesce(?5, finished_at),
    attempts = coalesce(?6, attempts),
    result = coalesce(?7, result),
    error_code = coalesce(?8, error_code),
    error_message = coalesce(?9, error_message)
  WHERE id = ?1 AND status = ?2
  RETURNING *`;

const BRIEF_COLUMNS = `id, kind, key_id, status, priority, target, error_code, error_message,
  substr(request, 1, ${BRIEF_REQUEST_LENGTH}) AS request, created_at, started_at, finished_at, attempts`;

/** A JobStore over the `jobs` table. */
export class SqliteJobStore implements JobStore {
  readonly #database: DatabaseSync;
  readonly #writer: GroupCommit;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #select: StatementSync;
  /** By their text: a query has a few optional conditions, so there are only so many. */
  readonly #listings = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#writer = GroupCommit.of(database);
    this.#insert = database.prepare(INSERT);
    this.#update = database.prepare(UPDATE);
    this.#select = database.prepare('SELECT * FROM jobs WHERE id = ?');
  }

  create(newJob: NewJob | Job): Promise<Job> {
    const job: Job = { status: 'queued', attempts: 0, ...newJob };
    return this.#writer.write(() => {
      const { changes } = this.#insert.run(
        job.id,
        job.kind,
        job.keyId,
        job.status,
        job.priority,
        job.target,
        job.request,
        job.createdAt,
        job.startedAt ?? null,
        job.finishedAt ?? null,
        job.attempts,
        job.result ?? null,
        job.error?.code ?? null,
        job.error?.message ?? null,
      );
      if (changes === 0) throw new DuplicateJobError(job.id);
      return job;
    });
  }

  async get(id: JobId): Promise<Job | undefined> {
    return this.#read(id);
  }

  async list(query: JobQuery): Promise<readonly Job[]> {
    const { sql, values } = listing(query);
    let statement = this.#listings.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#listings.set(sql, statement);
    }
    return statement.all(...values).map(jobOfRow);
  }

  transition(id: JobId, from: JobStatus, to: JobStatus, patch: JobPatch = {}): Promise<Job> {
    return this.#writer.write(() => {
      const row = TRANSITIONS[from].includes(to)
        ? this.#update.get(
            id,
            from,
            to,
            patch.startedAt ?? null,
            patch.finishedAt ?? null,
            patch.attempts ?? null,
            patch.result ?? null,
            patch.error?.code ?? null,
            patch.error?.message ?? null,
          )
        : undefined;
      if (row !== undefined) return jobOfRow(row);
      const job = this.#read(id);
      if (job === undefined) throw new JobNotFoundError(id);
      throw new JobTransitionError(id, from, to, job.status);
    });
  }

  #read(id: JobId): Job | undefined {
    const row = this.#select.get(id);
    return row === undefined ? undefined : jobOfRow(row);
  }
}

function listing(query: JobQuery): { readonly sql: string; readonly values: (string | number)[] } {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const where = (condition: string, ...bound: readonly string[]) => {
    conditions.push(condition);
    values.push(...bound);
  };
  const { kind, keyId, statuses, before, after } = query;
  if (kind !== undefined) where('kind = ?', kind);
  if (keyId !== undefined) where('key_id = ?', keyId);
  if (before !== undefined) where('id < ?', before);
  if (after !== undefined) where('id > ?', after);
  if (statuses !== undefined) {
    where(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses);
  }

  // Recovery looks for a few unfinished jobs among millions: only the partial index is right, and
  // SQLite uses one only where its own condition stands in the query word for word.
  const unfinished = statuses?.length && !statuses.some(isFinal) && keyId === undefined;
  if (unfinished) where(`status IN ('queued', 'running')`);

  const from = unfinished ? 'jobs INDEXED BY jobs_unfinished' : 'jobs';
  const condition = conditions.length > 0 ? conditions.join(' AND ') : 'TRUE';
  const order = query.oldestFirst ? 'ASC' : 'DESC';
  values.push(query.limit);
  const columns = query.isBrief ? BRIEF_COLUMNS : '*';
  return {
    sql: `SELECT ${columns} FROM ${from} WHERE ${condition} ORDER BY id ${order} LIMIT ?`,
    values,
  };
}
