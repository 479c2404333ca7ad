/** A node of a cluster as the other nodes know it, from its row in the database. */
import type { FleetDevice } from '../fleet/fleet-device.ts';
import type { Availability, ProcessorLoad, ProcessorSpec } from '../fleet/processor.ts';
import type { JobId } from '../jobs/job.ts';

/** Parts that a node may have. */
export type NodeRole = 'all' | 'api' | 'worker';

/** The part of a processor that depends on its node's machine. The rest is the same on all nodes. */
export type ReportedSpec = Pick<
  ProcessorSpec,
  | 'id'
  | 'maxQubits'
  | 'maxNoisyQubits'
  | 'maxSingleQubits'
  | 'stateMemory'
  | 'execution'
  | 'target'
  | 'physicalGpus'
  | 'adapters'
>;

/** A processor of a node. */
export interface ReportedProcessor {
  readonly spec: ReportedSpec;
  /** Set for an emulated device: qubits that one circuit may use. */
  readonly maxUsedQubits?: number;
  readonly availability: Availability;
  /** Without the jobs that wait at a vendor, which all nodes share. */
  readonly load: ProcessorLoad;
  /** Expected time of a wide circuit over the time that the cost model gives; absent where nothing runs one. */
  readonly timeFactor?: number;
}

/** Report that a node writes with each renewal of its lease, as JSON. */
export interface NodeReport {
  readonly processors: readonly ReportedProcessor[];
  /** Small circuits that the node runs at the same time. */
  readonly numThreads: number;
  /** Devices that the node serves; none if it runs no jobs. */
  readonly devices: readonly FleetDevice[];
  /** Start of counting of the devices, milliseconds since 1970 UTC. */
  readonly countedSince: number;
  /** Progress of jobs that run on the node, in [0, 1]. */
  readonly progress: Readonly<Record<JobId, number>>;
}

/** A node of the cluster. */
export interface NodeStatus {
  readonly name: string;
  /** Raised whenever the node starts or is given up. */
  readonly epoch: number;
  readonly role: NodeRole;
  /** Version of its software. */
  readonly version: string;
  /** False once the node has stopped or was given up. */
  readonly isUp: boolean;
  /** True if the node is to claim no further jobs. */
  readonly isDraining: boolean;
  /** Milliseconds since 1970 UTC, by the clock of the database. */
  readonly startedAt: number;
  /** Last sign of life, likewise. */
  readonly seenAt: number;
  /** Undefined until the node has reported. */
  readonly report: NodeReport | undefined;
}

/**
 * States of a node. `silent`: it was not heard of for a lease, and no other node has given it up yet. `stopped`: it
 * stopped in order, or was given up.
 */
export const NODE_STATES = ['up', 'draining', 'silent', 'stopped'] as const;

export type NodeState = (typeof NODE_STATES)[number];

/**
 * Derives the state of a node.
 *
 * @param now - By the clock of the database, milliseconds since 1970 UTC.
 */
export function nodeStateOf(
  { isUp, isDraining, seenAt }: Pick<NodeStatus, 'isUp' | 'isDraining' | 'seenAt'>,
  now: number,
  leaseMs: number,
): NodeState {
  if (!isUp) return 'stopped';
  if (now - seenAt > leaseMs) return 'silent';
  return isDraining ? 'draining' : 'up';
}

/** The other nodes of a cluster, as far as this node has heard of them. */
export interface Peers {
  /** Name of this node. */
  readonly name: string;
  readonly role: NodeRole;
  /** Whether this node is to claim no further jobs. */
  readonly isDraining: boolean;
  /** All nodes but this one, as last read; the same array until they are read again. */
  peers(): readonly NodeStatus[];
  /** Milliseconds since 1970 UTC by the clock of the database. */
  now(): number;
}
