/**
 * Jobs of all kinds, newest first, read page after page. The service lists each kind by itself; the feed reads the
 * next page of the kind whose last read job is the newest, and shows rows only down to the time that all kinds have
 * been read to, so that no row is ever inserted above one that was scrolled past.
 */
import { ApiError } from '../../client/client.ts';
import { type Filters, isActive, type JobRow, KINDS, LISTS, type List, passes } from './job-row.ts';

// The keys of an object have no type of their own.
const ALL_LISTS = Object.keys(LISTS) as readonly List[];

/** A page of a listing. */
export interface JobPage {
  readonly rows: readonly JobRow[];
  readonly next: string | null;
}

/** Filters of the service. */
interface ListQuery {
  readonly status?: string;
  readonly tag?: string;
  readonly search?: string;
}

/** Requests of the feed. */
export interface JobSource {
  readonly page: (list: List, query: { readonly cursor?: string } & ListQuery) => Promise<JobPage>;
  readonly one: (id: string) => Promise<JobRow>;
}

interface Reader {
  readonly list: List;
  /** Undefined before the first page; null after the last one. */
  next: string | null | undefined;
  /** Time of the last job that was read. */
  readTo: string | undefined;
}

/** Sorts after all times. A search may have looked through many jobs of a listing and found none. */
const UNKNOWN = '~';

/** Records that one renewal asks for by their ids. */
const MAX_ASKED = 12;

/** The jobs that pass some filters. */
export class JobFeed {
  readonly #source: JobSource;
  readonly #filters: Filters;
  readonly #readers: readonly Reader[];
  readonly #jobs = new Map<string, JobRow>();

  constructor(source: JobSource, filters: Filters) {
    this.#source = source;
    this.#filters = filters;
    const only = filters.kind === '' ? undefined : KINDS[filters.kind].list;
    this.#readers = ALL_LISTS.filter((list) => only === undefined || list === only).map((list) => ({
      list,
      next: undefined,
      readTo: undefined,
    }));
  }

  /** True if all pages have been read. */
  get isComplete(): boolean {
    return this.#readers.every(({ next }) => next === null);
  }

  /** True if nothing has been asked for. */
  get isNew(): boolean {
    return this.#readers.every(({ next }) => next === undefined);
  }

  /** Number of jobs read, those that do not pass the filters included. */
  get numRead(): number {
    return this.#jobs.size;
  }

  /** Rows that pass the filters, newest first. */
  rows(): readonly JobRow[] {
    const end = this.#frontier();
    return Array.from(this.#jobs.values())
      .filter((row) => (end === undefined || row.createdAt >= end) && passes(row, this.#filters))
      .sort(newestFirst);
  }

  /** Takes a job out that is no more. */
  forget(id: string): void {
    this.#jobs.delete(id);
  }

  /**
   * Reads on: the first page of every listing, later the next page of one of them.
   *
   * @throws {ApiError | ConnectionError}
   */
  async readMore(): Promise<void> {
    const unread = this.#readers.filter(({ next }) => next === undefined);
    if (unread.length > 0) {
      await Promise.all(unread.map((reader) => this.#read(reader)));
      return;
    }
    const [first] = this.#readers
      .filter(({ next }) => next !== null)
      .sort((a, b) => ((a.readTo ?? UNKNOWN) < (b.readTo ?? UNKNOWN) ? 1 : -1));
    if (first !== undefined) await this.#read(first);
  }

  /**
   * Reads new and changed jobs.
   *
   * @param onlyActive - Reads only the listings that have a job that waits or runs.
   * @throws {ApiError | ConnectionError}
   */
  async renew(onlyActive = false): Promise<void> {
    const seen = new Set<string>();
    const active = new Set<List>();
    for (const row of this.#jobs.values()) if (isActive(row)) active.add(KINDS[row.kind].list);
    const asked = this.#readers.filter(({ list }) => !onlyActive || active.has(list));
    await Promise.all(
      asked.map(async ({ list }) => {
        // Pages are read until one has a job that is known, so that no job is missed between two renewals.
        let cursor: string | undefined;
        let isKnown = false;
        do {
          const query = { ...this.#query(), ...(cursor !== undefined && { cursor }) };
          const { rows, next } = await this.#source.page(list, query);
          // Of a search, what is new is among the newest jobs, which its first page has looked through.
          isKnown =
            next === null ||
            rows.length === 0 ||
            rows.some(({ id }) => this.#jobs.has(id) && !seen.has(id));
          for (const row of rows) {
            seen.add(row.id);
            this.#jobs.set(row.id, row);
          }
          cursor = next ?? undefined;
        } while (!isKnown);
      }),
    );
    const others = Array.from(this.#jobs.values()).filter(
      (row) => isActive(row) && !seen.has(row.id),
    );
    await Promise.all(others.slice(0, MAX_ASKED).map(({ id }) => this.#ask(id)));
  }

  async #ask(id: string): Promise<void> {
    try {
      this.#jobs.set(id, await this.#source.one(id));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      this.#jobs.delete(id);
    }
  }

  async #read(reader: Reader): Promise<void> {
    const cursor = reader.next ?? undefined;
    const { rows, next } = await this.#source.page(reader.list, {
      ...this.#query(),
      ...(cursor !== undefined && { cursor }),
    });
    for (const row of rows) this.#jobs.set(row.id, row);
    reader.next = next;
    reader.readTo = rows.at(-1)?.createdAt ?? reader.readTo;
  }

  #query(): ListQuery {
    const { status, tag, text, where } = this.#filters;
    const search = `${text} ${where}`.trim();
    return {
      ...(status !== '' && { status }),
      ...(tag !== '' && { tag }),
      ...(search !== '' && { search }),
    };
  }

  /** Time down to which all listings have been read; undefined if there is nothing more. */
  #frontier(): string | undefined {
    let end: string | undefined;
    for (const { next, readTo = '' } of this.#readers) {
      if (next !== null && (end === undefined || readTo > end)) end = readTo;
    }
    return end;
  }
}

function newestFirst(a: JobRow, b: JobRow): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
