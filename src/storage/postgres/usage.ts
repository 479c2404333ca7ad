/**
 * Bytes that each key has stored, which the database's triggers count. They are read again soon after something was
 * written, so that a submission does not wait for a query; the limits may be exceeded by what is stored meanwhile.
 */
import type { PostgresDatabase } from './postgres-database.ts';

const READ_EVERY_MS = 1000;
const USAGE = { name: 'usage', text: 'SELECT key_id, bytes FROM storage_usage' };

export class PostgresUsage {
  readonly #database: PostgresDatabase;
  #bytes: ReadonlyMap<string, number> = new Map();
  #totalBytes = 0;
  readonly #timer: NodeJS.Timeout;
  #isReading = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#timer = setInterval(() => void this.read().catch(() => {}), READ_EVERY_MS).unref();
  }

  /** Bytes that jobs, results and idempotency keys of an API key took a second ago. */
  bytesOf(keyId: string): number {
    return this.#bytes.get(keyId) ?? 0;
  }

  /** Bytes of all keys. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Reads the numbers now. */
  async read(): Promise<void> {
    if (this.#isReading || !this.#database.writer.isConnected) return;
    this.#isReading = true;
    try {
      const rows = await this.#database.read(USAGE);
      this.#bytes = new Map(rows.map((row) => [String(row['key_id']), Number(row['bytes'])]));
      this.#totalBytes = [...this.#bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    } finally {
      this.#isReading = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
