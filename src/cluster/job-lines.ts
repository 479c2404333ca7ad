/**
 * The lines in which jobs wait in the database, and the claims of nodes on them.
 *
 * A claim locks the line, orders its jobs with the fair queue that orders the runs of one node, takes those that come
 * first and fit the node, and stores the start tags of the keys with the line, for the next claim of any node. So keys
 * take turns over all nodes, and there is no leader.
 *
 * A job waits if its status is `queued`, it has a line, and nobody claims it. Only the first jobs of each key and level
 * are read: more than the claim can take.
 */
import { AGEING_MS, FairQueue, StartTags, type StoredTags } from '../fleet/schedule/fair-queue.ts';
import { JobDamagedError } from '../jobs/errors.ts';
import type { Job, JobClaim, JobId } from '../jobs/job.ts';
import { wholeJob } from '../jobs/postgres-job-store.ts';
import type { StoredRow } from '../storage/damaged-records.ts';
import type { Query, Rows } from '../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { isCurrent } from './cluster-node.ts';

/** Keys and levels whose jobs are looked at in one claim. */
const MAX_FLOWS = 500;

const WAITS = `status = 'queued' AND owner IS NULL AND line = $1`;

const ENSURE_LINE = {
  name: 'line-ensure',
  text: `INSERT INTO lines (line, tags) VALUES ($1, '{"levels":[],"lastStarts":[]}') ON CONFLICT DO NOTHING`,
};
/** Locks the line, or returns nothing if another node's claim has locked it. */
const LOCK_LINE = {
  name: 'line-lock',
  text: `SELECT tags, extract(epoch FROM clock_timestamp()) * 1000 AS now
    FROM lines WHERE line = $1 FOR UPDATE SKIP LOCKED`,
};
/** The first jobs of each key and level, found with one step in the index for each of these. */
const HEADS = {
  name: 'line-heads',
  text: `WITH RECURSIVE flows AS (
      (SELECT level, key_id FROM jobs WHERE ${WAITS} ORDER BY level, key_id LIMIT 1)
      UNION ALL
      SELECT next.level, next.key_id FROM flows, LATERAL (
        SELECT level, key_id FROM jobs WHERE ${WAITS} AND (level, key_id) > (flows.level, flows.key_id)
        ORDER BY level, key_id LIMIT 1) AS next
    )
    SELECT heads.* FROM (SELECT * FROM flows LIMIT ${MAX_FLOWS}) AS flows, LATERAL (
      SELECT id, key_id, level, cost_ms, place, extract(epoch FROM queued_at) * 1000 AS since FROM jobs
      WHERE ${WAITS} AND level = flows.level AND key_id = flows.key_id
        AND ($3::text[] IS NULL
          OR EXISTS (SELECT 1 FROM unnest($3::text[], $4::integer[], $5::integer[]) AS fits (target, least, most)
            WHERE fits.target = jobs.target AND jobs.width BETWEEN fits.least AND fits.most))
      ORDER BY place LIMIT $2) AS heads
    ORDER BY place`,
};
const TAKE = {
  name: 'line-take',
  text: `UPDATE jobs SET owner = $2, epoch = $3, claim = taken.claim
    FROM unnest($4::text[], $5::bigint[]) AS taken (id, claim)
    WHERE jobs.id = taken.id AND ${WAITS} AND ${isCurrent('$2', '$3')}
    RETURNING jobs.*`,
};
const STORE_TAGS = {
  name: 'line-store-tags',
  text: 'UPDATE lines SET tags = $2 WHERE line = $1',
};
const WAITING = {
  name: 'lines-waiting',
  text: `SELECT line, target, count(*) AS jobs, sum(cost_ms) AS cost FROM jobs
    WHERE status = 'queued' AND owner IS NULL AND line IS NOT NULL GROUP BY line, target`,
};

/** Widths, from the least to the most, of jobs of a target that fit a node. */
export interface WidthRange {
  readonly target: string;
  readonly least: number;
  readonly most: number;
}

/** True if a job fits one of the ranges, or they are undefined. */
export function fitsWidths(
  ranges: readonly WidthRange[] | undefined,
  target: string,
  width: number,
): boolean {
  const isIn = (range: WidthRange) =>
    range.target === target && range.least <= width && width <= range.most;
  return ranges === undefined || ranges.some(isIn);
}

/** What a node can take of a line. */
export interface Room {
  readonly line: string;
  /** Most jobs to take. */
  readonly maxJobs: number;
  /** The job that reaches this expected time, milliseconds, is the last one taken. */
  readonly maxCostMs: number;
  /** Widths that the targets of this node hold; undefined if jobs of the line fit everywhere. */
  readonly widths: readonly WidthRange[] | undefined;
}

/** Time that a key was given without waiting in the database. */
export interface Charge {
  readonly key: string;
  readonly level: number;
  readonly ms: number;
}

/** What became of a claim. */
export type ClaimOutcome =
  /** Another node was claiming from the line. */
  | 'busy'
  | {
      readonly jobs: readonly Job[];
      /** Jobs that were claimed and cannot be read. */
      readonly numDamaged: number;
      /** True if no further job was found that the node could take. */
      readonly isEmpty: boolean;
    };

/** Jobs that wait in a line for a target. */
export interface WaitingJobs {
  readonly line: string;
  readonly target: string;
  readonly count: number;
  readonly costMs: number;
}

/** A job that waits, as the fair queue sees it. */
interface Head {
  readonly id: JobId;
  readonly key: string;
  readonly level: number;
}

interface HeadRow extends Head {
  readonly costMs: number;
  readonly since: number;
}

