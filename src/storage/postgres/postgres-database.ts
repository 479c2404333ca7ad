/**
 * A database in PostgreSQL: one connection that writes (`writer.ts`) and a few that read.
 *
 * While the server cannot be reached, reads and writes fail with `StorageUnwritableError`, and a service goes on
 * trying to connect.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { StoredRow } from '../damaged-records.ts';
import { StorageUnwritableError } from '../errors.ts';
import { end, openReaders, type Statement, send } from './connection.ts';
import { PostgresWriter, type WriterOptions } from './writer.ts';

/** Options of a PostgresDatabase. */
interface DatabaseOptions extends Pick<WriterOptions, 'url' | 'role' | 'answerMs' | 'onEvent'> {
  /** Milliseconds for the answer to one statement that writes, if others than `answerMs`. */
  readonly writeAnswerMs?: number;
}

export class PostgresDatabase {
  /** Name of this process among the connections of the server, different for each process. */
  readonly name: string;
  readonly url: string;
  readonly writer: PostgresWriter;
  readonly #readers: pg.Pool;
  readonly #listeners = new Map<string, (payload: string) => void>();
  readonly #onHeard: (() => void)[] = [];
  #isHeard = false;
  #closing: Promise<void> | undefined;

  constructor({ url, role, answerMs, writeAnswerMs = answerMs, onEvent }: DatabaseOptions) {
    const name = `qcs ${role} ${randomUUID()}`;
    this.name = name;
    this.url = url;
    this.#readers = openReaders(url, `${name} reads`, answerMs);
    this.writer = new PostgresWriter({
      url,
      name,
      role,
      ...(writeAnswerMs !== undefined && { answerMs: writeAnswerMs }),
      ...(onEvent && { onEvent }),
    });
  }

  /**
   * Opens the database; see PostgresWriter.open.
   *
   * @throws as PostgresWriter.open.
   */
  static async open(options: DatabaseOptions): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(options);
    try {
      await database.writer.open();
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /**
   * Reads committed data.
   *
   * @throws {StorageUnwritableError} if the server cannot be reached now.
   */
  async read(statement: Statement, values?: readonly unknown[]): Promise<readonly StoredRow[]> {
    // Before the first connection of the writer, there may be no tables.
    if (!this.writer.wasConnected) {
      throw this.writer.fault ?? new StorageUnwritableError('it was never connected');
    }
    const { rows } = await send(this.#readers, statement, values);
    return rows;
  }

  /**
   * Calls the listener with each notification of a channel, while these come (`isHeard`). A connection that writes
   * listens to none: the server would wake it for each message between nodes.
   *
   * @param onHeard - Called when notifications come from now on; nobody was notified of earlier changes.
   */
  listen(channel: string, listener: (payload: string) => void, onHeard: () => void): void {
    this.#listeners.set(channel, listener);
    this.#onHeard.push(onHeard);
  }

  /** True while notifications come. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Channels with listeners. */
  get channels(): readonly string[] {
    return [...this.#listeners.keys()];
  }

  /** Passes a notification on to the listener of its channel. */
  notify(channel: string, payload: string): void {
    this.#listeners.get(channel)?.(payload);
  }

  /** Takes note that notifications of all channels come from now on, or do not. */
  noteHeard(isHeard: boolean): void {
    this.#isHeard = isHeard;
    if (isHeard) for (const heard of this.#onHeard) heard();
  }

  /** Closes the connections, after the writes that have begun. */
  close(): Promise<void> {
    this.#closing ??= this.writer.close().then(() => end(this.#readers));
    return this.#closing;
  }
}
