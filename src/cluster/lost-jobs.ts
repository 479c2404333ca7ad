/**
 * Jobs of nodes that are gone. Any node gives up a node that was not heard of, and queues again what no node holds any
 * more: in one transaction, one node at a time.
 *
 * A claim names an epoch of a node. It is worth something while the node is up and has that epoch; giving a node up, or
 * its restart, raises the epoch. So one look for jobs with worthless claims finds the jobs of nodes that were given up,
 * restarted or stopped, and also writes of a slow node after it was given up.
 */
import { JobInterruptedError } from '../jobs/errors.ts';
import type { JobId } from '../jobs/job.ts';
import { suspicionOf } from '../jobs/recovery.ts';
import type { Query } from '../storage/postgres/connection.ts';
import { isCurrent, readableJob } from './cluster-node.ts';
import { countJobs, inheritPlaces, type JobCount } from './places-in-flight.ts';
import type { SharedJob } from './shared-job.ts';

/** Attempts after which a job whose node was lost is not run again. */
const MAX_ATTEMPTS = 3;

/** Jobs whose callers a node takes over in one transaction. */
const MAX_INHERITED = 500;

/** Key of the advisory lock of a look for lost jobs: "qcs" and a number. */
const LOOKING = [0x716373, 3] as const;
const LOCK = {
  name: 'lost-lock',
  text: 'SELECT pg_try_advisory_xact_lock($1, $2) AS taken',
};
/**
 * Ends the connections of silent nodes. A node that was stopped in the middle of a transaction would keep its locks,
 * and those who wait for them, until the server ends the transaction.
 *
 * Silence is judged at the time when the transaction began, `now()`: this node was heard until then. Had the database
 * stood still since, the others could not have been heard.
 */
