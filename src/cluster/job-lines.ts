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

/**
 * Keys and levels whose jobs are looked at in one claim: so many of the first ones, and so many further ones. Where
 * there are more, the further ones are those after the last claim's, so that all have their turn.
 */
const MAX_FLOWS = 250;
/** A place behind all keys and levels. */
const BEHIND_ALL: Flow = { level: 32_767, key: '' };

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
/** Keys and levels with waiting jobs, found with one step in the index for each. */
const flowsFrom = (name: string, where = 'true') => `${name} AS (
      (SELECT level, key_id FROM jobs WHERE ${WAITS} AND ${where} ORDER BY level, key_id LIMIT 1)
      UNION ALL
      SELECT next.level, next.key_id FROM ${name}, LATERAL (
        SELECT level, key_id FROM jobs WHERE ${WAITS} AND (level, key_id) > (${name}.level, ${name}.key_id)
        ORDER BY level, key_id LIMIT 1) AS next
    )`;
/** The first jobs of each key and level. A key and level without one that fits has a row without a job. */
const HEADS = {
  name: 'line-heads',
  text: `WITH RECURSIVE ${flowsFrom('first')},
      ${flowsFrom('further', '(level, key_id) > ($6::smallint, $7::text)')}
    SELECT flows.level AS flow_level, flows.key_id AS flow_key, heads.* FROM (
      (SELECT * FROM first LIMIT ${MAX_FLOWS}) UNION (SELECT * FROM further LIMIT ${MAX_FLOWS})
    ) AS flows LEFT JOIN LATERAL (
      SELECT id, key_id, level, cost_ms, place, extract(epoch FROM queued_at) * 1000 AS since FROM jobs
      WHERE ${WAITS} AND level = flows.level AND key_id = flows.key_id
        AND ($3::text[] IS NULL
          OR EXISTS (SELECT 1 FROM unnest($3::text[], $4::integer[], $5::integer[]) AS fits (target, least, most)
            WHERE fits.target = jobs.target AND jobs.width BETWEEN fits.least AND fits.most))
      ORDER BY place LIMIT $2) AS heads ON true
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

/** Jobs that a node can take from a line. */
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

/** Outcome of a claim. */
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

/** Jobs of one key and level. */
interface Flow {
  readonly level: number;
  readonly key: string;
}

interface HeadRow extends Head {
  readonly costMs: number;
  readonly since: number;
}

export class JobLines {
  readonly #database: PostgresDatabase;
  readonly #known = new Set<string>();
  /** Behind which key and level the next claim of a line looks further. */
  readonly #lookedTo = new Map<string, Flow>();

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
    const from = this.#lookedTo.get(line) ?? BEHIND_ALL;
    const rows = await writer.write(
      (query) => claimRows(query, room, from, newClaim, charges),
      true,
    );
    if (rows === 'busy') return rows;
    this.#lookedTo.set(line, rows.lookedTo);
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
      this.#database.read(HEADS, [
        line,
        maxOfKey,
        ...rangeColumns(undefined),
        BEHIND_ALL.level,
        BEHIND_ALL.key,
      ]),
    ]);
    if (state === undefined) return [];
    const now = Number(state['now']);
    const { queue, costs } = queueOf(heads.flatMap(headOf), tagsOf(state['tags']));
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
  from: Flow,
  newClaim: () => JobClaim,
  charges: readonly Charge[],
): Promise<'busy' | ClaimedRows> {
  // One job more, to know whether others wait behind.
  const [locked, found] = await Promise.all([
    query(LOCK_LINE, [line]),
    query(HEADS, [line, maxJobs + 1, ...rangeColumns(widths), from.level, from.key]),
  ]);
  const [state] = locked.rows;
  if (state === undefined) return 'busy';
  const now = Number(state['now']);
  const tags = tagsOf(state['tags']);
  for (const { key, level, ms } of charges) {
    tags.charge(level, key, ms);
    tags.noteStart(key, now);
  }
  const heads = found.rows.flatMap(headOf);
  const { lookedTo, areAll } = flowsOf(found.rows, from);
  const { queue, costs } = queueOf(heads, tags);
  const taken: JobId[] = [];
  let costMs = 0;
  for (const { item } of queue.walk(now)) {
    if (taken.length >= maxJobs || (taken.length > 0 && costMs >= maxCostMs)) break;
    queue.start(item.id, now);
    taken.push(item.id);
    costMs += costs.get(item.id) ?? 0;
  }
  if (taken.length === 0 && charges.length === 0) return { taken: [], isEmpty: true, lookedTo };
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
    // Where nothing fits, further keys are looked at by and by.
    isEmpty: taken.length === 0 || (areAll && taken.length === heads.length),
    lookedTo,
  };
}

/** Jobs that a claim has taken. */
interface ClaimedRows {
  readonly taken: readonly Row[];
  readonly isEmpty: boolean;
  /** Behind which key and level the next claim looks further. */
  readonly lookedTo: Flow;
}

/** Behind which key and level the next claim looks further, and whether this one has seen all of them. */
function flowsOf(
  rows: readonly Row[],
  from: Flow,
): { readonly lookedTo: Flow; readonly areAll: boolean } {
  const byName = new Map<string, Flow>();
  for (const row of rows) {
    const flow = { level: Number(row['flow_level']), key: String(row['flow_key']) };
    byName.set(`${flow.level} ${flow.key}`, flow);
  }
  if (byName.size < MAX_FLOWS) return { lookedTo: BEHIND_ALL, areAll: true };
  const flows = [...byName.values()].sort((a, b) => (isBehind(a, b) ? 1 : -1));
  const further = flows.filter((flow) => isBehind(flow, from));
  const last = further[MAX_FLOWS - 1] ?? flows[MAX_FLOWS - 1];
  return { lookedTo: last ?? BEHIND_ALL, areAll: false };
}

function isBehind(a: Flow, b: Flow): boolean {
  return a.level === b.level ? a.key > b.key : a.level > b.level;
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

/** The job of a row of a key and level, if it has one. */
function headOf(row: Row): HeadRow | readonly [] {
  if (row['id'] === null) return [];
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
