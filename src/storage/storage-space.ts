/**
 * Space for stored data: the free part of the disk, and the sizes of the database and of each key's data.
 *
 * Below a threshold of free space, and while writes fail, the service accepts no new work. Accepted work can
 * still be finished and stored, and reads go on.
 *
 * The database's triggers count the bytes of each key. SQLite reuses the pages of deleted rows. Free pages
 * beyond a reserve are given back to the disk in small steps. Files of early versions cannot shrink like this;
 * their backups can.
 */
import { statfs } from 'node:fs/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { DiskFullError, type StorageUnwritableError } from './errors.ts';
import { GroupCommit } from './group-commit.ts';

/** Free pages that stay in the file, 16 MiB. */
const RESERVE_PAGES = 4096;
/** Pages given back in one transaction, which moves at most as many: 1 MiB. */
const STEP_PAGES = 256;

/** Figures of the database after a commit. */
interface Measured {
  /** Number of the commit. */
  readonly afterCommit: number;
  /** By key, as far as they were asked for. */
  readonly bytesOf: Map<string, number>;
  readonly totalBytes: number;
}

/**
 * Measures stored data: bytes by key, and pages of the whole file. Every submission asks for both, so they are kept
 * until the next commit.
 */
export class StorageUsage {
  readonly #database: DatabaseSync;
  readonly #writer: GroupCommit;
  readonly #selectBytes: StatementSync;
  readonly #selectPages: StatementSync;
  readonly #selectFree: StatementSync;
  readonly #pageBytes: number;
  #measured: Measured = { afterCommit: -1, bytesOf: new Map<string, number>(), totalBytes: 0 };

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#writer = GroupCommit.of(database);
    this.#selectBytes = database.prepare('SELECT bytes FROM storage_usage WHERE key_id = ?');
    this.#selectPages = database.prepare('PRAGMA page_count');
    this.#selectFree = database.prepare('PRAGMA freelist_count');
    this.#pageBytes = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  }

  /** Bytes that jobs, results and idempotency keys of an API key take. */
  bytesOf(keyId: string): number {
    const { bytesOf } = this.#now;
    let bytes = bytesOf.get(keyId);
    if (bytes === undefined) {
      bytes = Number(this.#selectBytes.get(keyId)?.['bytes'] ?? 0);
      bytesOf.set(keyId, bytes);
    }
    return bytes;
  }

  /** Bytes of the database that are in use. */
  get totalBytes(): number {
    return this.#now.totalBytes;
  }

  /** Gives free space back to the disk; the event loop runs between two steps. */
  async reclaim(reservePages = RESERVE_PAGES): Promise<void> {
    for (let free = this.#freePages(); free > reservePages; ) {
      const numPages = Math.min(STEP_PAGES, free - reservePages);
      await this.#writer.write(() => this.#database.exec(`PRAGMA incremental_vacuum(${numPages})`));
      await setImmediate();
      const left = this.#freePages();
      // A file of an early version, or others delete at the same time.
      if (left >= free) return;
      free = left;
    }
  }

  /** Measurement as of the last commit. */
  get #now(): Measured {
    const { numCommits } = this.#writer;
    if (this.#measured.afterCommit !== numCommits) {
      const pages = Number(this.#selectPages.get()?.['page_count']);
      const totalBytes = (pages - this.#freePages()) * this.#pageBytes;
      this.#measured = { afterCommit: numCommits, bytesOf: new Map(), totalBytes };
    }
    return this.#measured;
  }

  #freePages(): number {
    return Number(this.#selectFree.get()?.['freelist_count']);
  }
}

const MIB = 2 ** 20;
const CHECK_EVERY_MS = 5000;

/** Options of a DiskWatch. */
interface DiskWatchOptions {
  /** A folder on the disk. */
  readonly folder: string;
  /** New work is accepted while at least this many bytes are free. */
  readonly minFreeBytes: number;
  /** Writer of the database on that disk. */
  readonly writer?: Pick<GroupCommit, 'fault' | 'probe'>;
  /**
   * Returns the bytes that an ordinary user may still write; undefined for a disk without a limit. Asks the
   * operating system by default.
   */
  readonly freeBytes?: (folder: string) => Promise<number | undefined>;
}

/**
 * Watches the free space of the data directory's disk, and whether the database can be written: when it is
 * started, and then every few seconds until it is closed.
 */
export class DiskWatch {
  readonly #options: DiskWatchOptions & Required<Pick<DiskWatchOptions, 'freeBytes'>>;
  #timer: NodeJS.Timeout | undefined;
  #freeBytes: number | undefined;
  #isChecking = false;

  constructor(options: DiskWatchOptions) {
    this.#options = { freeBytes: askSystem, ...options };
  }

  /** Reason why no work is accepted now; undefined where it is accepted. */
  get fault(): DiskFullError | StorageUnwritableError | undefined {
    const { minFreeBytes, writer } = this.#options;
    const free = this.#freeBytes;
    return free !== undefined && free < minFreeBytes
      ? new DiskFullError(Math.floor(free / MIB), Math.ceil(minFreeBytes / MIB))
      : writer?.fault;
  }

  /** Checks now and then regularly. */
  async start(): Promise<void> {
    await this.check();
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
  }

  /**
   * Checks now. A disk whose free space is unknown counts as having room; a failing write will show the
   * fault.
   */
  async check(): Promise<void> {
    // A disk that does not answer is asked once, not again every few seconds.
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { folder, freeBytes, writer } = this.#options;
    this.#freeBytes = await freeBytes(folder).catch(() => undefined);
    // No other write would show that the fault is over while no work is accepted.
    if (writer?.fault !== undefined) await writer.probe();
    this.#isChecking = false;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

async function askSystem(folder: string): Promise<number | undefined> {
  const { bavail, blocks, bsize } = await statfs(folder);
  // File systems in memory may have no limit, and then report no blocks.
  return blocks === 0 ? undefined : bavail * bsize;
}
