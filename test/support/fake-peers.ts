/** The other nodes of a cluster as a test wants them. */
import { buildReport, readReport } from '../../src/cluster/node-report.ts';
import type { NodeReport, NodeRole, NodeStatus, Peers } from '../../src/cluster/node-status.ts';
import type { Processor } from '../../src/fleet/processor.ts';
import { FakeDevices } from '../service/support/fake-devices.ts';

/** 2026-11-28T04:00:00.000Z. */
export const CLUSTER_NOW = Date.UTC(2026, 10, 28, 4);

/** Nodes that a test adds and changes; the clock stands still unless the test sets it. */
export class FakePeers implements Peers {
  readonly name: string;
  role: NodeRole;
  isDraining = false;
  clock = CLUSTER_NOW;
  #nodes: readonly NodeStatus[];

  constructor(nodes: readonly NodeStatus[] = [], name = 'a', role: NodeRole = 'all') {
    this.#nodes = nodes;
    this.name = name;
    this.role = role;
  }

  peers(): readonly NodeStatus[] {
    return this.#nodes;
  }

  /** Has the nodes read anew. */
  read(nodes: readonly NodeStatus[]): void {
    this.#nodes = nodes;
  }

  now(): number {
    return this.clock;
  }
}

/** What differs between the nodes of a test. */
export interface FakeNode extends Partial<Omit<NodeStatus, 'report' | 'name'>> {
  /** Numbers of the fleet's nodes that it is; none unless given. */
  readonly fleetNodes?: readonly number[];
  readonly devices?: FakeDevices;
  readonly processors?: readonly Processor[];
  readonly numThreads?: number;
  /** Changes to its report. */
  readonly change?: (report: NodeReport) => NodeReport;
}

/** A node that is up, with a report that went through the database. */
export function fakeNode(name: string, options: FakeNode = {}): NodeStatus {
  const { fleetNodes = [], processors = [], numThreads = 2, ...more } = options;
  const { devices = new FakeDevices(fleetNodes), change = (report) => report, ...status } = more;
  const built = { ...buildReport({ processors, deviceDirectory: devices, numThreads }) };
  const report = readReport(JSON.stringify({ ...built, progress: {} }));
  return {
    name,
    epoch: 1,
    role: 'all',
    version: '0.1.0',
    isUp: true,
    isDraining: false,
    startedAt: CLUSTER_NOW - 60_000,
    seenAt: CLUSTER_NOW,
    ...status,
    report: report && change(report),
  };
}
