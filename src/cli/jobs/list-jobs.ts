/** Action of `qcs jobs list`: merges three listings and reads only as many pages as it prints. */
import { JOB_RESOURCES, type JobResource } from '../../service/jobs/job-resources.ts';
import { type CommandIo, table, writeJson } from '../command-io.ts';
import { textOf } from './answer-fields.ts';
import { AnswerUnreadableError, KeyRefusedError, ServiceRefusedError } from './errors.ts';
import {
  durationText,
  type JobRecord,
  nameText,
  progressText,
  readRecord,
  runText,
  tagsText,
  targetText,
} from './job-record.ts';
import { type AddressOptions, serviceAddress } from './service-address.ts';
import { ServiceClient } from './service-client.ts';

/** Options of the command. */
export interface ListOptions extends AddressOptions {
  readonly kind?: JobResource['kind'];
  readonly status?: string;
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Greatest page size of a listing. */
const LARGEST_PAGE = 100;

/** Prints the newest jobs of the key, of all kinds or of one. */
export async function listJobs(options: ListOptions, io: CommandIo): Promise<void> {
  const client = new ServiceClient(await serviceAddress(options, io), io);
  const asked = JOB_RESOURCES.filter(({ kind }) => [kind, undefined].includes(options.kind));
  const listings = await openListings(asked, options, client, io);
  const jobs: JobRecord[] = [];
  for (;;) {
    const next = newest(listings);
    if (next === undefined) break;
    const { record, listing } = next;
    jobs.push(record);
    if (jobs.length === options.limit) break;
    await listing.advance();
  }
  if (options.json) {
    const items = jobs.map(({ resource, fields }) => ({ kind: resource.kind, ...fields }));
    writeJson(io, { jobs: items });
  } else io.out.write(`${jobs.length === 0 ? 'No jobs.' : jobTable(jobs, io.now())}\n`);
}

/** Opens the listings that the service has and the key may read; reports the others. */
async function openListings(
  resources: readonly JobResource[],
  options: ListOptions,
  client: ServiceClient,
  io: CommandIo,
): Promise<readonly Listing[]> {
  const query = queryOf(options);
  const listings: Listing[] = [];
  const faults: Error[] = [];
  const opened = resources.map(async (resource) => {
    const listing = new Listing(resource, client, query);
    try {
      await listing.advance();
      listings.push(listing);
    } catch (error) {
      const isAbsent = error instanceof ServiceRefusedError && error.status === 404;
      const isClosed = error instanceof KeyRefusedError && error.status === 403;
      if (!(isAbsent || isClosed)) throw error;
      faults.push(error);
      const why = isAbsent ? 'the service has no such listing' : 'the key has no scope for them';
      io.err.write(`Without ${resource.plural}: ${why}.\n`);
    }
  });
  await Promise.all(opened);
  const [fault] = faults;
  if (listings.length === 0 && fault !== undefined) throw fault;
  return listings;
}

/** Query parameters that every page shares. */
function queryOf(options: ListOptions): URLSearchParams {
  const { limit, status, name, tag = [], createdAfter, createdBefore } = options;
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['limit', String(Math.min(LARGEST_PAGE, limit))],
    ['status', status],
    ['name', name],
    ...tag.map((each) => ['tag', each] as const),
    ['created_after', createdAfter],
    ['created_before', createdBefore],
  ];
  const query = new URLSearchParams();
  for (const [field, value] of fields) if (value !== undefined) query.append(field, value);
  return query;
}

/** Listing of jobs, read one by one, newest first. */
class Listing {
  /** Newest job that was not taken yet; undefined at the end. */
  current: JobRecord | undefined;
  readonly #resource: JobResource;
  readonly #client: ServiceClient;
  readonly #query: URLSearchParams;
  #page: readonly JobRecord[] = [];
  #place = 0;
  /** Cursor of the next page; null after the last. */
  #cursor: string | null | undefined;

  constructor(resource: JobResource, client: ServiceClient, query: URLSearchParams) {
    this.#resource = resource;
    this.#client = client;
    this.#query = query;
  }

  async advance(): Promise<void> {
    while (this.#place >= this.#page.length && this.#cursor !== null) await this.#turn();
    this.current = this.#page[this.#place++];
  }

  async #turn(): Promise<void> {
    const { path, listName, noun } = this.#resource;
    const { origin } = this.#client;
    const cursor =
      this.#cursor === undefined ? '' : `&cursor=${encodeURIComponent(this.#cursor ?? '')}`;
    const data = await this.#client.ask(`${path}?${this.#query}${cursor}`);
    const items: unknown = data[listName];
    if (!Array.isArray(items)) {
      throw new AnswerUnreadableError(origin, `a page of ${noun}s has no ${listName}`);
    }
    this.#page = items.map((item: unknown) => readRecord(item, this.#resource, origin));
    this.#place = 0;
    const next = textOf(data['next_cursor']) ?? null;
    // Stop if the cursor does not advance, which would read for ever.
    this.#cursor = next === this.#cursor || items.length === 0 ? null : next;
  }
}

function newest(
  listings: readonly Listing[],
): { readonly listing: Listing; readonly record: JobRecord } | undefined {
  let found: { readonly listing: Listing; readonly record: JobRecord } | undefined;
  for (const listing of listings) {
    const record = listing.current;
    if (
      record !== undefined &&
      (found === undefined || record.createdAt > found.record.createdAt)
    ) {
      found = { listing, record };
    }
  }
  return found;
}

function jobTable(jobs: readonly JobRecord[], now: number): string {
  const columns: readonly (readonly [title: string, text: (job: JobRecord) => string])[] = [
    ['ID', ({ id }) => id],
    ['KIND', ({ resource }) => resource.kind],
    ['TARGET', targetText],
    ['STATUS', ({ status }) => status],
    ['PROGRESS', progressText],
    ['AGE', ({ createdAt }) => durationText(now - createdAt)],
    ['DURATION', (job) => runText(job, now)],
    // Show the column only if a job has tags.
    ...(
      [
        ['NAME', nameText],
        ['TAGS', tagsText],
      ] as const
    ).filter(([, text]) => jobs.some((job) => text(job) !== '')),
  ];
  const rows = jobs.map((job) => columns.map(([, text]) => text(job)));
  return table(
    columns.map(([title]) => title),
    rows,
  );
}
