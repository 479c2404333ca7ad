/**
 * Jobs in PostgreSQL, one row per job, with the columns of those in SQLite. The compare-and-set is one UPDATE over
 * arrays, which names the expected status of each of its jobs.
 *
 * A large request or result is a column of its own, compressed, which listings do not read.
 */
import { hash } from 'node:crypto';
import {
  DuplicateJobError,
  JobDamagedError,
  JobNotFoundError,
  JobTransitionError,
} from '../jobs/errors.ts';
import {
  BRIEF_REQUEST_LENGTH,
  type JobId,
  type JobList,
  type JobPart,
  type JobPartPlace,
  type JobPatch,
  type JobQuery,
  type JobStatus,
  type NewJob,
  TRANSITIONS,
} from '../jobs/job.ts';
import {
  endOfSearch,
  JobListing,
  type ListingPlace,
  type ListingQuery,
  listingPlace,
  POSTGRES,
} from '../jobs/job-listing.ts';
import type { JobStore } from '../jobs/job-store.ts';
import { isLarge, packLarge, unpack } from '../jobs/large-text.ts';
import type { OnDamaged, StoredRow } from '../storage/damaged-records.ts';
import { StorageUnwritableError } from '../storage/errors.ts';
import type { Query, Statement } from '../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { ReadBatches } from '../storage/postgres/read-batches.ts';
import { storable } from '../storage/postgres/storable.ts';
import { WriteBatches } from '../storage/postgres/write-batches.ts';
import { type JobClaim, type SharedJob, sharedJobOfRow } from './shared-job.ts';

const COLUMNS = `id, kind, key_id, status, priority, target, request, large_request, created_at, started_at, finished_at,
  attempts, result, large_result, error_code, error_message, retry_of, name, tags, line, level, cost_ms, width, origin,
  owner, epoch, claim`;

/**
 * A node that was given up stores nothing but outcomes: other nodes may have taken over what it was about to begin. Nor
 * is a job stored whose idempotency key stands for another job by now.
 */
const INSERT = {
  name: 'jobs-insert',
  text: `INSERT INTO jobs (${COLUMNS})
    SELECT ${COLUMNS} FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::bytea[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::bytea[],
      $15::text[], $16::text[], $17::text[], $18::text[], $19::text[],
      $20::text[], $21::smallint[], $22::float8[], $23::smallint[], $24::text[], $25::text[], $26::bigint[],
      $27::bigint[], $28::text[]) AS given (${COLUMNS}, idempotency_key)
    WHERE (finished_at IS NOT NULL
        OR NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.process = $29 AND NOT nodes.is_up))
      AND (given.idempotency_key IS NULL OR EXISTS (SELECT 1 FROM idempotency
        WHERE idempotency.key_id = given.key_id AND idempotency.idempotency_key = given.idempotency_key
          AND idempotency.job_id = given.id))
    ON CONFLICT (id) DO NOTHING RETURNING id`,
};

const INSERT_TAGS = {
  name: 'jobs-insert-tags',
  text: `INSERT INTO job_tags (key_id, kind, tag, created_at, job_id)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
    ON CONFLICT DO NOTHING`,
};

/** True for a job that the caller holds, or for which it named no claim. */
const IS_HELD = `(given.claim IS NULL
      OR jobs.owner = given.owner AND jobs.epoch = given.epoch AND jobs.claim = given.claim)`;

const UPDATE = {
  name: 'jobs-update',
  text: `UPDATE jobs SET
      status = given.status,
      started_at = CASE given.status WHEN 'queued' THEN NULL
        ELSE coalesce(given.started_at, jobs.started_at) END,
      finished_at = coalesce(given.finished_at, jobs.finished_at),
      attempts = coalesce(given.attempts, jobs.attempts),
      suspicion = coalesce(given.suspicion, jobs.suspicion),
      result = coalesce(given.result, jobs.result),
      large_result = coalesce(given.large_result, jobs.large_result),
      error_code = coalesce(given.error_code, jobs.error_code),
      error_message = coalesce(given.error_message, jobs.error_message),
      owner = CASE given.status WHEN 'queued' THEN NULL ELSE jobs.owner END
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::float8[],
      $8::text[], $9::bytea[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[])
      AS given (id, from_status, status, started_at, finished_at, attempts, suspicion,
        result, large_result, error_code, error_message, owner, epoch, claim)
    WHERE jobs.id = given.id AND jobs.status = given.from_status AND ${IS_HELD}
    RETURNING jobs.*`,
};

