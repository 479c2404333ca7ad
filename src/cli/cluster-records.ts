/** Queries and changes of `qcs cluster` in the database of a cluster. */
import type { NodeRole } from '../cluster/node-status.ts';
import type { StoredRow } from '../storage/damaged-records.ts';
import type { Query } from '../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';

/** A node. Times are by the clock of the database, milliseconds since 1970 UTC. */
export interface NodeRecord {
  readonly name: string;
  readonly role: NodeRole;
  readonly version: string;
  readonly epoch: number;
  readonly isUp: boolean;
  readonly isDraining: boolean;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Time at which this was read. */
  readonly now: number;
  /** Numbers of nodes of the GPU fleet. */
  readonly fleetNodes: readonly number[];
  /** Names of zones. */
  readonly tpuZones: readonly string[];
  readonly numRunning: number;
  /** Jobs that the node has claimed and not begun. */
  readonly numClaimed: number;
}

/** A job that a node has. */
export interface HeldJob {
  readonly id: string;
  readonly kind: string;
  readonly keyId: string;
  /** Undefined for a job that no node of a cluster has begun. */
  readonly node: string | undefined;
  /** Start of the job, milliseconds since 1970 UTC; undefined if it was claimed and not begun. */
  readonly since: number | undefined;
  readonly attempts: number;
}

/** Jobs of one line and key that wait for a node. */
export interface WaitingJobs {
  /** Undefined for jobs that no node may claim yet. */
  readonly line: string | undefined;
  readonly keyId: string;
  readonly number: number;
  /** Time for which the first of them has waited, milliseconds. */
  readonly longestMs: number;
}

const MS = (time: string) => `(extract(epoch FROM ${time}) * 1000)::double precision`;

const HELD = (kind: string) => `ARRAY(
  SELECT id FROM holdings WHERE node = nodes.name AND kind = '${kind}' ORDER BY id)`;

const NUM_JOBS = (status: string) => `(
  SELECT count(*) FROM jobs WHERE owner = nodes.name AND status = '${status}')`;

const NODES = `
  SELECT name, role, version, epoch, is_up, is_draining, ${MS('started_at')} AS started_at,
    ${MS('seen_at')} AS seen_at, ${MS('clock_timestamp()')} AS now,
    ${HELD('fleet-node')} AS fleet_nodes, ${HELD('tpu-zone')} AS tpu_zones,
    ${NUM_JOBS('running')} AS running, ${NUM_JOBS('queued')} AS claimed
  FROM nodes ORDER BY name`;

const HELD_JOBS = `
  SELECT id, kind, key_id, owner, started_at, attempts FROM jobs
  WHERE status = 'running' OR (status = 'queued' AND owner IS NOT NULL)
  ORDER BY owner, started_at, id`;

const WAITING_JOBS = `
  SELECT line, key_id, count(*) AS number, max(${MS('clock_timestamp() - queued_at')}) AS longest_ms
  FROM jobs WHERE status = 'queued' AND owner IS NULL
  GROUP BY line, key_id ORDER BY line, key_id`;

/** Reads all nodes, by name. */
export async function readNodes(database: PostgresDatabase): Promise<readonly NodeRecord[]> {
  return (await database.read({ text: NODES })).map(nodeOf);
}

function nodeOf(row: StoredRow): NodeRecord {
  return {
    name: String(row['name']),
    // The cast is safe: the table takes no other.
    role: String(row['role']) as NodeRole,
    version: String(row['version']),
    epoch: Number(row['epoch']),
    isUp: Boolean(row['is_up']),
    isDraining: Boolean(row['is_draining']),
    startedAt: Number(row['started_at']),
    seenAt: Number(row['seen_at']),
    now: Number(row['now']),
    fleetNodes: textsOf(row['fleet_nodes']).map(Number),
    tpuZones: textsOf(row['tpu_zones']),
    numRunning: Number(row['running']),
    numClaimed: Number(row['claimed']),
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Reads the jobs that nodes have, by node. */
export async function readHeldJobs(database: PostgresDatabase): Promise<readonly HeldJob[]> {
  const rows = await database.read({ text: HELD_JOBS });
  return rows.map((row) => ({
    id: String(row['id']),
    kind: String(row['kind']),
    keyId: String(row['key_id']),
    node: row['owner'] === null ? undefined : String(row['owner']),
    since: row['started_at'] === null ? undefined : Number(row['started_at']),
    attempts: Number(row['attempts']),
  }));
}

/** Counts the jobs that wait for a node, by line and key. */
export async function readWaitingJobs(database: PostgresDatabase): Promise<readonly WaitingJobs[]> {
  const rows = await database.read({ text: WAITING_JOBS });
  return rows.map((row) => ({
    line: row['line'] === null ? undefined : String(row['line']),
    keyId: String(row['key_id']),
    number: Number(row['number']),
    longestMs: Number(row['longest_ms']),
  }));
}

/**
 * Sets whether a node drains, and notifies the nodes.
 *
 * @returns False if the node is not known or was in that state.
 */
export async function setDraining(
  query: Query,
  name: string,
  isDraining: boolean,
): Promise<boolean> {
  const { count } = await query(
    'UPDATE nodes SET is_draining = $2 WHERE name = $1 AND is_draining <> $2',
    [name, isDraining],
  );
  if (count === 0) return false;
  // The payload `n` says that nodes have changed.
  await query(`SELECT pg_notify('qcs_cluster', '["orders"]')`);
  return true;
}
