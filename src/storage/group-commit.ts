/**
 * Writes of one turn of the event loop share one transaction.
 *
 * A commit costs several times what a row does: locks, a checksum, a write to the log, now and then
 * a checkpoint. Under load many jobs are written in every turn, and together they pay for it once.
 * A write is answered only after its commit, so what was answered survives the death of the process.
 * The alternative, a transaction left open across turns, would swallow whatever other code runs on
 * the same connection in between; here one opens and closes inside a single function call.
 *
 * Where a power cut is to be survived, the log is flushed to the disk after the commit and before the
 * answer. SQLite itself would do so inside COMMIT, on the event loop, for as long as the disk takes; here it
 * happens in a thread of Node's pool. Meanwhile nothing else is committed, so that a power cut leaves at
 * most one transaction torn in the log; what comes meanwhile shares the next commit.
 */
import { open } from 'node:fs/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageUnwritableError } from './errors.ts';
import { checkpointLog, declareWhole } from './write-ahead-log.ts';

/** `PRAGMA synchronous` from which on commits survive a power cut. */
const FULL = 2;
/** Pages added to the log after which it is copied into the database file: 4 MiB, SQLite's own default. */
const CHECKPOINT_PAGES = 1000;

interface PendingWrite {
  /** Does the work; returns what tells the caller about it once it is committed. */
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** A write that is committed, but perhaps not on the disk. */
interface CommittedWrite {
  readonly answer: () => void;
  readonly reject: (error: unknown) => void;
}

/** The shared writer of a database. */
export class GroupCommit {
  static readonly #ofDatabase = new WeakMap<DatabaseSync, GroupCommit>();

  readonly #database: DatabaseSync;
  readonly #selectLog: StatementSync;
  /** Of the log, where a power cut is to be survived; else nothing is flushed. */
  readonly #logPath: string | undefined;
  #pending: PendingWrite[] = [];
  #isFlushing = false;
  /** Pages in the log at which it is copied next. */
  #checkpointAt = CHECKPOINT_PAGES;
  #isCheckpointed = true;
  #fault: StorageUnwritableError | undefined;

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
    this.#selectLog = database.prepare('PRAGMA wal_checkpoint(NOOP)');
    const isFull = Number(database.prepare('PRAGMA synchronous').get()?.['synchronous']) >= FULL;
    const path = database.location();
    this.#logPath = isFull && path !== null ? `${path}-wal` : undefined;
  }

  /**
   * Runs `work` before the next turn of the event loop; resolves with what it returned once that is
   * committed. Writes run in the order of the calls.
   *
   * @param work - Synchronous. If it throws, only its own statements that failed are undone, so it
   *   must check before it changes anything.
   * @throws {StorageUnwritableError} if the database cannot be written now.
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

  /** Why the last write could not be stored; undefined if it was, or was refused for its own sake. */
  get fault(): StorageUnwritableError | undefined {
    return this.#fault;
  }

  /** Writes something small, which shows whether the database can be written; see `fault`. */
  async probe(): Promise<void> {
    await this.write(() => declareWhole(this.#database)).catch(() => {});
  }

  #commit(): void {
    // Its end commits what waits.
    if (this.#isFlushing) return;
    const batch = this.#pending;
    this.#pending = [];
    let committed: readonly CommittedWrite[];
    const flushesItself = this.#logPath !== undefined;
    try {
      // Others who write over this connection, past the shared writer, still have SQLite flush the log.
      if (flushesItself) this.#database.exec('PRAGMA synchronous = NORMAL');
      // IMMEDIATE: the write lock is taken before anything is read, so no statement finds it gone.
      this.#database.exec('BEGIN IMMEDIATE');
      if (!this.#isCheckpointed) declareWhole(this.#database);
      committed = batch.map((write) => ({
        answer: this.#attempt(write),
        reject: write.reject,
      }));
      this.#database.exec('COMMIT');
      if (!flushesItself) this.#fault = undefined;
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
      const reason = this.#noteFault(error);
      for (const write of batch) write.reject(reason);
      return;
    } finally {
      if (flushesItself && this.#database.isOpen) this.#database.exec('PRAGMA synchronous = FULL');
    }
    this.#isCheckpointed = true;
    if (this.#logPath === undefined) for (const { answer } of committed) answer();
    else void this.#flush(this.#logPath, committed);
    this.#checkpointIfDue();
  }

  /** Answers what was committed once the log is on the disk. */
  async #flush(logPath: string, committed: readonly CommittedWrite[]): Promise<void> {
    this.#isFlushing = true;
    try {
      await flushFile(logPath);
      this.#fault = undefined;
      for (const { answer } of committed) answer();
    } catch (error) {
      this.#fault = new StorageUnwritableError(error);
      for (const { reject } of committed) reject(this.#fault);
    }
    this.#isFlushing = false;
    if (this.#pending.length > 0) this.#commit();
  }

  #noteFault(error: unknown): unknown {
    const reason = StorageUnwritableError.from(error);
    if (reason instanceof StorageUnwritableError) this.#fault = reason;
    return reason;
  }

  #pagesInLog(): number {
    return Number(this.#selectLog.get()?.['log']);
  }

  #checkpointIfDue(): void {
    try {
      if (this.#pagesInLog() < this.#checkpointAt) return;
      this.#isCheckpointed = false;
      checkpointLog(this.#database);
      this.#isCheckpointed = true;
      // A reader may have kept the log from being begun anew.
      this.#checkpointAt = this.#pagesInLog() + CHECKPOINT_PAGES;
    } catch (error) {
      // What was committed is in the log; the next commit tries again.
      this.#noteFault(error);
    }
  }

  #attempt(write: PendingWrite): () => void {
    try {
      return write.attempt();
    } catch (error) {
      // Some errors (a full disk) end the transaction, and with it the writes before this one.
      if (!this.#database.isTransaction) throw error;
      return () => write.reject(this.#noteFault(error));
    }
  }
}

/** Opens the file anew each time, so that nothing has to be closed with the database. */
async function flushFile(path: string): Promise<void> {
  try {
    // For writing, or some systems do not flush; nothing is written.
    await using file = await open(path, 'r+');
    await file.datasync();
  } catch (error) {
    // A log goes when the database is closed: by then it is copied into the database file, and that flushed.
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isGone) throw error;
  }
}
