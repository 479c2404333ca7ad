/**
 * How much is stored: by key, as the triggers of the database count it, and over all, as pages of the file.
 *
 * Pages that deleted rows leave are used again by later ones; what is more than a reserve of them is given
 * back to the disk in small steps. Files of earlier versions cannot be shortened so; a backup of one can.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { GroupCommit } from './group-commit.ts';

/** Free pages that stay in the file, 16 MiB. */
const RESERVE_PAGES = 4096;
/** Given back in one transaction, which moves as many pages at most: 1 MiB. */
const STEP_PAGES = 256;

/** What a database holds. */
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

  /** Gives free space back to the disk; between two steps the event loop goes on. */
  async reclaim(reservePages = RESERVE_PAGES): Promise<void> {
    const writer = GroupCommit.of(this.#database);
    for (let free = this.#freePages(); free > reservePages; ) {
      const numPages = Math.min(STEP_PAGES, free - reservePages);
      await writer.write(() => this.#database.exec(`PRAGMA incremental_vacuum(${numPages})`));
      await setImmediate();
      const left = this.#freePages();
      // A file of an earlier version, or one from which others delete at the same time.
      if (left >= free) return;
      free = left;
    }
  }

  #freePages(): number {
    return Number(this.#selectFree.get()?.['freelist_count']);
  }
}