export class JobLines {
  readonly #database: PostgresDatabase;
  readonly #known = new Set<string>();

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /**
   * Claims jobs for this node.
   *
   * @param newClaim - Makes the claims.
   * @param charges - Charged to their keys together with the claim.
   * @throws {StorageUnwritableError} if the database cannot be written now; nothing is claimed then.
   */
  async claim(
    room: Room,
    newClaim: () => JobClaim,
    charges: readonly Charge[] = [],
  ): Promise<ClaimOutcome> {
    const { line } = room;
    const { writer } = this.#database;
    if (!this.#known.has(line)) {
      await writer.write((query) => query(ENSURE_LINE, [line]));
      this.#known.add(line);
    }
    const rows = await writer.write((query) => claimRows(query, room, newClaim, charges), true);
    if (rows === 'busy') return rows;
    const read = await Promise.all(rows.taken.map(readable));
    const jobs = read.filter((job) => job !== undefined);
    return { jobs, numDamaged: read.length - jobs.length, isEmpty: rows.isEmpty };
  }

  /** Numbers of jobs that wait. */
  async waiting(): Promise<readonly WaitingJobs[]> {
    const rows = await this.#database.read(WAITING);
    return rows.map(({ line, target, jobs, cost }) => ({
      line: String(line),
      target: String(target),
      count: Number(jobs),
      costMs: Number(cost),
    }));
  }

  /**
   * Jobs of a line in the order in which nodes would claim them, as far as it is looked through.
   *
   * @param maxOfKey - Jobs of each key and level that are looked at.
   */
  async order(
    line: string,
    maxOfKey: number,
  ): Promise<readonly (Head & { readonly costMs: number })[]> {
    const [[state], heads] = await Promise.all([
      this.#database.read(
        {
          name: 'line-tags',
          text: `SELECT tags, extract(epoch FROM clock_timestamp()) * 1000 AS now FROM lines WHERE line = $1`,
        },
        [line],
      ),
      this.#database.read(HEADS, [line, maxOfKey, ...rangeColumns(undefined)]),
    ]);
    if (state === undefined) return [];
    const now = Number(state['now']);
    const { queue, costs } = queueOf(heads.map(headOf), tagsOf(state['tags']));
    return [...queue.walk(now)].map(({ item }) => ({ ...item, costMs: costs.get(item.id) ?? 0 }));
  }
}

type Row = StoredRow;

/** Columns of the ranges; nulls if there is no restriction. */
function rangeColumns(ranges: readonly WidthRange[] | undefined) {
  const column = <T>(of: (range: WidthRange) => T) => ranges?.map(of) ?? null;
  return [
    column(({ target }) => target),
    column(({ least }) => least),
    column(({ most }) => most),
  ] as const;
}

/** The job of a row; undefined if it is damaged. */
async function readable(row: Row): Promise<Job | undefined> {
  try {
    return await wholeJob(row);
  } catch (error) {
    if (error instanceof JobDamagedError) return undefined;
    throw error;
  }
}

async function claimRows(
  query: Query,
  { line, maxJobs, maxCostMs, widths }: Room,
  newClaim: () => JobClaim,
  charges: readonly Charge[],
): Promise<'busy' | { readonly taken: readonly Row[]; readonly isEmpty: boolean }> {
  // One job more, to know whether others wait behind.
  const [locked, found] = await Promise.all([
    query(LOCK_LINE, [line]),
    query(HEADS, [line, maxJobs + 1, ...rangeColumns(widths)]),
  ]);
  const [state] = locked.rows;
  if (state === undefined) return 'busy';
  const now = Number(state['now']);
  const tags = tagsOf(state['tags']);
  for (const { key, level, ms } of charges) {
    tags.charge(level, key, ms);
    tags.noteStart(key, now);
  }
  const heads = found.rows.map(headOf);
  const { queue, costs } = queueOf(heads, tags);
  const taken: JobId[] = [];
  let costMs = 0;
  for (const { item } of queue.walk(now)) {
    if (taken.length >= maxJobs || (taken.length > 0 && costMs >= maxCostMs)) break;
    queue.start(item.id, now);
    taken.push(item.id);
    costMs += costs.get(item.id) ?? 0;
  }
  if (taken.length === 0 && charges.length === 0) return { taken: [], isEmpty: true };
  const claims = taken.map(newClaim);
  const [stored] = await Promise.all([
    taken.length === 0
      ? NOTHING
      : query(TAKE, [
          line,
          claims[0]?.node,
          claims[0]?.epoch,
          taken,
          claims.map(({ number }) => number),
        ]),
    query(STORE_TAGS, [line, JSON.stringify(tags.stored())]),
  ]);
  const byId = new Map(stored.rows.map((row) => [row['id'], row]));
  return {
    taken: taken.flatMap((id) => byId.get(id) ?? NO_ROWS),
    isEmpty: taken.length === heads.length,
  };
}

const NO_ROWS: readonly Row[] = [];
const NOTHING: Pick<Rows, 'rows'> = { rows: NO_ROWS };

/** A fair queue of the jobs. Their keys wait from the beginning, so that tags of the queue's keys hold. */
function queueOf(heads: readonly HeadRow[], tags: StartTags) {
  const queue = new FairQueue<Head>(AGEING_MS, tags);
  const costs = new Map<JobId, number>();
  for (const { costMs, since, ...head } of heads) {
    queue.add(head, costMs, since);
    costs.set(head.id, costMs);
  }
  return { queue, costs };
}

function headOf(row: Row): HeadRow {
  return {
    id: String(row['id']),
    key: String(row['key_id']),
    level: Number(row['level']),
    costMs: Number(row['cost_ms']),
    since: Number(row['since']),
  };
}

function tagsOf(text: unknown): StartTags {
  // The cast is safe: only claims write the column.
  return StartTags.of(JSON.parse(String(text)) as StoredTags, AGEING_MS);
}