const DISCONNECT = {
  name: 'lost-disconnect',
  text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN nodes
      ON application_name IN (process, process || ' bus', process || ' reads')
    WHERE datname = current_database() AND is_up AND name <> $1
      AND seen_at < now() - make_interval(secs => $2)`,
};
const GIVE_UP = {
  name: 'lost-give-up',
  text: `UPDATE nodes SET is_up = false, epoch = epoch + 1
    WHERE is_up AND name <> $1 AND seen_at < now() - make_interval(secs => $2)
      AND EXISTS (SELECT 1 FROM nodes AS own WHERE own.name = $1 AND own.epoch = $3 AND own.is_up)
    RETURNING name`,
};
const ORPHANS = {
  name: 'lost-orphans',
  text: `SELECT * FROM jobs WHERE status IN ('queued', 'running') AND owner IS NOT NULL
    AND NOT ${isCurrent('jobs.owner', 'jobs.epoch')} ORDER BY place FOR UPDATE`,
};
const QUEUE_AGAIN = {
  name: 'lost-queue-again',
  text: `UPDATE jobs SET status = 'queued', started_at = NULL, owner = NULL, suspicion = lost.suspicion
    FROM unnest($1::text[], $2::float8[]) AS lost (id, suspicion) WHERE jobs.id = lost.id`,
};
const FAIL = {
  name: 'lost-fail',
  text: `UPDATE jobs SET status = 'failed', finished_at = $5, suspicion = lost.suspicion,
      error_code = lost.code, error_message = lost.message
    FROM unnest($1::text[], $2::float8[], $3::text[], $4::text[]) AS lost (id, suspicion, code, message)
    WHERE jobs.id = lost.id`,
};
const DROP_PARTS = {
  name: 'lost-drop-parts',
  text: 'DELETE FROM job_parts WHERE job_id = ANY ($1::text[])',
};
/**
 * Jobs taken in by nodes that are not up. Those of a node that restarts stay with it. A transaction must be short
 * compared with a lease, because the lease of this node is renewed over the same connection.
 */
const INHERIT = {
  name: 'lost-inherit',
  text: `UPDATE jobs SET origin = $1 FROM jobs AS before
    WHERE jobs.id = before.id AND jobs.id = ANY (ARRAY(
      SELECT id FROM jobs WHERE status IN ('queued', 'running')
        AND origin = ANY (ARRAY(SELECT name FROM nodes WHERE NOT is_up)) LIMIT ${MAX_INHERITED} FOR UPDATE))
    RETURNING jobs.id, jobs.kind, jobs.key_id, jobs.status, jobs.priority, jobs.target, jobs.request,
      jobs.created_at, jobs.started_at, jobs.finished_at, jobs.attempts, jobs.suspicion, jobs.tags, jobs.name,
      jobs.line, jobs.level, jobs.cost_ms, jobs.width, jobs.origin, jobs.owner, jobs.epoch, jobs.claim,
      before.origin AS old_origin`,
};

/** Nodes that are not up and still hold places in flight. */
const GONE = {
  name: 'lost-gone',
  text: `SELECT DISTINCT name FROM nodes JOIN places_in_flight ON node = name WHERE NOT is_up ORDER BY name`,
};

/** Options of `recoverLost`. */
export interface LostOptions {
  /** This node. */
  readonly node: string;
  readonly epoch: number;
  readonly leaseMs: number;
  /**
   * Whether this node has been heard regularly for a lease, so that silent nodes had the time to come back. It is asked
   * within the transaction, since the database may have stood still before it began.
   */
  readonly mayGiveUp: () => boolean;
  /** False for a node that stops, which takes over nothing. */
  readonly mayInherit: boolean;
  /** Suspicion at which a job is not run again; see recovery.ts. */
  readonly maxSuspicion: number;
  /** Job that waits for this one and is one unit of work with it, if any. */
  readonly parentOf: (job: SharedJob) => JobId | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/** Outcome of a look for the jobs of nodes that are gone. */
export interface Recovered {
  /** Nodes that were given up. */
  readonly givenUp: readonly string[];
  /** Jobs that wait for a node again. */
  readonly queuedAgain: readonly SharedJob[];
  /** Jobs that are not run again. */
  readonly failed: readonly JobId[];
  /** Jobs whose callers this node answers from now on. */
  readonly inherited: readonly SharedJob[];
  /** Their places in flight, which this node holds from now on. */
  readonly places: readonly JobCount[];
  /** True if there may be more to inherit. */
  readonly isPartial: boolean;
}

const NOTHING: Recovered = {
  givenUp: [],
  queuedAgain: [],
  failed: [],
  inherited: [],
  places: [],
  isPartial: false,
};

/** Gives up silent nodes and recovers the jobs of nodes that are gone. Run it in a transaction of its own. */
export async function recoverLost(query: Query, options: LostOptions): Promise<Recovered> {
  const { node, epoch, leaseMs, now } = options;
  const { rows: lock } = await query(LOCK, LOOKING);
  if (!lock[0]?.['taken']) return NOTHING;
  const mayGiveUp = options.mayGiveUp();
  if (mayGiveUp) await query(DISCONNECT, [node, leaseMs / 1000]);
  const givenUp = mayGiveUp ? (await query(GIVE_UP, [node, leaseMs / 1000, epoch])).rows : [];
  const orphans = (await query(ORPHANS)).rows.flatMap((row) => readableJob(row));
  const { queuedAgain, failed } = judged(orphans, options);
  if (queuedAgain.length > 0) {
    await query(QUEUE_AGAIN, [
      queuedAgain.map(({ id }) => id),
      queuedAgain.map(({ suspicion = 0 }) => suspicion),
    ]);
  }
  if (failed.length > 0) {
    const errors = failed.map(({ attempts }) => new JobInterruptedError(attempts));
    const ids = failed.map(({ id }) => id);
    await query(FAIL, [
      ids,
      failed.map(({ suspicion = 0 }) => suspicion),
      errors.map(({ code }) => code),
      errors.map(({ message }) => message),
      now,
    ]);
    await query(DROP_PARTS, [ids]);
  }
  const inherited = options.mayInherit ? await inherit(query, node) : NOTHING;
  return {
    ...inherited,
    givenUp: givenUp.map((row) => String(row['name'])),
    queuedAgain,
    failed: failed.map(({ id }) => id),
  };
}

/** Takes over the jobs that were taken in by nodes that are gone, with their places in flight. */
async function inherit(query: Query, node: string): Promise<Recovered> {
  const { rows: gone } = await query(GONE);
  const { rows } = await query(INHERIT, [node]);
  const byNode = Map.groupBy(rows, (row) => String(row['old_origin']));
  const isPartial = rows.length === MAX_INHERITED;
  for (const { name } of gone) if (!byNode.has(String(name))) byNode.set(String(name), []);
  const inherited: SharedJob[] = [];
  const places: JobCount[] = [];
  for (const [from, ofNode] of [...byNode].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const jobs = ofNode.flatMap((row) => readableJob(row));
    const counts = countJobs(jobs);
    await inheritPlaces(query, from, node, counts, isPartial);
    inherited.push(...jobs);
    places.push(...counts);
  }
  return { ...NOTHING, inherited, places, isPartial };
}

/**
 * Decides which jobs run again. All jobs that the node held are suspected, since those that had just begun are not
 * stored as running.
 */
function judged(orphans: readonly SharedJob[], { parentOf, maxSuspicion }: LostOptions) {
  const queuedAgain: SharedJob[] = [];
  const failed: SharedJob[] = [];
  for (const ofNode of Map.groupBy(orphans, ({ claim }) => claim?.node).values()) {
    const suspicions = suspicionOf(ofNode, parentOf);
    for (const job of ofNode) {
      const share = suspicions.get(job.id);
      const suspicion = (job.suspicion ?? 0) + (share ?? 0);
      const isLast = job.status === 'running' && job.attempts >= MAX_ATTEMPTS;
      const isOver = share !== undefined && (suspicion >= maxSuspicion || isLast);
      (isOver ? failed : queuedAgain).push({ ...job, suspicion });
    }
  }
  return { queuedAgain, failed };
}
