/**
 * Bytes that each key has stored. The database's triggers note each change in a table, and any one node at a time folds
 * the changes into a total by key. Totals and changes are read soon after something was written, so that a submission
 * does not wait for a query; the limits may be exceeded by writes in the meantime.
 */
import type { Query } from './connection.ts';
import type { PostgresDatabase } from './postgres-database.ts';

const READ_EVERY_MS = 1000;
/** Key of the advisory lock of the node that folds: "qcs" and a number. */
const FOLDING = [0x716373, 2] as const;

const USAGE = {
  name: 'usage',
  text: `SELECT key_id, sum(bytes)::bigint AS bytes, count(*) FILTER (WHERE is_change) AS changes FROM (
      SELECT key_id, bytes, false FROM storage_usage UNION ALL SELECT key_id, bytes, true FROM storage_changes
    ) AS stored (key_id, bytes, is_change) GROUP BY key_id`,
};
const TRY_LOCK = { name: 'usage-lock', text: 'SELECT pg_try_advisory_xact_lock($1, $2) AS taken' };
/** The changes that it deletes are those that it adds: others, committed meanwhile, are neither. */
const FOLD = {
  name: 'usage-fold',
  text: `WITH gone AS (DELETE FROM storage_changes RETURNING key_id, bytes)
    INSERT INTO storage_usage AS total (key_id, bytes)
      SELECT key_id, sum(bytes)::bigint FROM gone GROUP BY key_id
      ON CONFLICT (key_id) DO UPDATE SET bytes = total.bytes + excluded.bytes`,
};

export class PostgresUsage {
  readonly #database: PostgresDatabase;
  #bytes: ReadonlyMap<string, number> = new Map();
  #totalBytes = 0;
  readonly #timer: NodeJS.Timeout;
  #reading: Promise<void> | undefined;
  #hasChanges = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#timer = setInterval(() => void this.#readAndFold(), READ_EVERY_MS).unref();
  }

  /** Bytes that jobs, results and idempotency keys of an API key took a second ago. */
  bytesOf(keyId: string): number {
    return this.#bytes.get(keyId) ?? 0;
  }

  /** Bytes of all keys. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Reads the numbers now. A read that is under way may have begun before the caller's last write: another one follows. */
  async read(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading.catch(() => {});
    if (!this.#database.writer.isConnected) return;
    this.#reading = this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readOnce(): Promise<void> {
    const rows = await this.#database.read(USAGE);
    this.#bytes = new Map(rows.map((row) => [String(row['key_id']), Number(row['bytes'])]));
    this.#hasChanges = rows.some((row) => Number(row['changes']) > 0);
    this.#totalBytes = [...this.#bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Folds the changes into the totals, unless another node does so now. */
  async fold(): Promise<void> {
    await this.#database.writer.write(fold);
  }

  async #readAndFold(): Promise<void> {
    if (this.#reading !== undefined) return;
    try {
      await this.read();
      if (this.#hasChanges) await this.fold();
    } catch {
      // The writer reports a database that cannot be used.
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

async function fold(query: Query): Promise<void> {
  const { rows } = await query(TRY_LOCK, FOLDING);
  if (rows[0]?.['taken']) await query(FOLD);
}
