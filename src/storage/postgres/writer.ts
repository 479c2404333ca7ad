/**
 * The one connection of a node over which it writes.
 *
 * Writes that come while a transaction is under way share the next one, so a busy node pays for a commit once in
 * many writes. A write is acknowledged when COMMIT was answered.
 *
 * Each transaction that writes leaves a mark: it writes its number into the row of its writer in the table `commits`.
 * If the connection is lost before COMMIT is answered, the writer reads the mark once the server can be reached again.
 * The transaction was committed exactly if the row has its number. So nothing is acknowledged that was not committed,
 * and nothing that was is written again. The server's own id of the transaction would not do: after a crash the server
 * may give the id of a transaction that was not committed to another one.
 */
import type pg from 'pg';
import { CannotOpenDatabaseError, StorageUnwritableError } from '../errors.ts';
import {
  drop,
  end,
  isDeadlock,
  isLost,
  isUnreachable,
  openWriter,
  type Query,
  type Rows,
  send,
} from './connection.ts';
import { migrate } from './migrations.ts';

/** Time that the server has to end earlier connections of this process before it is asked again. */
const END_MS = 3000;
const END_AGAIN_MS = 20;
/** A node that is silent for a lease is given up, so it connects again well within one. */
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;
/** Attempts at a transaction that waited for another node's, which waited for it. */
const MAX_ATTEMPTS = 5;
/** Time for each statement of a migration, which may write large tables anew or wait for another process's. */
const MIGRATION_MS = 3_600_000;
/** An idle connection is asked this often whether it lives. */
const BEAT_MS = 5000;

const MARK = {
  name: 'mark',
  text: 'UPDATE commits SET number = $2, made_at = clock_timestamp() WHERE writer = $1',
};
const FIRST_MARK = 'INSERT INTO commits (writer, number) VALUES ($1, 0) ON CONFLICT DO NOTHING';
/** The lock waits for a transaction that has written the mark and has not ended. */
const READ_MARK = 'SELECT number FROM commits WHERE writer = $1 FOR UPDATE';
const DROP_MARK = 'DELETE FROM commits WHERE writer = $1';
/** Marks of processes that ended without deleting them. A connected service writes its mark every few seconds. */
const PRUNE_MARKS = `DELETE FROM commits WHERE made_at < clock_timestamp() - interval '1 day' AND NOT EXISTS
  (SELECT FROM pg_stat_activity WHERE application_name = writer)`;
