/** The other nodes that run jobs, sorted by whether they live, as this node knows them now. */
import type { NodeReport, NodeStatus, Peers } from './node-status.ts';

/** A node that has reported. */
export interface ReportingNode extends NodeStatus {
  readonly report: NodeReport;
}

/** Nodes that run jobs, except this one. Each list has the node that reported last first. */
export interface NodesNow {
  /** Alive, and they take jobs. */
  readonly runners: readonly ReportingNode[];
  /** Alive and draining: they finish their jobs and start no others. */
  readonly draining: readonly ReportingNode[];
  /** Silent, given up, or stopped. */
  readonly gone: readonly ReportingNode[];
}

/** Sorts the other nodes. */
export class LiveNodes {
  readonly #peers: Peers;
  readonly #silentAfterMs: number;
  #known:
    | { readonly of: readonly NodeStatus[]; readonly until: number; readonly nodes: NodesNow }
    | undefined;

  /** @param silentAfterMs - A node that was not heard of for longer is taken to be away. */
  constructor(peers: Peers, silentAfterMs: number) {
    this.#peers = peers;
    this.#silentAfterMs = silentAfterMs;
  }

  /** The nodes now; the same object until one of them has changed. */
  now(): NodesNow {
    const of = this.#peers.peers();
    const now = this.#peers.now();
    if (this.#known?.of !== of || now > this.#known.until) this.#known = this.#sort(of, now);
    return this.#known.nodes;
  }

  #sort(of: readonly NodeStatus[], now: number) {
    const reporting = of
      .filter((node): node is ReportingNode => node.role !== 'api' && node.report !== undefined)
      .toSorted((a, b) => b.seenAt - a.seenAt);
    const silentAt = (node: NodeStatus) => node.seenAt + this.#silentAfterMs;
    const isAlive = (node: NodeStatus) => node.isUp && now <= silentAt(node);
    const alive = reporting.filter(isAlive);
    return {
      of,
      until: Math.min(...alive.map(silentAt)),
      nodes: {
        runners: alive.filter(({ isDraining }) => !isDraining),
        draining: alive.filter(({ isDraining }) => isDraining),
        gone: reporting.filter((node) => !isAlive(node)),
      },
    };
  }
}
