/**
 * Copies the tables of an embedded database into an empty one in PostgreSQL, in one transaction.
 *
 * Rows are read one after another and sent in groups of a few megabytes, so neither database has to fit into memory.
 * Before the commit all rows are read back, and their number and checksum must be those of the source. PostgreSQL
 * itself hashes the columns that may be large, so they do not travel a second time.
 */
import { createHash } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { JobDamagedError } from '../jobs/errors.ts';
import { jobOfRow } from '../jobs/job-row.ts';
import type { OnDamaged, StoredRow } from '../storage/damaged-records.ts';
import { CopyDiffersError, TargetInUseError } from '../storage/errors.ts';
import type { Query } from '../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { storable } from '../storage/postgres/storable.ts';

type ColumnType = 'text' | 'bigint' | 'float8' | 'bytea';

interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** True for columns that PostgreSQL hashes. */
  readonly isLarge: boolean;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Between the columns and the rows of an INSERT. */
  readonly overriding?: string;
  /** Rows of the source, with these columns. */
  readonly rows: (source: DatabaseSync, events: JobEvents) => Iterable<StoredRow>;
}

/** Callbacks for jobs whose rows are not copied unchanged. */
interface JobEvents {
  readonly onDamaged: OnDamaged;
  readonly onRequeued: () => void;
}

/** Numbers of copied rows. */
export interface CopyReport {
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Jobs that were running and are queued now. */
  readonly requeued: number;
  /** Damaged jobs that were left out. */
  readonly leftOut: number;
}

/** Number and checksum of rows, whatever their order. */
interface Summary {
  count: number;
  readonly checksum: Buffer;
}

/** Bytes and rows that are sent at once, about. */
const GROUP_BYTES = 4 * 2 ** 20;
const GROUP_ROWS = 500;
/** Rows that are read back at once; their large columns are hashes. */
const PAGE_ROWS = 1000;
const HASH_BYTES = 32;

/** Parts of a job in SQLite's `job_contents`, as bits of `jobs.contents`. */
const HAS_REQUEST = 1n;
const HAS_RESULT = 2n;

/** The jobs by age, since PostgreSQL numbers them in the order in which they come. */
const JOB_IDS = 'SELECT rowid FROM jobs ORDER BY created_at, id';
const JOB = `SELECT jobs.*, job_contents.request AS large_request, job_contents.result AS large_result
  FROM jobs LEFT JOIN job_contents ON job_contents.job_id = jobs.id WHERE jobs.rowid = ?`;

/** PostgreSQL refuses a row that refers to no job. SQLite does not, and nothing would read it. */
const HAS_JOB = 'job_id IN (SELECT id FROM jobs)';

/** The tables of a service. Columns that the source lacks have their defaults. */
const TABLES: readonly Table[] = [
  {
    name: 'api_keys',
    columns: columns(
      'id name secret_hash tier scopes created_at:bigint expires_at:bigint revoked_at:bigint old_secret_hash old_secret_until:bigint',
    ),
    rows: rowsOf('api_keys'),
  },
  {
    name: 'jobs',
    columns: columns(
      `id kind key_id status priority target request* large_request:bytea* result* large_result:bytea* error_code
      error_message created_at:bigint started_at:bigint finished_at:bigint attempts:bigint suspicion:float8 retry_of
      name tags`,
    ),
    rows: readJobs,
  },
  {
    name: 'job_tags',
    columns: columns('key_id kind tag created_at:bigint job_id'),
    rows: rowsOf('job_tags', HAS_JOB),
  },
  {
    name: 'job_parts',
    columns: columns('job_id key_id series:bigint start:bigint end:bigint data:bytea*'),
    rows: rowsOf('job_parts', HAS_JOB),
  },
  {
    name: 'idempotency',
    columns: columns(
      'key_id idempotency_key body_hash job_id claimed_by response* created_at:bigint',
    ),
    rows: rowsOf('idempotency'),
  },
  {
    name: 'maintenance',
    columns: columns('kind id reason since:bigint'),
    rows: rowsOf('maintenance'),
  },
  {
    name: 'audit',
    columns: columns('id:bigint at:bigint actor action subject details'),
    overriding: 'OVERRIDING SYSTEM VALUE',
    rows: rowsOf('audit'),
  },
  {
    name: 'ionq_sessions',
    columns: columns(
      'id key_id backend settings created_at:bigint started_at:bigint ends_at:bigint jobs_left:bigint',
    ),
    rows: rowsOf('ionq_sessions'),
  },
];