const STATUSES = {
  name: 'jobs-statuses',
  text: 'SELECT id, status FROM jobs WHERE id = ANY ($1::text[])',
};
/** The lock keeps the jobs from ending before their parts are stored. */
const UNFINISHED_OF = {
  name: 'jobs-unfinished-of',
  text: `SELECT id FROM jobs JOIN unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
      AS given (id, owner, epoch, claim) USING (id)
    WHERE status IN ('queued', 'running') AND ${IS_HELD} FOR SHARE OF jobs`,
};
const PUT_PART = {
  name: 'jobs-put-part',
  text: `INSERT INTO job_parts (job_id, key_id, series, start, "end", data)
    SELECT id, key_id, $2, $3, $4, $5 FROM jobs WHERE id = $1
    ON CONFLICT (job_id, series, start) DO UPDATE SET "end" = excluded."end", data = excluded.data`,
};
const DROP_PARTS = {
  name: 'jobs-drop-parts',
  text: 'DELETE FROM job_parts WHERE job_id = ANY ($1::text[])',
};

/** The ids are read from a query, so that the server makes one plan for any number of them. */
const SELECT = {
  name: 'jobs-select',
  text: 'SELECT * FROM jobs WHERE id = ANY (ARRAY(SELECT unnest($1::text[])))',
};
const PART_PLACES = {
  name: 'jobs-part-places',
  text: 'SELECT series, start, "end" FROM job_parts WHERE job_id = $1 ORDER BY series, start',
};
/** Lengths are known without reading the data, so only those of the page are read. */
const PARTS = {
  name: 'jobs-parts',
  text: `SELECT series, start, "end", data FROM (
      SELECT *, sum(octet_length(data)) OVER (ORDER BY series, start) - octet_length(data) AS bytes_before
      FROM job_parts WHERE job_id = $1 AND (series, start) > ($2, $3)
    ) AS ahead WHERE bytes_before < $4 ORDER BY series, start`,
};
const REMOVE = {
  name: 'jobs-remove',
  text: `DELETE FROM jobs WHERE id = ANY ($1::text[]) AND status IN ('completed', 'failed', 'cancelled')
    RETURNING id`,
};
const PRUNE = {
  name: 'jobs-prune',
  text: `DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE finished_at < $1 ORDER BY finished_at LIMIT $2)`,
};
const UNFINISHED = {
  name: 'jobs-unfinished',
  text: `SELECT * FROM jobs WHERE status IN ('queued', 'running') AND (kind, created_at, id) > ($1, $2, $3)
    ORDER BY kind, created_at, id LIMIT $4`,
};
const FAIL = {
  name: 'jobs-fail',
  text: `UPDATE jobs SET status = 'failed', finished_at = $2, error_code = $3, error_message = $4
    WHERE id = $1 AND status IN ('queued', 'running')`,
};

/** Bytes of parts that are read at once, about. */
const PAGE_BYTES = 4 * 2 ** 20;
/** Unfinished jobs that are read at once when damaged ones are looked for. */
const PAGE_ROWS = 100;

interface Creation {
  readonly job: SharedJob;
  readonly idempotencyKey: string | undefined;
  readonly parts: readonly JobPart[];
  readonly largeRequest: Uint8Array | undefined;
  readonly largeResult: Uint8Array | undefined;
}

interface Transition {
  readonly id: JobId;
  readonly from: JobStatus;
  readonly to: JobStatus;
  readonly patch: JobPatch;
  readonly largeResult: Uint8Array | undefined;
  readonly claim: JobClaim | undefined;
}

interface Addition {
  readonly id: JobId;
  readonly parts: readonly JobPart[];
  readonly claim: JobClaim | undefined;
}

/** JobStore over the table `jobs` in PostgreSQL. */
export class PostgresJobStore implements JobStore {
  readonly #database: PostgresDatabase;
  readonly #onDamaged: OnDamaged;
  readonly #reads: ReadBatches;
  readonly #creations: WriteBatches<Creation, SharedJob>;
  readonly #transitions: WriteBatches<Transition, StoredRow>;
  readonly #additions: WriteBatches<Addition, boolean>;
  readonly #removals: WriteBatches<JobId, boolean>;

