/**
 * Group commit: all writes of one turn of the event loop share one transaction.
 *
 * A commit costs several times as much as a row: locks, a checksum, a write to the log, sometimes a
 * checkpoint. Under load every turn writes many jobs, which then pay for it once. A write resolves only after
 * its commit, so an acknowledged write survives the death of the process. A transaction left open across
 * turns would include whatever other code runs on the connection in between; here one opens and closes inside
 * a single function call.
 *
 * To survive power cuts, the log is flushed to disk after the commit and before the acknowledgement. SQLite
 * itself would flush inside COMMIT, which blocks the event loop for as long as the disk takes; here a thread
 * of Node's pool does it. Nothing else is committed meanwhile, so a power cut leaves at most one torn
 * transaction in the log; writes that arrive meanwhile share the next commit.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageUnwritableError } from './errors.ts';
import { checkpointLog, declareWhole } from './write-ahead-log.ts';

/** Level of `PRAGMA synchronous` from which on commits survive a power cut. */
const FULL = 2;
/** Pages added to the log after which it is copied into the database file: 4 MiB, SQLite's own default. */
const CHECKPOINT_PAGES = 1000;

/** The log is closed when nothing was written for this long. */
const IDLE_MS = 1000;

interface PendingWrite {
  /** Runs the write; returns a function that resolves the caller's promise after the commit. */
  readonly attempt: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** A write that is committed, but may not be on disk yet. */
interface CommittedWrite {
  readonly answer: () => void;
  readonly reject: (error: unknown) => void;
}

/** The shared writer of a database. */
export class GroupCommit {
  static readonly #ofDatabase = new WeakMap<DatabaseSync, GroupCommit>();

  readonly #database: DatabaseSync;
  readonly #selectLog: StatementSync;
  /** Flushes the log after each commit; undefined where power cuts need not be survived. */
  readonly #log: FileFlusher | undefined;
  #pending: PendingWrite[] = [];
  #isFlushing = false;
  /** Pages in the log at which it is copied into the database file next. */
  #checkpointAt = CHECKPOINT_PAGES;
  #isCheckpointed = true;
  #numCommits = 0;
  #fault: StorageUnwritableError | undefined;

  /** Returns the one writer of `database`: stores over one database share transactions. */
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
    this.#log = isFull && path !== null ? new FileFlusher(`${path}-wal`) : undefined;
  }

  /**
   * Runs `work` before the next turn of the event loop, and resolves with its result once that is committed.
   * Writes run in the order of the calls.
   *
   * @param work - Synchronous. If it throws, only the failed statement is undone, so it must check before it
   *   changes anything.
   * @throws {StorageUnwritableError} if the database cannot be written now.
   * @throws the error of `work`, or the database's error where the whole transaction failed.
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

  /**
   * Reason why the last write could not be stored; undefined if it was stored, or was rejected by `work`
   * itself.
   */
  get fault(): StorageUnwritableError | undefined {
    return this.#fault;
  }

  /** Transactions committed so far: reads stay valid until the next one. */
  get numCommits(): number {
    return this.#numCommits;
  }

  /** Makes a small write, which shows whether the database can be written; see `fault`. */
  async probe(): Promise<void> {
    await this.write(() => declareWhole(this.#database)).catch(() => {});
  }

  #commit(): void {
    // The end of the flush commits the pending writes.
    if (this.#isFlushing) return;
    const batch = this.#pending;
    this.#pending = [];
    let committed: readonly CommittedWrite[];
    const flushesItself = this.#log !== undefined;
    try {
      // Code that writes over this connection directly still gets SQLite's flush.
      if (flushesItself) this.#database.exec('PRAGMA synchronous = NORMAL');
      // IMMEDIATE takes the write lock before anything is read, so that no later statement fails for want of
      // it.
      this.#database.exec('BEGIN IMMEDIATE');
      if (!this.#isCheckpointed) declareWhole(this.#database);
      committed = batch.map((write) => ({
        answer: this.#attempt(write),
        reject: write.reject,
      }));
      this.#database.exec('COMMIT');
      this.#numCommits++;
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
    if (this.#log === undefined) for (const { answer } of committed) answer();
    else void this.#flush(this.#log, committed);
    this.#checkpointIfDue();
  }

  /** Acknowledges committed writes once the log is on disk. */
  async #flush(log: FileFlusher, committed: readonly CommittedWrite[]): Promise<void> {
    this.#isFlushing = true;
    try {
      await log.flush();
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
      // A reader may have kept the log from starting anew.
      this.#checkpointAt = this.#pagesInLog() + CHECKPOINT_PAGES;
    } catch (error) {
      // The commits are safe in the log; the checkpoint is tried again after the next commit.
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

/** Flushes a file to disk, again and again. */
class FileFlusher {
  readonly #path: string;
  /** Open while flushes follow each other: opening and closing takes as long as the disk does. */
  #file: Promise<FileHandle> | undefined;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Flushes all writes before the call. */
  async flush(): Promise<void> {
    clearTimeout(this.#closeTimer);
    // Opened for writing, because some systems flush nothing otherwise; nothing is written.
    this.#file ??= open(this.#path, 'r+');
    try {
      await (await this.#file).datasync();
    } catch (error) {
      this.#close();
      // Closing the database deletes the log, after copying it into the database file and flushing that.
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone) throw error;
    }
    this.#closeTimer = setTimeout(() => this.#close(), IDLE_MS).unref();
  }

  #close(): void {
    const file = this.#file;
    this.#file = undefined;
    file?.then((handle) => handle.close()).catch(() => {});
  }
}
