/** Action of `qcs jobs list`: merges the listings of all kinds and reads only as many pages as it prints. */
import {
  type AnyJobs,
  ForbiddenError,
  type ListFilters,
  NotFoundError,
} from '../../client/client.ts';
import type { JobResource } from '../../service/jobs/job-resources.ts';
import { type CommandIo, table, writeJson } from '../command-io.ts';
import {
  durationText,
  type JobRecord,
  nameText,
  progressText,
  readRecord,
  resourceOf,
  runText,
  tagsText,
  targetText,
} from './job-record.ts';
import { type AddressOptions, serviceClient } from './service-client.ts';

/** Options of the command. */
export interface ListOptions extends AddressOptions {
  readonly kind?: JobResource['kind'];
  readonly status?: NonNullable<ListFilters['status']>;
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly search?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Greatest page size of a listing. */
const LARGEST_PAGE = 100;

/** Prints the newest jobs of the key, of all kinds or of one. */
export async function listJobs(options: ListOptions, io: CommandIo): Promise<void> {
  const { circuits, batches, experiments, tasks, tpuJobs } = await serviceClient(options, io);
  const kinds: readonly AnyJobs[] = [circuits, batches, experiments, tasks, tpuJobs];
  const asked = kinds.filter((jobs) => [resourceOf(jobs).kind, undefined].includes(options.kind));
  const listings = await openListings(asked, options, io);
  const found: JobRecord[] = [];
  for (;;) {
    const [newest] = listings.toSorted((a, b) => newestFirst(a.current, b.current));
    if (newest?.current === undefined) break;
    found.push(newest.current);
    if (found.length === options.limit) break;
    await newest.advance();
  }
  if (options.json) {
    const items = found.map(({ resource, fields }) => ({ kind: resource.kind, ...fields }));
    writeJson(io, { jobs: items });
  } else io.out.write(`${found.length === 0 ? 'No jobs.' : jobTable(found, io.now())}\n`);
}

/** Opens the listings that the service has and the key may read; reports the others. */
async function openListings(
  kinds: readonly AnyJobs[],
  options: ListOptions,
  io: CommandIo,
): Promise<readonly Listing[]> {
  const filters = filtersOf(options);
  const listings: Listing[] = [];
  const faults: Error[] = [];
  const opened = kinds.map(async (jobs) => {
    const listing = new Listing(jobs, filters);
    try {
      await listing.advance();
      listings.push(listing);
    } catch (error) {
      const isAbsent = error instanceof NotFoundError;
      if (!(isAbsent || error instanceof ForbiddenError)) throw error;
      faults.push(error);
      const why = isAbsent ? 'the service has no such listing' : 'the key has no scope for them';
      io.err.write(`Without ${resourceOf(jobs).plural}: ${why}.\n`);
    }
  });
  await Promise.all(opened);
  const [fault] = faults;
  if (listings.length === 0 && fault !== undefined) throw fault;
  return listings;
}

function filtersOf(options: ListOptions): ListFilters {
  const { limit, status, name, tag, search, createdAfter, createdBefore } = options;
  return {
    pageSize: Math.min(LARGEST_PAGE, limit),
    ...(status !== undefined && { status }),
    ...(name !== undefined && { name }),
    ...(tag !== undefined && { tag }),
    ...(search !== undefined && { search }),
    ...(createdAfter !== undefined && { created_after: createdAfter }),
    ...(createdBefore !== undefined && { created_before: createdBefore }),
  };
}

/** Listing of jobs, newest first, of which the first that was not printed is known. */
class Listing {
  current: JobRecord | undefined;
  readonly #jobs: AnyJobs;
  readonly #records: AsyncGenerator<unknown>;

  constructor(jobs: AnyJobs, filters: ListFilters) {
    this.#jobs = jobs;
    this.#records = jobs.list(filters);
  }

  async advance(): Promise<void> {
    const { done, value } = await this.#records.next();
    this.current = done ? undefined : readRecord(value, this.#jobs);
  }
}

/** Order of two jobs; one that is missing comes last. */
function newestFirst(a: JobRecord | undefined, b: JobRecord | undefined): number {
  const [first, second] = [a, b].map((record) => record?.createdAt ?? Number.NEGATIVE_INFINITY);
  return first === second ? 0 : (second ?? 0) - (first ?? 0);
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