const END_EARLIER = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid()`;

const UNKNOWN = 'the connection was lost, and it is not known whether this was stored';

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
  readonly number: number;
  readonly writes: readonly PendingWrite[];
  readonly values: readonly unknown[];
}

/** Event of the connection, for the log. */
export type ConnectionEvent =
  | { readonly kind: 'lost'; readonly error: unknown }
  | { readonly kind: 'restored' };

/** Options of a PostgresWriter. */
export interface WriterOptions {
  readonly url: string;
  /** Name of this process among the connections of the server, different for each. */
  readonly name: string;
  /**
   * A service connects again when the connection is lost. A command does not: a write whose COMMIT was not answered
   * is refused.
   */
  readonly role: 'service' | 'command';
  /** Milliseconds after which a connection that has not answered a statement is given up. Default: 15 s. */
  readonly answerMs?: number;
  readonly onEvent?: (event: ConnectionEvent) => void;
}

/** Writes to the database. */
export class PostgresWriter {
  readonly #options: WriterOptions;
  #client: pg.Client | undefined;
  readonly #pending: PendingWrite[] = [];
  #uncertain: UncertainCommit | undefined;
  /** Number of the last transaction. */
  #number = 0;
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

  /** True once writes were taken. */
  get wasConnected(): boolean {
    return this.#wasReady;
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
   * @throws {StorageUnwritableError} if the database cannot be written now. Nothing of the work is stored, unless the
   *   message says that this is not known: a command whose connection is lost, or a service that stops meanwhile.
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

  /** Ends the connection after the writes that have begun. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#beat);
    await this.#connecting?.catch(() => {});
    this.#commitPending();
    await this.#committing;
    const client = this.#client;
    this.#client = undefined;
    this.#refusePending(new StorageUnwritableError('the service has stopped'));
    this.#refuseUncertain();
    if (client === undefined) return;
    await send(client, DROP_MARK, [this.#options.name]).catch(() => {});
    await end(client);
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#connectOnce().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connectOnce(): Promise<void> {
    const { url, name, answerMs } = this.#options;
    const client = await openWriter(url, name, answerMs);
    let settle: () => void;
    try {
      const query: Query = (statement, values) => send(client, statement, values);
      if (!this.#wasReady) await migrate(patient(query));
      await this.#endEarlier(query);
      settle = await this.#lookUpUncertain(query);
      await query(FIRST_MARK, [name]);
      if (!this.#wasReady) await query(PRUNE_MARKS);
    } catch (error) {
      drop(client);
      throw error;
    }
    const lost = (error?: unknown) =>
      this.#lose(client, error ?? new Error('the connection ended'));
    client.on('error', lost);
    client.on('end', lost);
    this.#client = client;
    this.#fault = undefined;
    this.#reported = undefined;
    if (this.#wasReady) this.#options.onEvent?.({ kind: 'restored' });
    this.#wasReady = true;
    settle();
  }

  /**
   * Ends earlier connections of this process, which the server may not have given up, and waits until they are gone:
   * none of them commits anything from then on.
   */
  async #endEarlier(query: Query): Promise<void> {
    for (const endMs = performance.now() + END_MS; ; ) {
      const { count } = await query(END_EARLIER, [this.#options.name]);
      if (count === 0) return;
      if (performance.now() > endMs) {
        throw new StorageUnwritableError('an earlier connection of this process does not end');
      }
      await new Promise((resolve) => setTimeout(resolve, END_AGAIN_MS));
    }
  }

  /**
   * Finds out whether the transaction was committed whose COMMIT was not answered.
   *
   * @returns Says so to its writers. Call it once the connection can be used, since they may write again at once.
   */
  async #lookUpUncertain(query: Query): Promise<() => void> {
    const uncertain = this.#uncertain;
    if (uncertain === undefined) return () => {};
    const { number, writes, values } = uncertain;
    const { rows } = await query(READ_MARK, [this.#options.name]);
    const [mark] = rows;
    // It is deleted after a day without a connection.
    if (mark === undefined) {
      this.#refuseUncertain();
      return () => {};
    }
    const isCommitted = Number(mark['number']) === number;
    return () => {
      this.#uncertain = undefined;
      writes.forEach(({ resolve, reject }, i) => {
        if (isCommitted) resolve(values[i]);
        else reject(new StorageUnwritableError('the connection was lost'));
      });
    };
  }

  #commitPending(): void {
    this.#committing ??= this.#commitAll().finally(() => {
      this.#committing = undefined;
      // A caller that was just answered may have written again. Others of this turn share the transaction.
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
  async #commit(client: pg.Client, writes: readonly PendingWrite[], attempt = 1): Promise<void> {
    this.#number += 1;
    const number = this.#number;
    let marking: Promise<Rows> | undefined;
    const mark = () => {
      const sending = send(client, MARK, [this.#options.name, number]);
      // It is looked at once the work is done.
      sending.catch(() => {});
      return sending;
    };
    // A transaction that only reads is neither marked nor uncertain, and the server need not write for it.
    const query: Query = (statement, values) => {
      const onlyReads = typeof statement !== 'string' && statement.onlyReads;
      if (!onlyReads) marking ??= mark();
      return send(client, statement, values);
    };
    let sent: UncertainCommit | undefined;
    try {
      // All of these are sent before the first is answered.
      const [begun, ...done] = await Promise.allSettled([
        send(client, 'BEGIN'),
        ...writes.map(({ work }) => work(query)),
      ]);
      const [marked] = await Promise.allSettled([marking]);
      const fault = [begun, marked, ...done].find((each) => each.status === 'rejected');
      if (fault !== undefined) {
        // Over a connection that is lost or silent, nothing would answer.
        if (isLost(fault.reason)) throw fault.reason;
        await send(client, 'ROLLBACK');
        if (isDeadlock(fault.reason) && attempt < MAX_ATTEMPTS) {
          await this.#commit(client, writes, attempt + 1);
          return;
        }
        const isTogether = writes.length > 1 && !isUnreachable(fault.reason);
        if (isTogether) for (const write of writes) await this.#commit(client, [write]);
        else this.#refuse(writes, fault.reason);
        return;
      }
      // Without a mark it would not be known later whether this was committed.
      if (marked.status === 'fulfilled' && marked.value?.count === 0) {
        throw new StorageUnwritableError('the mark of this process is gone');
      }
      // It may have been lost while the work did something else.
      if (this.#client !== client) throw new StorageUnwritableError('the connection was lost');
      const values = done.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
      if (marking !== undefined) sent = { number, writes, values };
      this.#uncertain = sent;
      const { command } = await send(client, 'COMMIT');
      // The answer is ROLLBACK if a statement failed and its error was not passed on.
      if (command !== 'COMMIT') throw new Error('a statement of the transaction failed');
      this.#uncertain = undefined;
      if (marking !== undefined) this.#fault = undefined;
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
    else this.#refuseUncertain();
  }

  /** Keeps the reason why nothing can be written; reports it once after the connection was lost. */
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
        this.#connectLater(Math.min(2 * delayMs, LONGEST_RETRY_MS));
      }
    }, delayMs);
  }

  #refuseUncertain(): void {
    for (const { reject } of this.#uncertain?.writes ?? []) {
      reject(new StorageUnwritableError(UNKNOWN));
    }
    this.#uncertain = undefined;
  }

  /** Finds a silent connection, and whether a database that could not be written can be again: the mark is written. */
  async #askWhetherAlive(): Promise<void> {
    if (this.#client === undefined || this.#committing !== undefined) return;
    await this.write((query) => query('SELECT 1')).catch(() => {});
  }
}

/** Sends statements that may take as long as migrations do. */
function patient(query: Query): Query {
  return (statement, values) => {
    const given = typeof statement === 'string' ? { text: statement } : statement;
    return query({ ...given, answerMs: MIGRATION_MS }, values);
  };
}

function unreachable({ cause }: StorageUnwritableError): CannotOpenDatabaseError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return new CannotOpenDatabaseError(
    `the server cannot be reached (${reason instanceof Error ? reason.message : reason})`,
    cause,
  );
}
