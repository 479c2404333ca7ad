/** Actions of `qcs cluster`. */

import { type NodeState, nodeStateOf } from '../cluster/node-status.ts';
import { loadConfig } from '../config.ts';
import { appendAudit, COMMAND_LINE } from '../service/audit/audit-log.ts';
import { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import {
  type HeldJob,
  type NodeRecord,
  readHeldJobs,
  readNodes,
  readWaitingJobs,
  setDraining,
  type WaitingJobs,
} from './cluster-records.ts';
import { type CommandIo, Interrupt, printable, table, writeJson } from './command-io.ts';
import { NoClusterError, NodeNotFoundError } from './errors.ts';
import { durationText } from './jobs/job-record.ts';

/** Option of every command. */
export interface ClusterOptions {
  readonly json?: boolean;
}

/** Options of `qcs cluster drain`. */
export interface DrainOptions extends ClusterOptions {
  readonly wait?: boolean;
}

const ASK_EVERY_MS = 500;

/** Prints the nodes, and the number of jobs that wait for one. */
export async function listNodes(options: ClusterOptions, io: CommandIo): Promise<void> {
  await withCluster(io, async ({ database, leaseMs }) => {
    const nodes = await readNodes(database);
    const waiting = await readWaitingJobs(database);
    const numWaiting = waiting.reduce((sum, { number }) => sum + number, 0);
    if (options.json) {
      writeJson(io, {
        nodes: nodes.map((node) => viewNode(node, leaseMs)),
        jobs_waiting: numWaiting,
      });
      return;
    }
    io.out.write(nodes.length === 0 ? 'There are no nodes yet.\n' : nodeTable(nodes, leaseMs));
    io.out.write(`${jobsText(numWaiting)} for a node.\n`);
  });
}

/** Prints the jobs that nodes have, and the numbers of those that wait for a node. */
export async function listClusterJobs(options: ClusterOptions, io: CommandIo): Promise<void> {
  await withCluster(io, async ({ database }) => {
    const held = await readHeldJobs(database);
    const waiting = await readWaitingJobs(database);
    if (options.json) {
      writeJson(io, { running: held.map(viewJob), waiting: waiting.map(viewWaiting) });
      return;
    }
    io.out.write(held.length === 0 ? 'No node has a job.\n' : jobTable(held));
    io.out.write(
      waiting.length === 0 ? 'No job waits for a node.\n' : `\n${waitingTable(waiting)}`,
    );
  });
}

/**
 * Lets a node claim no more jobs; with `wait`, until it runs none.
 *
 * @throws {NodeNotFoundError}
 * @throws {InterruptedError} on Ctrl-C while it waits; the node goes on draining.
 */
export async function drainNode(name: string, options: DrainOptions, io: CommandIo): Promise<void> {
  await withCluster(io, async (cluster) => {
    const { node, isChanged } = await changeDraining(cluster, name, true, io);
    if (!options.json) io.out.write(`${drainText(node, isChanged)}\n`);
    const last = options.wait ? await untilIdle(cluster, node, io) : node;
    if (options.json) writeJson(io, viewNode(last, cluster.leaseMs));
    else if (options.wait) io.out.write(`Node ${name} runs no job.\n`);
  });
}

/**
 * Lets a node claim jobs again.
 *
 * @throws {NodeNotFoundError}
 */
export async function undrainNode(
  name: string,
  options: ClusterOptions,
  io: CommandIo,
): Promise<void> {
  await withCluster(io, async (cluster) => {
    const { node, isChanged } = await changeDraining(cluster, name, false, io);
    if (options.json) writeJson(io, viewNode(node, cluster.leaseMs));
    else if (!isChanged) io.out.write(`Node ${name} was not draining.\n`);
    else if (node.isUp) io.out.write(`Node ${name} claims jobs again.\n`);
    else io.out.write(`Node ${name} will claim jobs when it starts.\n`);
  });
}

/** An open cluster. */
interface Cluster {
  readonly database: PostgresDatabase;
  /** Time after which a node counts as silent. */
  readonly leaseMs: number;
}

/** @throws {NoClusterError} if the settings name no database. */
async function withCluster(io: CommandIo, use: (cluster: Cluster) => Promise<void>): Promise<void> {
  const { databaseUrl, leaseMs } = loadConfig(io.environment);
  if (databaseUrl === undefined) throw new NoClusterError();
  const database = await PostgresDatabase.open({ url: databaseUrl, role: 'command' });
  try {
    await use({ database, leaseMs });
  } finally {
    await database.close();
  }
}

async function changeDraining(
  { database }: Cluster,
  name: string,
  isDraining: boolean,
  io: CommandIo,
): Promise<{ readonly node: NodeRecord; readonly isChanged: boolean }> {
  const isChanged = await database.writer.write(async (query) => {
    if (!(await setDraining(query, name, isDraining))) return false;
    await appendAudit(query, {
      at: io.now(),
      actor: COMMAND_LINE,
      action: isDraining ? 'node.drain_began' : 'node.drain_ended',
      subject: name,
      details: {},
    });
    return true;
  }, true);
  return { node: await findNode(database, name), isChanged };
}

/** @throws {NodeNotFoundError} */
async function findNode(database: PostgresDatabase, name: string): Promise<NodeRecord> {
  const nodes = await readNodes(database);
  const node = nodes.find((each) => each.name === name);
  if (node !== undefined) return node;
  throw new NodeNotFoundError(
    name,
    nodes.map((each) => each.name),
  );
}

/** Waits until a node has no job, and says how many are left. */
async function untilIdle(
  { database }: Cluster,
  first: NodeRecord,
  io: CommandIo,
): Promise<NodeRecord> {
  using interrupt = new Interrupt(io);
  let told: number | undefined;
  for (let node = first; ; node = await findNode(database, first.name)) {
    const numJobs = node.numRunning + node.numClaimed;
    if (numJobs === 0) return node;
    if (numJobs !== told) {
      io.err.write(`Node ${node.name} still has ${numJobs} ${numJobs === 1 ? 'job' : 'jobs'}.\n`);
      told = numJobs;
    }
    await io.sleep(ASK_EVERY_MS, interrupt.signal);
  }
}

function drainText(node: NodeRecord, isChanged: boolean): string {
  if (!isChanged) return `Node ${node.name} was draining already.`;
  return node.isUp
    ? `Node ${node.name} claims no more jobs.`
    : `Node ${node.name} is stopped. It will claim no jobs when it starts.`;
}

function jobsText(number: number): string {
  return number === 1 ? '1 job waits' : `${number} jobs wait`;
}

/** A node as JSON. */
function viewNode(node: NodeRecord, leaseMs: number) {
  return {
    name: node.name,
    role: node.role,
    version: node.version,
    state: nodeStateOf(node, node.now, leaseMs),
    draining: node.isDraining,
    epoch: node.epoch,
    started_at: timeText(node.startedAt),
    seen_at: timeText(node.seenAt),
    silent_s: silentMs(node) / 1000,
    fleet_nodes: node.fleetNodes,
    tpu_zones: node.tpuZones,
    jobs_running: node.numRunning,
    jobs_claimed: node.numClaimed,
  };
}

/** A job of a node as JSON. */
function viewJob({ id, kind, keyId, node, since, attempts }: HeldJob) {
  return {
    id,
    kind,
    key_id: keyId,
    node: node ?? null,
    since: since === undefined ? null : timeText(since),
    attempts,
  };
}

/** Waiting jobs as JSON. */
function viewWaiting({ line, keyId, number, longestMs }: WaitingJobs) {
  return { line: line ?? null, key_id: keyId, jobs: number, longest_wait_s: longestMs / 1000 };
}

/** Nodes as aligned columns. */
function nodeTable(nodes: readonly NodeRecord[], leaseMs: number): string {
  const heading = [
    ...['NODE', 'ROLE', 'STATE', 'VERSION', 'LAST HEARD', 'EPOCH'],
    ...['RUNNING', 'CLAIMED', 'HOLDS'],
  ];
  const rows = nodes.map((node) => [
    printable(node.name),
    node.role,
    stateText(nodeStateOf(node, node.now, leaseMs), node.isDraining),
    printable(node.version),
    `${durationText(silentMs(node))} ago`,
    String(node.epoch),
    String(node.numRunning),
    String(node.numClaimed),
    holdingsText(node),
  ]);
  return `${table(heading, rows)}\n`;
}

/** A silent or stopped node that drains will drain when it is back. */
function stateText(state: NodeState, isDraining: boolean): string {
  return isDraining && state !== 'draining' ? `${state}, draining` : state;
}

function holdingsText({ fleetNodes, tpuZones }: NodeRecord): string {
  const parts = [
    fleetNodes.length > 0 && `fleet ${fleetNodes.join(',')}`,
    tpuZones.length > 0 && `TPU ${tpuZones.map(printable).join(',')}`,
  ];
  return parts.filter((part) => part !== false).join('; ') || '-';
}

/** Jobs of nodes as aligned columns. */
function jobTable(jobs: readonly HeldJob[]): string {
  const rows = jobs.map(({ id, kind, keyId, node = '-', since, attempts }) => [
    id,
    kind,
    printable(keyId),
    printable(node),
    since === undefined ? 'not begun' : timeText(since),
    String(attempts),
  ]);
  return `${table(['JOB', 'KIND', 'KEY', 'NODE', 'SINCE', 'ATTEMPTS'], rows)}\n`;
}

/** Waiting jobs as aligned columns. */
function waitingTable(waiting: readonly WaitingJobs[]): string {
  const rows = waiting.map(({ line = '-', keyId, number, longestMs }) => [
    printable(line),
    printable(keyId),
    String(number),
    durationText(longestMs),
  ]);
  return `${table(['LINE', 'KEY', 'WAITING', 'LONGEST'], rows)}\n`;
}

/** Not below 0: the node may have written between two readings of the clock. */
function silentMs({ now, seenAt }: NodeRecord): number {
  return Math.max(0, now - seenAt);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
