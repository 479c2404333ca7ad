/**
 * The one connection of a node over which it writes.
 *
 * Writes that come while a transaction is under way share the next one, so a busy node pays for a commit once in
 * many writes. A write is acknowledged when COMMIT was answered. If the connection is lost before that answer, the
 * transaction is looked up by its id once the server can be reached again: nothing is acknowledged that was not
 * committed, and nothing that was is written again.
 *
 * A service holds an advisory lock on this connection. Whoever writes therefore holds the lock: a node that lost
 * its connection has lost both. If another service had the lock meanwhile, this one stops writing for good.
 */
import type pg from 'pg';
import {
  CannotOpenDatabaseError,
  DatabaseInUseError,
  DatabaseTakenOverError,
  StorageUnwritableError,
} from '../errors.ts';
import { drop, end, isUnreachable, openWriter, type Query, send } from './connection.ts';
import { migrate } from './migrations.ts';

/** Key of the advisory lock of the service: "qcs" and a number. */
const SERVING = [0x716373, 2] as const;
/** Time for which a lock may outlast the process or connection that held it. */
const LOCK_MS = 3000;
const LOCK_AGAIN_MS = 100;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;
/** An idle connection is asked this often whether it lives. */
const BEAT_MS = 5000;

const TRANSACTION_ID = { name: 'xid', text: 'SELECT pg_current_xact_id()::text AS xid' };

/** Work in a transaction; it may run again if the transaction was not committed. */
export type Work<T> = (query: Query) => Promise<T>;

interface PendingWrite {
  readonly work: Work<unknown>;
  /** True if its error must undo nothing but its own work. */
  readonly isAlone: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Transaction whose COMMIT was sent and not answered. */
interface UncertainCommit {
  readonly xid: string;
  readonly writes: readonly PendingWrite[];
  readonly values: readonly unknown[];
}

/** What happens to the connection, for the log. */
export type ConnectionEvent =
  | { readonly kind: 'lost'; readonly error: unknown }
  | { readonly kind: 'restored' };

/** Options of a PostgresWriter. */
export interface WriterOptions {
  readonly url: string;
  /** Name of this process among the connections of the server, different for each. */
  readonly name: string;
  /** A service locks the database and keeps connecting; a command does neither. */
  readonly role: 'service' | 'command';
  readonly onEvent?: (event: ConnectionEvent) => void;
  /** Called with the channel and payload of a notification. */
  readonly onNotification?: (channel: string, payload: string) => void;
  /** Called when notifications come from now on; what was changed before was notified to nobody. */
  readonly onConnected?: () => void;
}

/** Writes to the database. */
export class PostgresWriter {
  readonly #options: WriterOptions;
  #client: pg.Client | undefined;
  readonly #pending: PendingWrite[] = [];
  #uncertain: UncertainCommit | undefined;
  #committing: Promise<void> | undefined;
  #fault: StorageUnwritableError | undefined;
  /** Message of the fault that was reported last; undefined while connected. */
  #reported: string | undefined;
  #wasReady = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #connecting: Promise<void> | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /**
   * Connects for the first time. A service whose server cannot be reached goes on trying in the background.
   *
   * @throws {CannotOpenDatabaseError} if the database cannot be used; in a command, also if the server cannot be
   *   reached.
   * @throws {DatabaseInUseError} if another service has locked it.
   */
  async open(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      if (!(error instanceof StorageUnwritableError)) throw error;
      if (this.#options.role === 'command') throw unreachable(error);
      this.#noteLost(error);
    }
    if (this.#options.role === 'service') {
      this.#beat = setInterval(() => void this.#askWhetherAlive(), BEAT_MS).unref();
    }
  }

  /** True while writes are taken. */
  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** Why the last write could not be stored, or none can be now; undefined while they are. */
  get fault(): StorageUnwritableError | undefined {
    return this.#fault;
  }

