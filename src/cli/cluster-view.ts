/** Nodes and jobs of a cluster as `qcs cluster` prints them. */
import { type NodeState, nodeStateOf } from '../cluster/node-status.ts';
import type { HeldJob, NodeRecord, WaitingJobs } from './cluster-records.ts';
import { table } from './command-io.ts';
import { durationText } from './jobs/job-record.ts';
import { printable } from './printable.ts';

/** A node as JSON. */
export function viewNode(node: NodeRecord, leaseMs: number) {
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
export function viewJob({ id, kind, keyId, node, since, attempts }: HeldJob) {
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
export function viewWaiting({ line, keyId, number, longestMs }: WaitingJobs) {
  return { line: line ?? null, key_id: keyId, jobs: number, longest_wait_s: longestMs / 1000 };
}

/** Nodes as aligned columns. */
export function nodeTable(nodes: readonly NodeRecord[], leaseMs: number): string {
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
export function jobTable(jobs: readonly HeldJob[]): string {
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
export function waitingTable(waiting: readonly WaitingJobs[]): string {
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
