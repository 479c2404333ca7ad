/**
 * The lines in which jobs wait in the database, and the claims of nodes on them.
 *
 * A claim locks the line, orders its jobs with the fair queue that orders the runs of one node, takes those that come
 * first and fit the node, and stores the start tags of the keys with the line, for the next claim of any node. So keys
 * take turns over all nodes, and there is no leader. The lock is an advisory one: a claim that finds nothing, or
 * another node's claim under way, writes nothing.
 *
 * A job waits if its status is `queued`, it has a line, and nobody claims it. Only the first jobs of each key and level
 * are read: more than the claim can take.
 */

import { AGEING_MS, FairQueue, StartTags, type StoredTags } from '../fleet/schedule/fair-queue.ts';
import { JobDamagedError } from '../jobs/errors.ts';
import type { JobId } from '../jobs/job.ts';
import type { StoredRow } from '../storage/damaged-records.ts';
import type { Query, Statement } from '../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { isCurrent } from './cluster-node.ts';
import { jobOrDamage } from './postgres-job-store.ts';
import type { JobClaim, SharedJob } from './shared-job.ts';

/**
 * One claim looks at the jobs of this many first keys and levels, and of this many further ones. If there are more, the
 * further ones are those after the last claim's, so that all have their turn.
 */
const MAX_FLOWS = 250;
/** A place behind all keys and levels. */
const BEHIND_ALL: Flow = { level: 32_767, key: '' };

const WAITS = `status = 'queued' AND owner IS NULL AND line = $1`;

const ENSURE_LINE = {
  name: 'line-ensure',
  text: `INSERT INTO lines (line, tags) VALUES ($1, '{"levels":[],"lastStarts":[]}') ON CONFLICT DO NOTHING`,
};
/** Class of the advisory locks of lines: "qct". */
const LINES = 0x716374;
/**
 * Locks the line, unless another node's claim has locked it, and notes for the next statement whether it is locked. The
 * two are sent together. They are not one, because a statement sees what was committed before it began, and so before
 * the line was locked.
 */
const LOCK_LINE: Statement = {
  name: 'line-lock',
  text: `SELECT set_config('qcs.has_line', pg_try_advisory_xact_lock(${LINES}, hashtext($1))::text, true)`,
  onlyReads: true,
};
const HAS_LINE = `current_setting('qcs.has_line', true) = 'true'`;
/** Keys and levels with waiting jobs, found with one step in the index for each. */
const flowsFrom = (name: string, where = 'true') => `${name} AS (
      (SELECT level, key_id FROM jobs WHERE ${WAITS} AND ${where} ORDER BY level, key_id LIMIT 1)
      UNION ALL
      SELECT next.level, next.key_id FROM ${name}, LATERAL (
        SELECT level, key_id FROM jobs WHERE ${WAITS} AND (level, key_id) > (${name}.level, ${name}.key_id)
        ORDER BY level, key_id LIMIT 1) AS next
    )`;
/**
 * The tags of a line, in a row of their own, and the first jobs of each key and level. A key and level without one that
 * fits has a row without a job.
 */