  /**
   * Runs `work` in a transaction and resolves with its result once that is committed.
   *
   * @param isAlone - For work that reads before it writes, and may throw after it wrote: it gets a transaction of
   *   its own.
   * @throws {StorageUnwritableError} if the database cannot be written now; nothing of the work is stored.
   * @throws the error of `work`; nothing of it is stored.
   */
  write<T>(work: Work<T>, isAlone = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#client === undefined) {
        reject(this.#fault ?? new StorageUnwritableError('the connection is closed'));
        return;
      }
      // The cast is safe: the value comes from `work`.
      const settle = resolve as (value: unknown) => void;
      this.#pending.push({ work, isAlone, resolve: settle, reject });
      if (this.#committing === undefined && this.#pending.length === 1) {
        setImmediate(() => this.#commitPending());
      }
    });
  }

  /** Ends the connection after the writes that have begun, and with it the lock. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#beat);
    await this.#connecting?.catch(() => {});
    this.#commitPending();
    await this.#committing;
    const client = this.#client;
    this.#client = undefined;
    const stopped = new StorageUnwritableError('the service has stopped');
    this.#refusePending(stopped);
    this.#refuseUncertain(stopped);
    if (client !== undefined) await end(client);
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#connectOnce().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connectOnce(): Promise<void> {
    const { url, name, role, onNotification } = this.#options;
    const client = await openWriter(url, name);
    try {
      const query: Query = (statement, values) => send(client, statement, values);
      if (role === 'service') await this.#lock(query);
      if (!this.#wasReady) await migrate(query);
      if (role === 'service') await this.#takeOver(query);
      await this.#resolveUncertain(query);
      client.on('notification', ({ channel, payload = '' }) => onNotification?.(channel, payload));
      if (role === 'service') await query('LISTEN qcs_keys');
    } catch (error) {
      drop(client);
      throw error;
    }
    const lost = (error?: unknown) =>
      this.#lose(client, error ?? new Error('the connection ended'));
    client.on('error', lost);
    client.on('end', lost);
    this.#options.onConnected?.();
    this.#client = client;
    this.#fault = undefined;
    this.#reported = undefined;
    if (this.#wasReady) this.#options.onEvent?.({ kind: 'restored' });
    this.#wasReady = true;
  }

  /** @throws {DatabaseInUseError} if another service holds the lock. */
  async #lock(query: Query): Promise<void> {
    for (const endMs = performance.now() + LOCK_MS; ; ) {
      const { rows } = await query('SELECT pg_try_advisory_lock($1, $2) AS taken', SERVING);
      if (rows[0]?.['taken']) return;
      // The server may not have noticed that an earlier connection of this process is lost.
      await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = $1 AND pid <> pg_backend_pid() AND datname = current_database()`,
        [this.#options.name],
      );
      if (performance.now() > endMs) throw new DatabaseInUseError();
      await new Promise((resolve) => setTimeout(resolve, LOCK_AGAIN_MS));
    }
  }

  /**
   * Records this process as the holder of the lock.
   *
   * @throws {DatabaseTakenOverError} if it was the holder, and another has been since.
   */
  async #takeOver(query: Query): Promise<void> {
    const { name } = this.#options;
    if (!this.#wasReady) {
      await query(
        `INSERT INTO service (id, holder) VALUES (1, $1)
          ON CONFLICT (id) DO UPDATE SET holder = excluded.holder`,
        [name],
      );
      return;
    }
    const { rows } = await query('SELECT holder FROM service');
    if (rows[0]?.['holder'] !== name) throw new DatabaseTakenOverError();
  }

  /** Finds out whether the transaction was committed whose COMMIT was not answered, and says so to its writers. */
  async #resolveUncertain(query: Query): Promise<void> {
    const uncertain = this.#uncertain;
    if (uncertain === undefined) return;
    const { xid, writes, values } = uncertain;
    const isCommitted = await this.#isCommitted(query, xid);
    this.#uncertain = undefined;
    writes.forEach(({ resolve, reject }, i) => {
      if (isCommitted) resolve(values[i]);
      else reject(new StorageUnwritableError('the connection was lost'));
    });
  }

  async #isCommitted(query: Query, xid: string): Promise<boolean> {
    for (;;) {
      const { rows } = await query('SELECT pg_xact_status($1::text::xid8) AS status', [xid]);
      const status = rows[0]?.['status'];
      if (status !== 'in progress') return status === 'committed';
      await new Promise((resolve) => setTimeout(resolve, LOCK_AGAIN_MS));
    }
  }

  #commitPending(): void {
    this.#committing ??= this.#commitAll().finally(() => {
      this.#committing = undefined;
      // Whoever was just answered may have written again. Others of this turn share the transaction.
      if (this.#pending.length > 0) setImmediate(() => this.#commitPending());
    });
  }

  async #commitAll(): Promise<void> {
    while (this.#client !== undefined && this.#pending.length > 0) {
      const alone = this.#pending.findIndex(({ isAlone }) => isAlone);
      const numShared = alone < 0 ? this.#pending.length : alone;
      await this.#commit(this.#client, this.#pending.splice(0, Math.max(1, numShared)));
    }
  }

  /** Commits writes in one transaction; if one of them fails, each in its own. */
  async #commit(client: pg.Client, writes: readonly PendingWrite[]): Promise<void> {
    const query: Query = (statement, values) => send(client, statement, values);
    let sent: UncertainCommit | undefined;
    try {
      // All of these are sent before the first is answered.
      const [begun, started, ...done] = await Promise.allSettled([
        query('BEGIN'),
        query(TRANSACTION_ID),
        ...writes.map(({ work }) => work(query)),
      ]);
      const fault = [begun, started, ...done].find((each) => each.status === 'rejected');
      if (fault !== undefined) {
        await query('ROLLBACK');
        const isTogether = writes.length > 1 && !isUnreachable(fault.reason);
        if (isTogether) for (const write of writes) await this.#commit(client, [write]);
        else this.#refuse(writes, fault.reason);
        return;
      }
      const values = done.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
      const xid = started.status === 'fulfilled' ? String(started.value.rows[0]?.['xid']) : '';
      sent = { xid, writes, values };
      this.#uncertain = sent;
      await query('COMMIT');
      this.#uncertain = undefined;
      this.#fault = undefined;
      writes.forEach(({ resolve }, i) => {
        resolve(values[i]);
      });
    } catch (error) {
      // A transaction whose COMMIT was sent may be committed; others are not.
      if (sent === undefined || !isUnreachable(error)) {
        if (sent !== undefined) this.#uncertain = undefined;
        this.#refuse(writes, error);
      }
      // Nothing more is sent over a connection whose transaction is in an unknown state.
      this.#lose(client, error);
    }
  }

  #refuse(writes: readonly PendingWrite[], error: unknown): void {
    if (error instanceof StorageUnwritableError) this.#fault = error;
    for (const { reject } of writes) reject(error);
  }

  #refusePending(error: unknown): void {
    this.#refuse(this.#pending.splice(0), error);
  }

  /** Gives the connection up, and connects again. */
  #lose(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    drop(client);
    this.#noteLost(error);
  }

  #noteLost(error: unknown): void {
    this.#noteFault(error);
    this.#refusePending(this.#fault);
    if (this.#options.role === 'service') this.#connectLater(FIRST_RETRY_MS);
  }

  /** Keeps the reason why nothing can be written, and reports it unless it was reported since the connection was lost. */
  #noteFault(error: unknown): void {
    this.#fault =
      error instanceof StorageUnwritableError ? error : new StorageUnwritableError(error);
    if (this.#isClosed || this.#fault.message === this.#reported) return;
    this.#reported = this.#fault.message;
    this.#options.onEvent?.({ kind: 'lost', error });
  }

  #connectLater(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(async () => {
      try {
        await this.#connect();
      } catch (error) {
        this.#noteFault(error);
        if (error instanceof DatabaseTakenOverError) this.#refuseUncertain(this.#fault);
        else this.#connectLater(Math.min(2 * delayMs, LONGEST_RETRY_MS));
      }
    }, delayMs);
  }

  #refuseUncertain(error: unknown): void {
    for (const { reject } of this.#uncertain?.writes ?? []) reject(error);
    this.#uncertain = undefined;
  }

  /** Finds a silent connection, and whether a database that could not be written can be again. */
  async #askWhetherAlive(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.#committing !== undefined) return;
    const text = this.#fault === undefined ? 'SELECT 1' : 'UPDATE service SET holder = holder';
    await this.write((query) => query(text)).catch(() => {});
  }
}

function unreachable({ cause }: StorageUnwritableError): CannotOpenDatabaseError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return new CannotOpenDatabaseError(
    `the server cannot be reached (${reason instanceof Error ? reason.message : reason})`,
    cause,
  );
}
