/**
 * Jobs in SQLite, one row per job. The compare-and-set is one UPDATE that names the expected status.
 *
 * Writes go through the database's GroupCommit, so jobs written in one turn of the event loop share a commit.
 * Reads are synchronous and see committed data.
 *
 * The row of a large request holds its beginning, which listings show. The whole request, and large results,
 * are in `job_contents`, compressed; long ones by Node's thread pool, outside the event loop. The text is stored as it
 * was sent, not as the circuit read from it, because a record shows its request unchanged.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { LAST_TIME, type OnDamaged, type StoredRow } from '../storage/damaged-records.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import {
  DuplicateJobError,
  JobDamagedError,
  JobNotFoundError,
  JobTransitionError,
} from './errors.ts';
import {
  BRIEF_REQUEST_LENGTH,
  type Job,
  type JobId,
  type JobList,
  type JobPart,
  type JobPartPlace,
  type JobPatch,
  type JobQuery,
  type JobStatus,
  type NewJob,
  TRANSITIONS,
} from './job.ts';
import {
  BRIEF_JOB_COLUMNS,
  CHUNK_ROWS,
  endOfSearch,
  JobListing,
  type ListingPlace,
  type ListingQuery,
  listingPlace,
  SQLITE,
} from './job-listing.ts';
import { jobOfRow } from './job-row.ts';
import type { JobStore } from './job-store.ts';
import { isLarge, packLarge, unpack } from './large-text.ts';

const INSERT = `
  INSERT INTO jobs (id, kind, key_id, status, priority, target, request, created_at, started_at,
    finished_at, attempts, result, error_code, error_message, retry_of, contents, name, tags)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`;

const UPDATE = `
  UPDATE jobs SET
    status = ?3,
    started_at = CASE ?3 WHEN 'queued' THEN NULL ELSE coalesce(?4, started_at) END,
    finished_at = coalesce(?5, finished_at),
    attempts = coalesce(?6, attempts),
    result = coalesce(?7, result),
    error_code = coalesce(?8, error_code),
    error_message = coalesce(?9, error_message),
    suspicion = coalesce(?10, suspicion),
    contents = contents | ?11
  WHERE id = ?1 AND status = ?2
  RETURNING *`;

/** Unfinished rows of all kinds, and rows with an invalid status, which no other index contains. */
const UNFINISHED = `SELECT rowid, ${BRIEF_JOB_COLUMNS} FROM jobs INDEXED BY jobs_unfinished
  WHERE status IN ('queued', 'running')`;
const UNFINISHED_WITH_CONTENTS = `SELECT * FROM jobs INDEXED BY jobs_unfinished
  WHERE status IN ('queued', 'running') AND contents <> 0`;
const FAIL = `UPDATE jobs SET status = 'failed', finished_at = ?2, error_code = ?3, error_message = ?4
  WHERE rowid = ?1`;
const END_LOST = `UPDATE jobs INDEXED BY jobs_lost SET finished_at = ?
  WHERE finished_at IS NULL AND status NOT IN ('queued', 'running')`;
const END_LATE = `UPDATE jobs SET finished_at = ? WHERE finished_at > ${LAST_TIME}`;

const PRUNE = `DELETE FROM jobs WHERE rowid IN (
  SELECT rowid FROM jobs WHERE finished_at < ? ORDER BY finished_at LIMIT ?)`;

/** Parts of a job in `job_contents`, as bits of `jobs.contents`. */
const HAS_REQUEST = 1;
const HAS_RESULT = 2;

const PUT_CONTENTS = `
  INSERT INTO job_contents (job_id, key_id, request, result) VALUES (?, ?, ?, ?)
  ON CONFLICT (job_id) DO UPDATE SET result = excluded.result`;

const PUT_PART = `
  INSERT INTO job_parts (job_id, key_id, series, start, end, data)
  SELECT id, key_id, ?2, ?3, ?4, ?5 FROM jobs WHERE id = ?1`;
const DROP_PART = 'DELETE FROM job_parts WHERE job_id = ? AND series = ? AND start = ?';
const PART_PLACES = `SELECT series, start, end FROM job_parts WHERE job_id = ?
  ORDER BY series, start`;