/**
 * Copies everything, or nothing.
 *
 * @param onDamaged - Called with each damaged job. It is left out, with its tags and parts.
 * @throws {TargetInUseError} if the target has any rows.
 * @throws {CopyDiffersError} if PostgreSQL has stored other rows than were sent.
 * @throws {StorageUnwritableError} if the target cannot be written now.
 */
export function copyToPostgres(
  source: DatabaseSync,
  target: Pick<PostgresDatabase, 'writer'>,
  onDamaged: OnDamaged,
): Promise<CopyReport> {
  return target.writer.write(async (query) => {
    // Reading a group from a slow disk may take longer than the server lets a transaction be idle.
    await query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const names = TABLES.map(({ name }) => name);
    await query(`LOCK TABLE ${names.join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
    for (const name of names) {
      const { count } = await query(`SELECT 1 FROM ${name} LIMIT 1`);
      if (count > 0) throw new TargetInUseError(name);
    }
    source.exec('BEGIN');
    try {
      return await copyTables(source, query, onDamaged);
    } finally {
      source.exec('ROLLBACK');
    }
  }, true);
}

async function copyTables(
  source: DatabaseSync,
  query: Query,
  onDamaged: OnDamaged,
): Promise<CopyReport> {
  const leftOut = new Set<string>();
  let requeued = 0;
  const events: JobEvents = {
    onDamaged(record) {
      leftOut.add(record.id);
      onDamaged(record);
    },
    onRequeued() {
      requeued += 1;
    },
  };
  const sent = new Map<Table, Summary>();
  for (const table of TABLES) {
    const rows = table.rows(source, events);
    sent.set(table, await sendTable(table, without(rows, leftOut), query));
  }
  await query(`SELECT setval(pg_get_serial_sequence('audit', 'id'), max(id)) FROM audit
    HAVING max(id) IS NOT NULL`);
  for (const [table, { count, checksum }] of sent) {
    const stored = await readBack(table, query);
    if (stored.count !== count || !stored.checksum.equals(checksum)) {
      throw new CopyDiffersError(table.name, count, stored.count);
    }
  }
  return {
    rows: Object.fromEntries([...sent].map(([{ name }, { count }]) => [name, count])),
    requeued,
    leftOut: leftOut.size,
  };
}

/** Reads the jobs in the form that PostgreSQL stores. Running jobs become queued. */
function* readJobs(
  source: DatabaseSync,
  { onDamaged, onRequeued }: JobEvents,
): Iterable<StoredRow> {
  const select = source.prepare(JOB);
  select.setReadBigInts(true);
  for (const { rowid } of source.prepare(JOB_IDS).iterate()) {
    const row = select.get(rowid ?? null) ?? {};
    const what = damageOf(row);
    if (what !== undefined) onDamaged({ table: 'jobs', id: String(row['id']), what });
    else if (row['status'] !== 'running') yield row;
    else {
      onRequeued();
      yield { ...row, status: 'queued', started_at: null };
    }
  }
}

function damageOf(row: StoredRow): string | undefined {
  try {
    jobOfRow(row);
  } catch (error) {
    if (error instanceof JobDamagedError) return error.what;
    throw error;
  }
  const has = (bit: bigint) => (BigInt(Number(row['contents'])) & bit) !== 0n;
  if (has(HAS_REQUEST) && row['large_request'] === null) return 'its request is missing';
  if (has(HAS_RESULT) && row['large_result'] === null) return 'its result is missing';
  return undefined;
}

function rowsOf(name: string, condition = 'true'): Table['rows'] {
  return (source) => {
    const select = source.prepare(`SELECT * FROM ${name} WHERE ${condition}`);
    select.setReadBigInts(true);
    return select.iterate();
  };
}

/** The rows that do not belong to any of these jobs. */
function* without(rows: Iterable<StoredRow>, jobs: ReadonlySet<string>): Iterable<StoredRow> {
  for (const row of rows) if (!jobs.has(String(row['job_id']))) yield row;
}

/** Sends the rows of a table, a group at a time. */
async function sendTable(table: Table, rows: Iterable<StoredRow>, query: Query): Promise<Summary> {
  const summary = newSummary();
  const { columns: all, overriding = '' } = table;
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  const arrays = all.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ');
  const insert = `INSERT INTO ${table.name} (${names}) ${overriding} SELECT * FROM unnest(${arrays})`;
  let group: (readonly SQLOutputValue[])[] = [];
  let numBytes = 0;
  const flush = async () => {
    await query(
      insert,
      all.map((_, column) => group.map((values) => sendable(values[column]))),
    );
    group = [];
    numBytes = 0;
  };
  for (const row of rows) {
    const values = all.map(({ name }) => storedValue(row[name]));
    add(
      summary,
      values.map((value, i) => (all[i]?.isLarge ? hashOf(value) : value)),
    );
    group.push(values);
    numBytes += values.reduce<number>((sum, value) => sum + lengthOf(value), 0);
    if (group.length >= GROUP_ROWS || numBytes >= GROUP_BYTES) await flush();
  }
  if (group.length > 0) await flush();
  return summary;
}

/** Reads the rows of the target. */
async function readBack({ name, columns: all }: Table, query: Query): Promise<Summary> {
  const summary = newSummary();
  const selected = all.map(({ name: column, type, isLarge }) => {
    if (!isLarge) return `"${column}"`;
    const bytes = type === 'text' ? `convert_to("${column}", 'UTF8')` : `"${column}"`;
    return `sha256(${bytes}) AS "${column}"`;
  });
  await query(`DECLARE stored NO SCROLL CURSOR FOR SELECT ${selected.join(', ')} FROM ${name}`);
  for (;;) {
    const { rows } = await query(`FETCH ${PAGE_ROWS} FROM stored`);
    for (const row of rows)
      add(
        summary,
        all.map((column) => row[column.name]),
      );
    if (rows.length < PAGE_ROWS) break;
  }
  await query('CLOSE stored');
  return summary;
}

function newSummary(): Summary {
  return { count: 0, checksum: Buffer.alloc(HASH_BYTES) };
}

/** Adds a row. No two rows of a table are the same, so their hashes do not cancel out. */
function add(summary: Summary, values: readonly (SQLOutputValue | undefined)[]): void {
  const hash = createHash('sha256');
  for (const value of values) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value ?? ''));
    const kind = value === null || value === undefined ? 'null' : 'value';
    hash.update(`${kind} ${bytes.length} `).update(bytes);
  }
  hash.digest().forEach((byte, i) => {
    summary.checksum[i] = (summary.checksum[i] ?? 0) ^ byte;
  });
  summary.count += 1;
}

function hashOf(value: SQLOutputValue): SQLOutputValue {
  if (value === null) return null;
  return createHash('sha256')
    .update(value instanceof Uint8Array ? value : String(value))
    .digest();
}

/** A value as PostgreSQL stores it. */
function storedValue(value: SQLOutputValue | undefined): SQLOutputValue {
  return typeof value === 'string' ? storable(value) : (value ?? null);
}

/** A value as the driver takes it: of bytes only a Buffer. */
function sendable(value: SQLOutputValue | undefined): unknown {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.length)
    : value;
}

function lengthOf(value: SQLOutputValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}

/** Columns by name, each `name:type`; a text without a type, and with `*` if it may be large. */
function columns(text: string): readonly Column[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [name = '', type = 'text'] = word.replace('*', '').split(':');
      // The cast is safe: the words are those above.
      return { name, type: type as ColumnType, isLarge: word.endsWith('*') };
    });
}
