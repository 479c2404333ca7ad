/**
 * SQL of job listings.
 *
 * The jobs of a key are read in listing order from one index: that of the first requested tag, of the name,
 * of the status, or of all jobs. Other filters are checked row by row. If that may skip many rows before a
 * page is full, the index is read in chunks.
 */
import type { StoredRow } from '../storage/damaged-records.ts';
import { BRIEF_REQUEST_LENGTH, isFinal, isJobId, type JobPlace, type JobQuery } from './job.ts';

/** Columns of a job without its result, and with the beginning of its request. */
export const BRIEF_JOB_COLUMNS = `jobs.id, jobs.kind, jobs.key_id, jobs.status, jobs.priority, jobs.target,
  jobs.error_code, jobs.error_message, substr(jobs.request, 1, ${BRIEF_REQUEST_LENGTH}) AS request,
  jobs.name, jobs.tags, jobs.created_at, jobs.started_at, jobs.finished_at, jobs.attempts,
  jobs.suspicion, jobs.retry_of`;

/** SQL of listings that differs between the two databases. */
export interface ListingDialect {
  /** Text after the table's name that has the rows read from an index. */
  readonly from: (index: string) => string;
  /** Join of a table that is read first with the rows it names. */
  readonly join: string;
  /** Condition that a text has another one in it, of which letters A to Z are small. */
  readonly contains: (column: string) => string;
}

export const SQLITE: ListingDialect = {
  from: (index) => ` INDEXED BY ${index}`,
  // SQLite reads the first table of this join first.
  join: 'CROSS JOIN',
  // Its function `lower` changes A to Z alone.
  contains: (column) => `instr(lower(${column}), ?) > 0`,
};

/** PostgreSQL chooses indexes by itself. */
export const POSTGRES: ListingDialect = {
  from: () => '',
  join: 'JOIN',
  // In this collation `lower` changes A to Z alone.
  contains: (column) => `strpos(lower(${column} COLLATE "C"), ?) > 0`,
};

/** Rows of an index read at once; they take one or two milliseconds. */
export const CHUNK_ROWS = 500;

/** Position of a row in a listing; a damaged row may have no time. */
export interface ListingPlace {
  readonly createdAt: number | bigint;
  readonly id: string;
}

/** Query with its bound values. */
export interface ListingQuery {
  readonly sql: string;
  readonly values: readonly Value[];
}

type Value = string | number | bigint;

interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Index from which rows are read in the order of the listing. */
interface Source {
  readonly index: string;
  /** Join with the job's columns, if the index is a separate table. */
  readonly join: string;
  readonly createdAt: string;
  readonly id: string;
  /** Conditions on the columns by which the index is searched. */
  readonly keys: readonly Condition[];
  /** Conditions that are checked in each row. */
  readonly others: readonly Condition[];
}

/** The place of a row. */
export function listingPlace(row: StoredRow | undefined): ListingPlace | undefined {
  if (row === undefined) return undefined;
  const { created_at: createdAt, id } = row;
  return { createdAt: typeof createdAt === 'bigint' ? createdAt : 0, id: String(id) };
}

/** The place at which a search ends after enough rows; undefined of a damaged row, which no cursor names. */
export function endOfSearch(place: ListingPlace): JobPlace | undefined {
  return isJobId(place.id) ? { id: place.id, createdAt: Number(place.createdAt) } : undefined;
}

/** SQL of one listing. The text depends on which filters are set, not on their values. */
export class JobListing {
  readonly #query: JobQuery;
  readonly #source: Source;

  constructor(query: JobQuery, dialect: ListingDialect) {
    this.#query = query;
    this.#source = sourceOf(query, dialect);
  }

  /**
   * Finds the last row of the next chunk of the index; no row if fewer remain.
   *
   * @param from - Last row examined; undefined at the beginning.
   * @returns Undefined if the listing is read in one chunk.
   */
  end(from: ListingPlace | undefined, numRows = CHUNK_ROWS): ListingQuery | undefined {
    const { index, createdAt, id, keys, others } = this.#source;
    const { keyId, oldestFirst } = this.#query;
    if (others.length === 0 || keyId === undefined || oldestFirst) return undefined;
    return this.#select(
      `${createdAt}, ${id} AS id FROM ${index}`,
      [...keys, ...this.#bounds(from, undefined)],
      `1 OFFSET ${numRows - 1}`,
    );
  }

  /** Reads rows after `from`, up to and including `end`. */
  page(from: ListingPlace | undefined, end: ListingPlace | undefined, limit: number): ListingQuery {
    const { index, join, keys, others } = this.#source;
    const columns = this.#query.isBrief ? BRIEF_JOB_COLUMNS : 'jobs.*';
    const conditions = [...keys, ...this.#bounds(from, end), ...others];
    const { sql, values } = this.#select(`${columns} FROM ${index}${join}`, conditions, '?');
    return { sql, values: [...values, limit] };
  }

  #select(what: string, conditions: readonly Condition[], limit: string): ListingQuery {
    const { createdAt, id } = this.#source;
    const order = this.#query.oldestFirst ? 'ASC' : 'DESC';
    const where = conditions.map(({ sql }) => sql).join(' AND ') || 'TRUE';
    return {
      sql: `SELECT ${what} WHERE ${where} ORDER BY ${createdAt} ${order}, ${id} ${order} LIMIT ${limit}`,
      values: conditions.flatMap(({ values }) => values),
    };
  }