  /** @param onDamaged - Called for each row that a listing leaves out. */
  constructor(database: PostgresDatabase, onDamaged: OnDamaged = () => {}) {
    this.#database = database;
    this.#onDamaged = onDamaged;
    this.#reads = new ReadBatches((ids) => database.read(SELECT, [ids]));
    const { writer } = database;
    const subjectOf = ({ id }: { readonly id: JobId }) => id;
    this.#creations = new WriteBatches<Creation, SharedJob>(writer, {
      subjectOf: ({ job }) => job.id,
      run: (query, items) => create(query, items, database.name),
    });
    this.#transitions = new WriteBatches<Transition, StoredRow>(writer, { subjectOf, run: move });
    this.#additions = new WriteBatches<Addition, boolean>(writer, { subjectOf, run: addParts });
    this.#removals = new WriteBatches<JobId, boolean>(writer, {
      subjectOf: (id) => id,
      run: remove,
    });
  }

  async create(newJob: NewJob | SharedJob, parts: readonly JobPart[] = []): Promise<SharedJob> {
    const { idempotencyKey, ...fields }: NewJob = newJob;
    const job: SharedJob = { status: 'queued', attempts: 0, ...fields };
    const [largeRequest, largeResult] = await packAll(job.request, job.result);
    return this.#creations.add({ job, idempotencyKey, parts, largeRequest, largeResult });
  }

  async get(id: JobId): Promise<SharedJob | undefined> {
    const row = await this.#reads.get(id);
    return row && wholeJob(row);
  }

  async list(query: JobQuery): Promise<JobList> {
    // `IN ()` is no SQL.
    if (query.statuses?.length === 0) return [];
    const jobs: SharedJob[] = [];
    const listing = new JobListing(query, POSTGRES);
    const read = ({ sql, values }: ListingQuery) => this.#database.read(numbered(sql), values);
    const last = query.maxRead === undefined ? undefined : listing.end(undefined, query.maxRead);
    const end = last && listingPlace((await read(last))[0]);
    for (let from: ListingPlace | undefined; ; ) {
      const limit = query.limit - jobs.length;
      const rows = await read(listing.page(from, end, limit));
      for (const row of rows) {
        const job = await jobOrDamage(row, query.isBrief);
        if (!(job instanceof JobDamagedError)) jobs.push(job);
        else this.#onDamaged({ table: 'jobs', id: String(row['id']), what: job.what });
      }
      if (jobs.length === query.limit) return jobs;
      if (rows.length < limit) {
        const readTo = end && endOfSearch(end);
        return readTo === undefined ? jobs : Object.assign(jobs, { readTo });
      }
      from = listingPlace(rows.at(-1));
    }
  }

  async transition(
    id: JobId,
    from: JobStatus,
    to: JobStatus,
    patch: JobPatch = {},
    held?: SharedJob,
  ): Promise<SharedJob> {
    const [largeResult] = await packAll(patch.result);
    return wholeJob(
      await this.#transitions.add({ id, from, to, patch, largeResult, claim: held?.claim }),
    );
  }

  addParts(id: JobId, parts: readonly JobPart[], held?: SharedJob): Promise<boolean> {
    return this.#additions.add({ id, parts, claim: held?.claim });
  }

  async partPlaces(id: JobId): Promise<readonly JobPartPlace[]> {
    return (await this.#database.read(PART_PLACES, [id])).map(placeOfRow);
  }

  async parts(id: JobId, after?: JobPartPlace): Promise<readonly JobPart[]> {
    const place = [after?.series ?? -1, after?.from ?? -1];
    const rows = await this.#database.read(PARTS, [id, ...place, PAGE_BYTES]);
    return rows.map((row) => {
      const bytes = row['data'];
      if (!(bytes instanceof Uint8Array)) throw new Error('unreachable: a bytea that is no bytes');
      return { ...placeOfRow(row), bytes };
    });
  }

  remove(id: JobId): Promise<boolean> {
    return this.#removals.add(id);
  }

  /**
   * Deletes all jobs that finished before a time, oldest first. Unfinished jobs are never deleted.
   *
   * @param before - Milliseconds since 1970 UTC.
   * @param batch - Number of jobs deleted in one transaction.
   * @returns The number of deleted jobs.
   */
  async prune(before: number, batch = 200): Promise<number> {
    for (let total = 0; ; ) {
      const { count } = await this.#database.writer.write((query) => query(PRUNE, [before, batch]));
      total += count;
      if (count < batch) return total;
    }
  }

  async failDamaged(finishedAt: number): Promise<number> {
    let numFailed = 0;
    for (let from: readonly unknown[] = ['', 0, '']; ; ) {
      const rows = await this.#database.read(UNFINISHED, [...from, PAGE_ROWS]);
      for (const row of rows) {
        const damage = await jobOrDamage(row);
        if (!(damage instanceof JobDamagedError)) continue;
        const id = String(row['id']);
        this.#onDamaged({ table: 'jobs', id, what: damage.what });
        const { code, message } = damage;
        const { count } = await this.#database.writer.write((query) =>
          query(FAIL, [id, finishedAt, code, message]),
        );
        numFailed += count;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) return numFailed;
      from = [last['kind'], last['created_at'], last['id']];
    }
  }
}

