/**
 * Measures stored data: bytes by key, which the database's triggers count, and pages of the whole file.
 *
 * SQLite reuses the pages of deleted rows. Free pages beyond a reserve are given back to the disk in small
 * steps. Files of early versions cannot shrink like this; their backups can.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { GroupCommit } from './group-commit.ts';

/** Free pages that stay in the file, 16 MiB. */
const RESERVE_PAGES = 4096;
/** Pages given back in one transaction, which moves at most as many: 1 MiB. */
const STEP_PAGES = 256;

/** Storage figures of a database. */
export class StorageUsage {
  readonly #database: DatabaseSync;
  readonly #selectBytes: StatementSync;
  readonly #selectPages: StatementSync;
  readonly #selectFree: StatementSync;
  readonly #pageBytes: number;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#selectBytes = database.prepare('SELECT bytes FROM storage_usage WHERE key_id = ?');
    this.#selectPages = database.prepare('PRAGMA page_count');
    this.#selectFree = database.prepare('PRAGMA freelist_count');
    this.#pageBytes = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  }

  /** Bytes that jobs, results and idempotency keys of an API key take. */
  bytesOf(keyId: string): number {
    return Number(this.#selectBytes.get(keyId)?.['bytes'] ?? 0);
  }

  /** Bytes of the database that are in use. */
  get totalBytes(): number {
    const pages = Number(this.#selectPages.get()?.['page_count']);
    return (pages - this.#freePages()) * this.#pageBytes;
  }

  /** Gives free space back to the disk; the event loop runs between two steps. */
  async reclaim(reservePages = RESERVE_PAGES): Promise<void> {
    const writer = GroupCommit.of(this.#database);
    for (let free = this.#freePages(); free > reservePages; ) {
      const numPages = Math.min(STEP_PAGES, free - reservePages);
      await writer.write(() => this.#database.exec(`PRAGMA incremental_vacuum(${numPages})`));
      await setImmediate();
      const left = this.#freePages();
      // A file of an early version, or others delete at the same time.
      if (left >= free) return;
      free = left;
    }
  }

  #freePages(): number {
    return Number(this.#selectFree.get()?.['freelist_count']);
  }
}
