/** Actions of `qcs cluster`. */
import { loadConfig } from '../config.ts';
import { COMMAND_LINE } from '../service/audit/audit-log.ts';
import { appendAudit } from '../service/audit/postgres-audit-log.ts';
import { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import {
  type NodeRecord,
  readHeldJobs,
  readNodes,
  readWaitingJobs,
  setDraining,
} from './cluster-records.ts';
import {
  jobTable,
  nodeTable,
  viewJob,
  viewNode,
  viewWaiting,
  waitingTable,
} from './cluster-view.ts';
import { type CommandIo, writeJson } from './command-io.ts';
import { InterruptedError, NoClusterError, NodeNotFoundError } from './errors.ts';

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
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new InterruptedError()));
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