const PARTS = `SELECT series, start, end, data FROM job_parts
  WHERE job_id = ? AND (series, start) > (?, ?) ORDER BY series, start`;

/** Bytes of parts that are read in one turn of the event loop, about. */
const PAGE_BYTES = 4 * 2 ** 20;

/** Fields of a job for `job_contents`, with their bits. */
interface Packed {
  readonly request: Uint8Array | null;
  readonly result: Uint8Array | null;
  readonly contents: number;
}

const NOTHING_PACKED: Packed = { request: null, result: null, contents: 0 };

/** JobStore over the `jobs` table. */
export class SqliteJobStore implements JobStore {
  readonly #database: DatabaseSync;
  readonly #writer: GroupCommit;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #select: StatementSync;
  readonly #prune: StatementSync;
  readonly #delete: StatementSync;
  readonly #putContents: StatementSync;
  readonly #selectContents: StatementSync;
  readonly #putPart: StatementSync;
  readonly #dropPart: StatementSync;
  readonly #isUnfinished: StatementSync;
  readonly #partPlaces: StatementSync;
  readonly #parts: StatementSync;
  /** Prepared statements by text. A query has few optional conditions, so their number is small. */
  readonly #listings = new Map<string, StatementSync>();

  readonly #onDamaged: OnDamaged;
  #turn: Promise<void> = Promise.resolve();

