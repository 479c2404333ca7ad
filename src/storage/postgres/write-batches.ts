/**
 * Writes of one kind, many to a statement.
 *
 * Writes that come while a transaction is under way are gathered, and the next transaction writes all of them with
 * one statement over arrays. Two writes of one subject (a job, a key) never share a statement: the second one sees
 * what the first one left, as if each had come alone.
 */
import { StorageUnwritableError } from '../errors.ts';
import type { Query } from './connection.ts';
import type { PostgresWriter } from './writer.ts';

/** Options of WriteBatches. */
interface BatchOptions<Item, Result> {
  /** Subject of a write; writes of one subject run one after another. */
  readonly subjectOf: (item: Item) => string;
  /** True if the items share a transaction with no other writes. */
  readonly isAlone?: boolean;
  /** Greatest number of items in a statement; no limit unless given. */
  readonly maxItems?: number;
  /**
   * Writes the items within a transaction.
   *
   * @returns Outcome of each: a result, or an error of the item alone.
   */
  readonly run: (query: Query, items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class WriteBatches<Item, Result> {
  readonly #writer: Pick<PostgresWriter, 'write'>;
  readonly #options: BatchOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  /** True while a write of the waiting items has not begun. */
  #isAhead = false;

  constructor(writer: Pick<PostgresWriter, 'write'>, options: BatchOptions<Item, Result>) {
    this.#writer = writer;
    this.#options = options;
  }

  /**
   * Writes an item, and resolves with its result once that is committed.
   *
   * @throws {StorageUnwritableError} if the database cannot be written now; nothing of the item is stored.
   * @throws the item's error, or the database's.
   */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#writeNext();
    });
  }

  #writeNext(): void {
    if (this.#isAhead || this.#waiting.length === 0) return;
    this.#isAhead = true;
    let taken: readonly Waiting<Item, Result>[] | undefined;
    const take = () => {
      this.#isAhead = false;
      const items = this.#takeDistinct();
      this.#writeNext();
      return items;
    };
    // Work that runs again, by itself, writes the same items.
    const written = this.#writer.write((query) => {
      taken ??= take();
      return this.#run(query, taken);
    }, this.#options.isAlone);
    written.then(
      (results) => settle(taken ?? [], results),
      (error) => this.#refuse(taken ?? take(), error),
    );
  }

  #run(
    query: Query,
    waiting: readonly Waiting<Item, Result>[],
  ): Promise<readonly (Result | Error)[]> {
    return this.#options.run(
      query,
      waiting.map(({ item }) => item),
    );
  }

  /** Takes the first write of each subject, up to `maxItems`. */
  #takeDistinct(): readonly Waiting<Item, Result>[] {
    const { subjectOf, maxItems = Number.POSITIVE_INFINITY } = this.#options;
    const subjects = new Set<string>();
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const each of this.#waiting) {
      const subject = subjectOf(each.item);
      const isLeft = subjects.has(subject) || taken.length >= maxItems;
      (isLeft ? left : taken).push(each);
      subjects.add(subject);
    }
    this.#waiting = left;
    return taken;
  }

  /** A statement that the database refused: each item is written by itself, since one may be at fault. */
  #refuse(waiting: readonly Waiting<Item, Result>[], error: unknown): void {
    if (waiting.length === 1 || error instanceof StorageUnwritableError) {
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const each of waiting) {
      this.#writer
        .write((query) => this.#run(query, [each]), this.#options.isAlone)
        .then((results) => settle([each], results), each.reject);
    }
  }
}

function settle<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  results: readonly (Result | Error)[],
): void {
  waiting.forEach(({ resolve, reject }, i) => {
    const result = results[i];
    if (result instanceof Error) reject(result);
    // The cast is safe: there is a result for each item.
    else resolve(result as Result);
  });
}
