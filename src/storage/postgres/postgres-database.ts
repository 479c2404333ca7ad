/**
 * A database in PostgreSQL: one connection that writes (`writer.ts`) and a few that read.
 *
 * While the server cannot be reached, reads and writes fail with `StorageUnwritableError`, and a service goes on
 * trying to connect.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { StoredRow } from '../damaged-records.ts';
import { end, openReaders, type Statement, send } from './connection.ts';
import { PostgresWriter, type WriterOptions } from './writer.ts';

/** Options of a PostgresDatabase. */
type DatabaseOptions = Pick<WriterOptions, 'url' | 'role' | 'answerMs' | 'onEvent'>;

export class PostgresDatabase {
  /** Name of this process among the connections of the server, different for each process. */
  readonly name: string;
  readonly url: string;
  readonly writer: PostgresWriter;
  readonly #readers: pg.Pool;
  readonly #listeners = new Map<string, (payload: string) => void>();
  readonly #onConnected: (() => void)[] = [];
  #closing: Promise<void> | undefined;

  constructor({ url, role, answerMs, onEvent }: DatabaseOptions) {
    const name = `qcs ${role} ${randomUUID()}`;
    this.name = name;
    this.url = url;
    this.#readers = openReaders(url, `${name} reads`, answerMs);
    this.writer = new PostgresWriter({
      url,
      name,
      role,
      ...(answerMs !== undefined && { answerMs }),
      ...(onEvent && { onEvent }),
      onNotification: (channel, payload) => this.#listeners.get(channel)?.(payload),
      onConnected: () => {
        for (const connected of this.#onConnected) connected();
      },
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
   * Reads what is committed.
   *
   * @throws {StorageUnwritableError} if the server cannot be reached now.
   */
  async read(statement: Statement, values?: readonly unknown[]): Promise<readonly StoredRow[]> {
    const { rows } = await send(this.#readers, statement, values);
    return rows;
  }

  /** Calls the listener with each notification of a channel, while the writer is connected. */
  listen(channel: string, listener: (payload: string) => void): void {
    this.#listeners.set(channel, listener);
  }

  /** Calls the listener whenever the writer has connected again. */
  onConnected(listener: () => void): void {
    this.#onConnected.push(listener);
  }

  /** Closes the connections, after the writes that have begun. */
  close(): Promise<void> {
    this.#closing ??= this.writer.close().then(() => end(this.#readers));
    return this.#closing;
  }
}
