/** A node of a cluster as the other nodes know it, from what it writes to the database. */
import type { FleetDevice } from '../fleet/fleet-device.ts';
import type { Availability, ProcessorLoad, ProcessorSpec } from '../fleet/processor.ts';
import type { JobId } from '../jobs/job.ts';

/** Parts that a node may have. */
export type NodeRole = 'all' | 'api' | 'worker';

/** A processor of a node; constraints of devices, which are the same on all nodes, are left out. */
export interface ReportedProcessor {
  readonly spec: Omit<ProcessorSpec, 'device' | 'target'>;
  readonly availability: Availability;
  readonly load: ProcessorLoad;
}

/** Report that a node writes with each renewal of its lease, as JSON. */
export interface NodeReport {
  readonly processors: readonly ReportedProcessor[];
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

/** The other nodes of a cluster, as far as this node has heard of them. */
export interface Peers {
  /** Name of this node. */
  readonly name: string;
  readonly role: NodeRole;
  /** All nodes but this one, known for at most a second. */
  peers(): readonly NodeStatus[];
  /** Milliseconds since 1970 UTC by the clock of the database. */
  now(): number;
}