const lineIf = (name: string, condition: string): Statement => ({
  name,
  text: `WITH RECURSIVE ${flowsFrom('first', condition)},
      ${flowsFrom('further', `(level, key_id) > ($6::smallint, $7::text) AND ${condition}`)}
    SELECT tags, extract(epoch FROM clock_timestamp()) * 1000 AS now, NULL::smallint AS flow_level, NULL AS flow_key,
      NULL AS id, NULL::float8 AS cost_ms, NULL::bigint AS place, NULL::numeric AS since
      FROM lines WHERE line = $1 AND ${condition}
    UNION ALL
    SELECT NULL, NULL, flows.level, flows.key_id, heads.* FROM (
      (SELECT * FROM first LIMIT ${MAX_FLOWS}) UNION (SELECT * FROM further LIMIT ${MAX_FLOWS})
    ) AS flows LEFT JOIN LATERAL (
      SELECT id, cost_ms, place, extract(epoch FROM queued_at) * 1000 AS since FROM jobs
      WHERE ${WAITS} AND level = flows.level AND key_id = flows.key_id
        AND ($3::text[] IS NULL
          OR EXISTS (SELECT 1 FROM unnest($3::text[], $4::integer[], $5::integer[]) AS fits (target, least, most)
            WHERE fits.target = jobs.target AND jobs.width BETWEEN fits.least AND fits.most))
      ORDER BY place LIMIT $2) AS heads ON true
    ORDER BY place`,
  onlyReads: true,
});
const LINE = lineIf('line', 'true');
const LOCKED_LINE = lineIf('line-locked', HAS_LINE);
/** Takes jobs and stores the tags. */
const TAKE = {
  name: 'line-take',
  text: `WITH tagged AS (UPDATE lines SET tags = $6 WHERE line = $1)
    UPDATE jobs SET owner = $2, epoch = $3, claim = taken.claim
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
      readonly jobs: readonly SharedJob[];
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
    const read = await Promise.all(rows.taken.map((row) => jobOrDamage(row)));
    const jobs = read.filter((job): job is SharedJob => !(job instanceof JobDamagedError));
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
   * @param widths - Only jobs in these ranges, unless undefined.
   */
  async order(
    line: string,
    maxOfKey: number,
    widths: readonly WidthRange[] | undefined,
  ): Promise<readonly (Head & { readonly costMs: number })[]> {
    const state = lineOf(
      await this.#database.read(LINE, [
        line,
        maxOfKey,
        ...rangeColumns(widths),
        BEHIND_ALL.level,
        BEHIND_ALL.key,
      ]),
    );
    if (state === undefined) return [];
    const { queue, costs } = queueOf(state.flows.flatMap(headOf), state.tags);
    return [...queue.walk(state.now)].map(({ item }) => ({
      ...item,
      costMs: costs.get(item.id) ?? 0,
    }));
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

async function claimRows(
  query: Query,
  { line, maxJobs, maxCostMs, widths }: Room,
  from: Flow,
  newClaim: () => JobClaim,
  charges: readonly Charge[],
): Promise<'busy' | ClaimedRows> {
  // One job more, to know whether others wait behind.
  const [, found] = await Promise.all([
    query(LOCK_LINE, [line]),
    query(LOCKED_LINE, [line, maxJobs + 1, ...rangeColumns(widths), from.level, from.key]),
  ]);
  const state = lineOf(found.rows);
  if (state === undefined) return 'busy';
  const { now, tags, flows } = state;
  for (const { key, level, ms } of charges) {
    tags.charge(level, key, ms);
    tags.noteStart(key, now);
  }
  const heads = flows.flatMap(headOf);
  const { lookedTo, areAll } = flowsOf(flows, from);
  const { queue, costs } = queueOf(heads, tags);
  const taken: JobId[] = [];
  let costMs = 0;
  for (const { item } of queue.walk(now)) {
    if (taken.length >= maxJobs || (taken.length > 0 && costMs >= maxCostMs)) break;
    queue.start(item.id, now);
    taken.push(item.id);
    costMs += costs.get(item.id) ?? 0;
  }
  const stored = JSON.stringify(tags.stored());
  if (taken.length === 0) {
    if (charges.length > 0) await query(STORE_TAGS, [line, stored]);
    return { taken: [], isEmpty: true, lookedTo };
  }
  const claims = taken.map(newClaim);
  const { rows } = await query(TAKE, [
    line,
    claims[0]?.node,
    claims[0]?.epoch,
    taken,
    claims.map(({ number }) => number),
    stored,
  ]);
  const byId = new Map(rows.map((row) => [row['id'], row]));
  return {
    taken: taken.flatMap((id) => byId.get(id) ?? NO_ROWS),
    // If nothing fits, later claims look at further keys.
    isEmpty: areAll && taken.length === heads.length,
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

/** A line that was read, with the rows of its keys and levels; undefined if it is not locked or does not exist. */
function lineOf(rows: readonly Row[]) {
  const line = rows.find((row) => row['tags'] !== null);
  if (line === undefined) return undefined;
  return {
    now: Number(line['now']),
    tags: tagsOf(line['tags']),
    flows: rows.filter((row) => row !== line),
  };
}

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
    key: String(row['flow_key']),
    level: Number(row['flow_level']),
    costMs: Number(row['cost_ms']),
    since: Number(row['since']),
  };
}

function tagsOf(text: unknown): StartTags {
  // The cast is safe: only claims write the column.
  return StartTags.of(JSON.parse(String(text)) as StoredTags, AGEING_MS);
}