async function create(
  query: Query,
  items: readonly Creation[],
  process: string,
): Promise<readonly (SharedJob | DuplicateJobError | StorageUnwritableError)[]> {
  const jobs = items.map(({ job }) => job);
  const column = <T>(of: (job: SharedJob) => T) => jobs.map((job) => of(job) ?? null);
  const { rows } = await query(INSERT, [
    column(({ id }) => id),
    column(({ kind }) => kind),
    column(({ keyId }) => keyId),
    column(({ status }) => status),
    column(({ priority }) => priority),
    column(({ target }) => target),
    // Listings show the beginning of a large request.
    column(({ request }) => (isLarge(request) ? request.slice(0, BRIEF_REQUEST_LENGTH) : request)),
    items.map(({ largeRequest }) => largeRequest ?? null),
    column(({ createdAt }) => createdAt),
    column(({ startedAt }) => startedAt),
    column(({ finishedAt }) => finishedAt),
    column(({ attempts }) => attempts),
    column(({ result }) => (isLarge(result) ? undefined : result)),
    items.map(({ largeResult }) => largeResult ?? null),
    column(({ error }) => error?.code),
    column(({ error }) => error && storable(error.message)),
    column(({ retryOf }) => retryOf),
    column(({ name }) => name && storable(name)),
    column(({ tags }) => tags && JSON.stringify(tags)),
    column(({ queueing }) => queueing?.line),
    column(({ queueing }) => queueing?.level ?? 0),
    column(({ queueing }) => queueing?.costMs ?? 0),
    column(({ queueing }) => queueing?.width ?? 0),
    column(({ origin }) => origin),
    ...claimColumns(jobs),
    items.map(({ idempotencyKey }) => idempotencyKey ?? null),
    process,
  ]);
  const created = new Set(rows.map((row) => row['id']));
  const made = items.filter(({ job }) => created.has(job.id));
  const without = jobs.filter(({ id }) => !created.has(id)).map(({ id }) => id);
  const [found] = await Promise.all([
    without.length === 0 ? undefined : query(STATUSES, [without]),
    putTags(
      query,
      made.map(({ job }) => job),
    ),
    ...made.map(({ job, parts }) => putParts(query, job.id, parts)),
  ]);
  const taken = new Set(found?.rows.map((row) => row['id']));
  return jobs.map((job) => {
    if (created.has(job.id)) return job;
    return taken.has(job.id) ? new DuplicateJobError(job.id) : givenUp();
  });
}

function givenUp(): StorageUnwritableError {
  return new StorageUnwritableError(
    new Error('this node was not heard of for so long that others have taken over its work'),
  );
}

async function putTags(query: Query, jobs: readonly SharedJob[]): Promise<void> {
  const tagged = jobs.flatMap((job) => (job.tags ?? []).map((tag) => ({ ...job, tag })));
  if (tagged.length === 0) return;
  await query(INSERT_TAGS, [
    tagged.map(({ keyId }) => keyId),
    tagged.map(({ kind }) => kind),
    tagged.map(({ tag }) => storable(tag)),
    tagged.map(({ createdAt }) => createdAt),
    tagged.map(({ id }) => id),
  ]);
}

/** Stores parts of a job, in order: a later part replaces one that begins at the same place. */
async function putParts(query: Query, id: JobId, parts: readonly JobPart[]): Promise<void> {
  await Promise.all(
    parts.map(({ series, from, to, bytes }) =>
      query(PUT_PART, [
        id,
        series,
        from,
        to,
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      ]),
    ),
  );
}

