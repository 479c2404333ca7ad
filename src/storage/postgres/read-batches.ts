/**
 * Reads of rows by id, many to a statement: those of one turn of the event loop, and those that come while others are
 * under way. A read sees everything that was committed before it was asked for.
 */
import type { StoredRow } from '../damaged-records.ts';

/** Statements under way; reads that come meanwhile are gathered. */
const MAX_UNDER_WAY = 2;
/** Ids of a statement: rows may be large. */
const MAX_IDS = 50;

interface Waiting {
  readonly id: string;
  readonly resolve: (row: StoredRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class ReadBatches {
  readonly #read: (ids: readonly string[]) => Promise<readonly StoredRow[]>;
  readonly #waiting: Waiting[] = [];
  #isAhead = false;
  #numUnderWay = 0;

  /** @param read - Gives the rows of distinct ids, in any order; their column `id` says which. */
  constructor(read: (ids: readonly string[]) => Promise<readonly StoredRow[]>) {
    this.#read = read;
  }

  /**
   * The row of an id; undefined if there is none.
   *
   * @throws the error of the statement.
   */
  get(id: string): Promise<StoredRow | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      this.#readSoon();
    });
  }

  #readSoon(): void {
    if (this.#isAhead || this.#waiting.length === 0 || this.#numUnderWay >= MAX_UNDER_WAY) return;
    this.#isAhead = true;
    setImmediate(() => {
      this.#isAhead = false;
      void this.#readNext(this.#waiting.splice(0, MAX_IDS));
      this.#readSoon();
    });
  }

  async #readNext(taken: readonly Waiting[]): Promise<void> {
    this.#numUnderWay += 1;
    try {
      const rows = await this.#read([...new Set(taken.map(({ id }) => id))]);
      const byId = new Map(rows.map((row) => [row['id'], row]));
      for (const { id, resolve } of taken) resolve(byId.get(id));
    } catch (error) {
      for (const { reject } of taken) reject(error);
    } finally {
      this.#numUnderWay -= 1;
      this.#readSoon();
    }
  }
}