  /** @param onDamaged - Called for each row that a listing leaves out. */
  constructor(database: DatabaseSync, onDamaged: OnDamaged = () => {}) {
    this.#database = database;
    this.#onDamaged = onDamaged;
    this.#writer = GroupCommit.of(database);
    this.#insert = database.prepare(INSERT);
    this.#update = this.#prepare(UPDATE);
    this.#select = this.#prepare('SELECT * FROM jobs WHERE id = ?');
    this.#putContents = database.prepare(PUT_CONTENTS);
    this.#selectContents = database.prepare('SELECT * FROM job_contents WHERE job_id = ?');
    this.#putPart = database.prepare(PUT_PART);
    this.#dropPart = database.prepare(DROP_PART);
    this.#isUnfinished = database.prepare(
      `SELECT 1 FROM jobs WHERE id = ? AND status IN ('queued', 'running')`,
    );
    this.#partPlaces = database.prepare(PART_PLACES);
    this.#parts = database.prepare(PARTS);
    this.#prune = database.prepare(PRUNE);
    this.#delete = database.prepare(
      `DELETE FROM jobs WHERE id = ? AND status IN ('completed', 'failed', 'cancelled')`,
    );
  }

  async create(newJob: NewJob | Job, parts: readonly JobPart[] = []): Promise<Job> {
    const job: Job = { status: 'queued', attempts: 0, ...newJob };
    const { id, keyId } = job;
    const packed = await this.#pack(job.request, job.result);
    return this.#writer.write(() => {
      const { changes } = this.#insert.run(
        id,
        job.kind,
        keyId,
        job.status,
        job.priority,
        job.target,
        packed.request === null ? job.request : job.request.slice(0, BRIEF_REQUEST_LENGTH),
        job.createdAt,
        job.startedAt ?? null,
        job.finishedAt ?? null,
        job.attempts,
        packed.result === null ? (job.result ?? null) : null,
        job.error?.code ?? null,
        job.error?.message ?? null,
        job.retryOf ?? null,
        packed.contents,
        job.name ?? null,
        job.tags === undefined ? null : JSON.stringify(job.tags),
      );
      if (changes === 0) throw new DuplicateJobError(id);
      if (packed.contents !== 0) {
        this.#putContents.run(id, keyId, packed.request, packed.result);
      }
      this.#putParts(id, parts);
      return job;
    });
  }

  async get(id: JobId): Promise<Job | undefined> {
    const row = this.#select.get(id);
    return row === undefined ? undefined : this.#whole(row);
  }

  async list(query: JobQuery): Promise<JobList> {
    const jobs: Job[] = [];
    let numRead = 0;
    const listing = new JobListing(query, SQLITE);
    for (let from: ListingPlace | undefined; ; ) {
      const limit = query.limit - jobs.length;
      // Reading in chunks lets other work run between them.
      const end = this.#placeOf(listing.end(from));
      const rows = this.#all(listing.page(from, end, limit));
      for (const row of rows) {
        const job = await this.#readable(row, query.isBrief === true);
        if (job !== undefined) jobs.push(job);
      }
      if (jobs.length === query.limit) return jobs;
      if (rows.length === limit) from = listingPlace(rows.at(-1));
      else if (end === undefined) return jobs;
      else {
        from = end;
        numRead += CHUNK_ROWS;
        const readTo = numRead >= (query.maxRead ?? Infinity) ? endOfSearch(end) : undefined;
        if (readTo !== undefined) return Object.assign(jobs, { readTo });
        await this.#nextTurn();
      }
    }
  }

  addParts(id: JobId, parts: readonly JobPart[]): Promise<boolean> {
    return this.#writer.write(() => {
      if (this.#isUnfinished.get(id) === undefined) return false;
      this.#putParts(id, parts);
      return true;
    });
  }

  async partPlaces(id: JobId): Promise<readonly JobPartPlace[]> {
    return this.#partPlaces.all(id).map(placeOfRow);
  }

  async parts(id: JobId, after?: JobPartPlace): Promise<readonly JobPart[]> {
    const page: JobPart[] = [];
    let numBytes = 0;
    for (const row of this.#parts.iterate(id, after?.series ?? -1, after?.from ?? -1)) {
      const bytes = row['data'];
      if (!(bytes instanceof Uint8Array))
        throw new JobDamagedError('a part of its result is no blob');
      page.push({ ...placeOfRow(row), bytes });
      numBytes += bytes.length;
      if (numBytes >= PAGE_BYTES) break;
    }
    return page;
  }

  /** Call it within a write. */
  #putParts(id: JobId, parts: readonly JobPart[]): void {
    for (const { series, from, to, bytes } of parts) {
      this.#dropPart.run(id, series, from);
      this.#putPart.run(id, series, from, to, bytes);
    }
  }

  remove(id: JobId): Promise<boolean> {
    return this.#writer.write(() => this.#delete.run(id).changes === 1);
  }

  /**
   * Deletes all jobs that finished before a time, oldest first. Unfinished jobs are never deleted.
   *
   * @param before - Milliseconds since 1970 UTC.
   * @param batch - Number of jobs deleted at once; the event loop runs between batches.
   * @returns The number of deleted jobs.
   */
  async prune(before: number, batch = 200): Promise<number> {
    for (let total = 0; ; ) {
      const deleted = await this.#writer.write(() =>
        Number(this.#prune.run(before, batch).changes),
      );
      total += deleted;
      if (deleted < batch) return total;
    }
  }

  async failDamaged(finishedAt: number): Promise<number> {
    // Parts in the other table are decompressed outside the transaction.
    const damaged = await this.#damagedContents();
    return this.#writer.write(() => {
      const fail = this.#database.prepare(FAIL);
      let numFailed = 0;
      for (const row of this.#prepare(UNFINISHED).all()) {
        const read = damaged.get(String(row['id'])) ?? readRow(row);
        if (!(read instanceof JobDamagedError)) continue;
        this.#onDamaged({ table: 'jobs', id: String(row['id']), what: read.what });
        fail.run(row['rowid'] ?? null, finishedAt, read.code, read.message);
        numFailed += 1;
      }
      this.#database.prepare(END_LOST).run(finishedAt);
      this.#database.prepare(END_LATE).run(finishedAt);
      return numFailed;
    });
  }

  async #damagedContents(): Promise<ReadonlyMap<string, JobDamagedError>> {
    const damaged = new Map<string, JobDamagedError>();
    for (const row of this.#prepare(UNFINISHED_WITH_CONTENTS).all()) {
      try {
        await this.#whole(row);
      } catch (error) {
        if (!(error instanceof JobDamagedError)) throw error;
        damaged.set(String(row['id']), error);
      }
    }
    return damaged;
  }

  async transition(id: JobId, from: JobStatus, to: JobStatus, patch: JobPatch = {}): Promise<Job> {
    const packed = await this.#pack(undefined, patch.result);
    const row = await this.#writer.write(() => {
      const found = TRANSITIONS[from].includes(to)
        ? this.#update.get(
            id,
            from,
            to,
            patch.startedAt ?? null,
            patch.finishedAt ?? null,
            patch.attempts ?? null,
            packed.result === null ? (patch.result ?? null) : null,
            patch.error?.code ?? null,
            patch.error?.message ?? null,
            patch.suspicion ?? null,
            packed.contents,
          )
        : undefined;
      if (found !== undefined) {
        if (packed.result !== null) {
          this.#putContents.run(id, String(found['key_id']), null, packed.result);
        }
        this.#putParts(id, patch.parts ?? []);
        return found;
      }
      const stored = this.#select.get(id);
      if (stored === undefined) throw new JobNotFoundError(id);
      const { status } = jobOfRow(stored);
      throw new JobTransitionError(id, from, to, status);
    });
    return this.#whole(row);
  }

  /** Waits for a turn of the event loop. Each turn reads one chunk, however many listings are in progress. */
  #nextTurn(): Promise<void> {
    this.#turn = this.#turn.then(() => setImmediate());
    return this.#turn;
  }

  #placeOf(query: ListingQuery | undefined): ListingPlace | undefined {
    return query && listingPlace(this.#all(query)[0]);
  }

  #all({ sql, values }: ListingQuery): readonly StoredRow[] {
    let statement = this.#listings.get(sql);
    if (statement === undefined) {
      statement = this.#prepare(sql);
      this.#listings.set(sql, statement);
    }
    return statement.all(...values);
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  }

  async #pack(request: string | undefined, result: string | undefined): Promise<Packed> {
    if (!isLarge(request) && !isLarge(result)) return NOTHING_PACKED;
    const [packedRequest = null, packedResult = null] = await Promise.all([
      packLarge(request),
      packLarge(result),
    ]);
    const contents =
      (packedRequest === null ? 0 : HAS_REQUEST) | (packedResult === null ? 0 : HAS_RESULT);
    return { request: packedRequest, result: packedResult, contents };
  }

  /** Reads a job, or reports it as damaged and returns undefined. */
  async #readable(row: StoredRow, isBrief: boolean): Promise<Job | undefined> {
    try {
      return isBrief ? jobOfRow(row) : await this.#whole(row);
    } catch (error) {
      if (!(error instanceof JobDamagedError)) throw error;
      this.#onDamaged({ table: 'jobs', id: String(row['id']), what: error.what });
      return undefined;
    }
  }

  /** Converts a row of `SELECT *` to a job, with its parts from the other table. */
  #whole(row: StoredRow): Job | Promise<Job> {
    return Number(row['contents']) === 0 ? jobOfRow(row) : this.#withContents(row);
  }

  async #withContents(row: StoredRow): Promise<Job> {
    const job = jobOfRow(row);
    const contents = Number(row['contents']);
    const stored = this.#selectContents.get(job.id);
    const part = async (bit: number, name: 'request' | 'result') => {
      if ((contents & bit) === 0) return {};
      try {
        const bytes = stored?.[name];
        if (bytes instanceof Uint8Array) return { [name]: await unpack(bytes) };
      } catch {
        // Handled below: the bytes are not a packed text.
      }
      throw new JobDamagedError(`its ${name} cannot be unpacked`, { id: job.id, keyId: job.keyId });
    };
    return {
      ...job,
      ...(await part(HAS_REQUEST, 'request')),
      ...(await part(HAS_RESULT, 'result')),
    };
  }
}

function placeOfRow(row: Readonly<Record<string, unknown>>): JobPartPlace {
  return { series: Number(row['series']), from: Number(row['start']), to: Number(row['end']) };
}

function readRow(row: StoredRow): Job | JobDamagedError {
  try {
    return jobOfRow(row);
  } catch (error) {
    if (error instanceof JobDamagedError) return error;
    throw error;
  }
}