async function move(
  query: Query,
  items: readonly Transition[],
): Promise<readonly (StoredRow | JobTransitionError | JobNotFoundError)[]> {
  const allowed = items
    .filter(({ from, to }) => TRANSITIONS[from].includes(to))
    // Two nodes that change the same jobs lock them in the same order.
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const column = <T>(of: (item: Transition) => T) => allowed.map((item) => of(item) ?? null);
  const { rows } = await query(UPDATE, [
    column(({ id }) => id),
    column(({ from }) => from),
    column(({ to }) => to),
    column(({ patch }) => patch.startedAt),
    column(({ patch }) => patch.finishedAt),
    column(({ patch }) => patch.attempts),
    column(({ patch }) => patch.suspicion),
    column(({ patch }) => (isLarge(patch.result) ? undefined : patch.result)),
    column(({ largeResult }) => largeResult),
    column(({ patch }) => patch.error?.code),
    column(({ patch }) => patch.error && storable(patch.error.message)),
    ...claimColumns(allowed),
  ]);
  const moved = new Map(rows.map((row) => [row['id'], row]));
  const without = items.filter(({ id }) => !moved.has(id)).map(({ id }) => id);
  const ended = items.filter(
    ({ id, to }) => moved.has(id) && (to === 'failed' || to === 'cancelled'),
  );
  const [found] = await Promise.all([
    without.length === 0 ? undefined : query(STATUSES, [without]),
    ended.length === 0 ? undefined : query(DROP_PARTS, [ended.map(({ id }) => id)]),
    ...items
      .filter(({ id }) => moved.has(id))
      .map(({ id, patch }) => putParts(query, id, patch.parts ?? [])),
  ]);
  const statuses = new Map(found?.rows.map((row) => [row['id'], row['status']]));
  return items.map(({ id, from, to }) => {
    const row = moved.get(id);
    if (row !== undefined) return row;
    const status = statuses.get(id);
    if (status === undefined) return new JobNotFoundError(id);
    // The cast is safe: the column has a check of the statuses.
    return new JobTransitionError(id, from, to, status as JobStatus);
  });
}

async function addParts(query: Query, items: readonly Addition[]): Promise<readonly boolean[]> {
  const { rows } = await query(UNFINISHED_OF, [items.map(({ id }) => id), ...claimColumns(items)]);
  const unfinished = new Set(rows.map((row) => row['id']));
  await Promise.all(
    items.filter(({ id }) => unfinished.has(id)).map(({ id, parts }) => putParts(query, id, parts)),
  );
  return items.map(({ id }) => unfinished.has(id));
}

/** Columns of the nodes, epochs and numbers of claims. */
function claimColumns(
  items: readonly { readonly claim?: JobClaim | undefined }[],
): readonly (readonly (string | number | null)[])[] {
  return [
    items.map(({ claim }) => claim?.node ?? null),
    items.map(({ claim }) => claim?.epoch ?? null),
    items.map(({ claim }) => claim?.number ?? null),
  ];
}

async function remove(query: Query, ids: readonly JobId[]): Promise<readonly boolean[]> {
  const { rows } = await query(REMOVE, [ids]);
  const removed = new Set(rows.map((row) => row['id']));
  return ids.map((id) => removed.has(id));
}

/** The statement of a listing. A query has few optional conditions, so the number of statements is small. */
function numbered(sql: string): Statement {
  let n = 0;
  const text = sql.replaceAll('?', () => {
    n += 1;
    return `$${n}`;
  });
  return { name: hash('sha1', text), text };
}

function packAll(
  ...texts: readonly (string | undefined)[]
): Promise<readonly (Uint8Array | undefined)[]> {
  return Promise.all(texts.map(packLarge));
}

function placeOfRow(row: StoredRow): JobPartPlace {
  return { series: Number(row['series']), from: Number(row['start']), to: Number(row['end']) };
}

/** Converts a row of `SELECT *` to a job, with its large texts. */
async function wholeJob(row: StoredRow): Promise<SharedJob> {
  const job = sharedJobOfRow(row);
  const large = async (column: 'large_request' | 'large_result', name: 'request' | 'result') => {
    const bytes = row[column];
    if (bytes === null || bytes === undefined) return {};
    try {
      if (bytes instanceof Uint8Array) return { [name]: await unpack(bytes) };
    } catch {
      // Handled below: the bytes are not a packed text.
    }
    throw new JobDamagedError(`its ${name} cannot be unpacked`, { id: job.id, keyId: job.keyId });
  };
  return {
    ...job,
    ...(await large('large_request', 'request')),
    ...(await large('large_result', 'result')),
  };
}

/** The job of a row, with its large texts unless it is brief, or the damage of the row. */
export async function jobOrDamage(
  row: StoredRow,
  isBrief = false,
): Promise<SharedJob | JobDamagedError> {
  try {
    return isBrief ? sharedJobOfRow(row) : await wholeJob(row);
  } catch (error) {
    if (error instanceof JobDamagedError) return error;
    throw error;
  }
}
