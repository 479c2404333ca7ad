/** Connections to PostgreSQL: their settings, the types of their values, the meaning of their errors. */
import pg from 'pg';
import { CodedError } from '../../errors/coded-error.ts';
import type { StoredRow } from '../damaged-records.ts';
import { CannotOpenDatabaseError, StorageUnwritableError } from '../errors.ts';

/** A statement. One with a name is parsed and planned once a connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** True if it changes nothing, whatever its values. A transaction of such statements alone leaves no trace. */
  readonly onlyReads?: true;
  /** Milliseconds for its answer, in place of those of its connection. */
  readonly answerMs?: number;
}

/** Rows that a statement returned, and the number that it returned or changed. */
export interface Rows {
  /** Command that the server completed: `UPDATE`. */
  readonly command: string;
  readonly rows: readonly StoredRow[];
  readonly count: number;
}

/**
 * Sends a statement. Statements of one connection run in the order of the calls; a call need not wait for the
 * one before.
 */
export type Query = (statement: Statement | string, values?: readonly unknown[]) => Promise<Rows>;

/** Time for opening a connection. It is well below a lease, within which a node should be back. */
const CONNECT_MS = 2000;
/** Time for the answer to one statement. */
const ANSWER_MS = 15_000;
const KEEP_ALIVE_MS = 5000;
/** Time that a server has to hear that a connection ends. */
const END_MS = 1000;
/** Connections that read. A node has one more, which writes. */
const MAX_READERS = 4;
/** The oldest version that the statements are written for. */
const MIN_VERSION = 130_000;

/** OID of `bigint`, which is read as in SQLite. */
const INT8 = 20;

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary' ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * Settings of all connections. Rows are found by their keys: a plan that was made while a table was small must not
 * read the whole of it later. Plans that avoid that at any cost look so costly to the server that it would compile each
 * of them for a tenth of a second, unless that is switched off. Bitmaps are not used: reading through one leaves the
 * entries of rows that are gone in an index, and the next reading meets them again.
 */
const SETTINGS = `
  SET jit = off;
  SET enable_seqscan = off;
  SET enable_bitmapscan = off`;

/**
 * Settings of a connection that writes. A commit is answered once it is on disk. A transaction whose node has
 * stopped is rolled back about when its lease ends, so that other nodes do not wait for its locks. A statement is
 * planned once, because planning a small one takes longer than running it.
 */
const WRITER_SETTINGS = `${SETTINGS};
  SET synchronous_commit = on;
  SET idle_in_transaction_session_timeout = '5s';
  SET plan_cache_mode = force_generic_plan;
  SET enable_hashjoin = off;
  SET enable_mergejoin = off`;

/**
 * Opens a connection that writes. Its statements are sent without waiting for the answers of earlier ones.
 *
 * @param name - Shown by the server; finds connections of this process that the server has not given up.
 * @param answerMs - Milliseconds for the answer to one statement. A connection that is silent for longer is given up.
 * @throws {StorageUnwritableError} if the server cannot be reached now.
 * @throws {CannotOpenDatabaseError} if the database cannot be used.
 */
export async function openWriter(
  url: string,
  name: string,
  answerMs = ANSWER_MS,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: TYPES,
  });
  // Until the caller listens itself. Errors of queries reach their callers in any case.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(WRITER_SETTINGS);
    const { rows } = await client.query(`SELECT current_setting('server_encoding') AS encoding,
      current_setting('server_version_num')::int AS version`);
    const { encoding, version } = rows[0] ?? {};
    if (encoding !== 'UTF8')
      throw new CannotOpenDatabaseError(`its encoding is ${encoding}, not UTF8`);
    if (version < MIN_VERSION) {
      throw new CannotOpenDatabaseError('PostgreSQL 13 or newer is needed');
    }
    // From here on statements may be sent ahead.
    Object.assign(client, { pipeline: true });
    return client;
  } catch (error) {
    drop(client);
    throw isUnreachable(error) ? unwritable(error) : cannotOpen(error);
  }
}

/** Ends a connection at once. The driver's own way to end it waits for a server that may be silent. */
export function drop(client: pg.Client): void {
  client.end().catch(() => {});
  client.connection.stream.destroy();
}

/** Ends connections in order, or at once if the server is silent. */
export async function end(connection: pg.Client | pg.Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_MS);
  });
  await Promise.race([connection.end().catch(() => {}), silence]);
  clearTimeout(timer);
  if (connection instanceof pg.Client) connection.connection.stream.destroy();
}

/** Opens the connections that read, each when it is needed. */
export function openReaders(url: string, name: string, answerMs = ANSWER_MS): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: MAX_READERS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: answerMs,
    keepAlive: true,
    types: TYPES,
    onConnect: (client) => client.query(SETTINGS),
  });
  // The next read opens another connection.
  pool.on('error', () => {});
  return pool;
}

/** Sends a statement over a connection. Errors of a server that cannot be used now are `StorageUnwritableError`. */
export async function send(
  to: pg.Client | pg.Pool,
  statement: Statement | string,
  values: readonly unknown[] = [],
): Promise<Rows> {
  const { answerMs, ...given }: Statement =
    typeof statement === 'string' ? { text: statement } : statement;
  // The driver knows this setting of a statement, but its types do not.
  const config = { ...given, values: [...values], query_timeout: answerMs };
  try {
    const { command, rows, rowCount } = await to.query(config);
    return { command, rows, count: rowCount ?? 0 };
  } catch (error) {
    throw isUnreachable(error) ? unwritable(error) : error;
  }
}

/**
 * Classes of SQLSTATE of a server that cannot serve now: connection, resources (a full disk, too many
 * connections), an operator's intervention (a shutdown), the system; and the code of a read-only server.
 */
const PASSING = /^(?:08|53|57|58|25006)/;

/** Messages of the driver about a connection that is lost, silent or closed. */
const LOST =
  /^(?:Connection terminated|Query read timeout|timeout (?:expired|exceeded)|Client (?:was closed|has encountered a connection error)|Cannot use a pool after)/;

/** True for errors of a server that cannot be reached, or that cannot serve now. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof StorageUnwritableError) return true;
  if (error instanceof pg.DatabaseError) return PASSING.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const isOfSystem = 'code' in error && /^E[A-Z_]+$/.test(String(error.code));
  return isOfSystem || LOST.test(error.message);
}

/** Codes of a transaction that was ended because it and another one waited for each other. It may be tried again. */
const DEADLOCKS: readonly unknown[] = ['40P01', '40001'];

/** True for errors of a transaction that another one kept from going on. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && DEADLOCKS.includes(error.code);
}

/** True for errors of `send` after which its connection answers no more: it is lost, closed or silent. */
export function isLost(error: unknown): boolean {
  return (
    error instanceof StorageUnwritableError &&
    error.cause instanceof Error &&
    !(error.cause.cause instanceof pg.DatabaseError)
  );
}

/** The answer to callers, without addresses of the server, which the log has. */
function unwritable(error: unknown): StorageUnwritableError {
  if (error instanceof StorageUnwritableError) return error;
  const why =
    error instanceof pg.DatabaseError
      ? `PostgreSQL: ${error.message}`
      : 'PostgreSQL cannot be reached';
  return new StorageUnwritableError(new Error(why, { cause: error }));
}

function cannotOpen(error: unknown): unknown {
  return error instanceof Error && !(error instanceof CodedError)
    ? new CannotOpenDatabaseError(error.message, error)
    : error;
}
