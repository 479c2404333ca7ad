/**
 * Writes of one turn of the event loop share one transaction.
 *
 * A commit costs several times what a row does: locks, a checksum, a write to the log, now and then
 * a checkpoint. Under load many jobs are written in every turn, and together they pay for it once.
 * A write is answered only after its commit, so what was answered survives the death of the process.
 * The alternative, a transaction left open across turns, would swallow whatever other code runs on
 * the same connection in between; here one opens and closes inside a single function call.
 */
import type { DatabaseSync } from 'node:sqlite';

interface PendingWrite {
  /** Does the work; returns what tells the caller about it once it is committed. */
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** The shared writer of a database. */
export class GroupCommit {
  static readonly #ofDatabase = new WeakMap<DatabaseSync, GroupCommit>();

  readonly #database: DatabaseSync;
  #pending: PendingWrite[] = [];

  /** The one writer of `database`: stores over one database share transactions. */
  static of(database: DatabaseSync): GroupCommit {
    let writer = GroupCommit.#ofDatabase.get(database);
    if (writer === undefined) {
      writer = new GroupCommit(database);
      GroupCommit.#ofDatabase.set(database, writer);
    }
    return writer;
  }

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Runs `work` before the next turn of the event loop; resolves with what it returned once that is
   * committed. Writes run in the order of the calls.
   *
   * @param work - Synchronous. If it throws, only its own statements that failed are undone, so it
   *   must check before it changes anything.
   * @throws what `work` threw; or the database's error, when the transaction as a whole failed.
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const attempt = () => {
        const value = work();
        return () => resolve(value);
      };
      this.#pending.push({ attempt, reject });
      if (this.#pending.length === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const batch = this.#pending;
    this.#pending = [];
    let answers: readonly (() => void)[];
    try {
      // IMMEDIATE: the write lock is taken before anything is read, so no statement finds it gone.
      this.#database.exec('BEGIN IMMEDIATE');
      answers = batch.map((write) => this.#attempt(write));
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
      for (const write of batch) write.reject(error);
      return;
    }
    for (const answer of answers) answer();
  }

  #attempt(write: PendingWrite): () => void {
    try {
      return write.attempt();
    } catch (error) {
      // Some errors (a full disk) end the transaction, and with it the writes before this one.
      if (!this.#database.isTransaction) throw error;
      return () => write.reject(error);
    }
  }
}