  /**
   * Bounds of the index range, at most one per side, because an index uses no more. No id sorts before the
   * empty text.
   */
  #bounds(from: ListingPlace | undefined, end: ListingPlace | undefined): readonly Condition[] {
    const { before, after, createdBefore, createdFrom, oldestFirst } = this.#query;
    const { createdAt, id } = this.#source;
    const bound = (comparison: string, place: ListingPlace | undefined): readonly Condition[] =>
      place === undefined
        ? []
        : [
            {
              sql: `(${createdAt}, ${id}) ${comparison} (?, ?)`,
              values: [place.createdAt, place.id],
            },
          ];
    const ofTime = (time: number | undefined) =>
      time === undefined ? [] : [{ createdAt: time, id: '' }];
    const given = (place: ListingPlace | undefined) => (place === undefined ? [] : [place]);
    if (oldestFirst) {
      return [
        ...bound('<', first([...given(before), ...ofTime(createdBefore)])),
        // For a time, `>` equals `>=`, because no id is the empty text.
        ...bound('>', last([...given(after), ...ofTime(createdFrom), ...given(from)])),
      ];
    }
    return [
      ...bound('<', first([...given(before), ...ofTime(createdBefore), ...given(from)])),
      ...(end === undefined
        ? bound('>', last([...given(after), ...ofTime(createdFrom)]))
        : bound('>=', end)),
    ];
  }
}

function first(places: readonly ListingPlace[]): ListingPlace | undefined {
  return places.toSorted(compare)[0];
}

function last(places: readonly ListingPlace[]): ListingPlace | undefined {
  return places.toSorted(compare).at(-1);
}

function compare(a: ListingPlace, b: ListingPlace): number {
  // One operand may be a bigint and the other a number.
  if (a.createdAt < b.createdAt) return -1;
  return a.createdAt > b.createdAt || a.id > b.id ? 1 : -1;
}

function sourceOf(
  { kind, keyId, statuses, name, tags = [], words = [] }: JobQuery,
  dialect: ListingDialect,
): Source {
  const is = (column: string, value: string): Condition => ({
    sql: `${column} = ?`,
    values: [value],
  });
  const ofKind = kind === undefined ? [] : [is('jobs.kind', kind)];
  const ofKey = keyId === undefined ? [] : [is('jobs.key_id', keyId)];
  const owner = [...ofKey, ...ofKind];
  const named = name === undefined ? [] : [is('jobs.name', name)];
  const inStatus = (statuses === undefined ? [] : [statuses]).map((each) => ({
    sql: `jobs.status IN (${each.map(() => '?').join(', ')})`,
    values: each,
  }));
  const tagged = tags.map((tag) => ({
    sql: `EXISTS (SELECT 1 FROM job_tags AS other WHERE other.key_id = jobs.key_id
      AND other.kind = jobs.kind AND other.tag = ? AND other.created_at = jobs.created_at
      AND other.job_id = jobs.id)`,
    values: [tag],
  }));
  const found = words.map((word) => ({
    sql: `(jobs.status = ? OR jobs.kind = ? OR substr(jobs.id, 1, length(?)) = ?
      OR ${dialect.contains('jobs.target')} OR ${dialect.contains('jobs.name')})`,
    values: [word, word, word, word, word, word],
  }));
  const ofJobs = (index: string, keys: readonly Condition[], others: readonly Condition[]) => ({
    index: `jobs${index}`,
    join: '',
    createdAt: 'jobs.created_at',
    id: 'jobs.id',
    keys,
    others,
  });

  if (kind === undefined || keyId === undefined) {
    // Recovery looks for a few unfinished jobs among millions, which needs the partial index. Databases use it
    // only if the query repeats the index's condition word for word.
    const isUnfinished = statuses?.length && !statuses.some(isFinal) && keyId === undefined;
    const unfinished = { sql: `jobs.status IN ('queued', 'running')`, values: [] };
    const others = [...inStatus, ...named, ...tagged, ...found];
    return isUnfinished
      ? ofJobs(dialect.from('jobs_unfinished'), [...owner, unfinished], others)
      : ofJobs('', owner, others);
  }
  const [firstTag] = tags;
  if (firstTag !== undefined) {
    return {
      index: 'job_tags AS tagged',
      join: ` ${dialect.join} jobs ON jobs.id = tagged.job_id`,
      createdAt: 'tagged.created_at',
      id: 'tagged.job_id',
      keys: [is('tagged.key_id', keyId), is('tagged.kind', kind), is('tagged.tag', firstTag)],
      others: [...tagged.slice(1), ...named, ...inStatus, ...found],
    };
  }
  if (name !== undefined) {
    return ofJobs(dialect.from('jobs_by_name'), [...owner, ...named], [...inStatus, ...found]);
  }
  return statuses?.length === 1
    ? ofJobs(dialect.from('jobs_by_status'), [...owner, ...inStatus], found)
    : ofJobs(dialect.from('jobs_by_owner'), owner, [...inStatus, ...found]);
}
