/** This process as a node of a cluster, over the stores in PostgreSQL. */
import { hostname } from 'node:os';
import { ClusterJobs } from './cluster/cluster-jobs.ts';
import { ClusterNode } from './cluster/cluster-node.ts';
import { type NodeNameInUseError, NoNodeError } from './cluster/errors.ts';
import { LocalCapacity } from './cluster/local-capacity.ts';
import type { Recovered } from './cluster/lost-jobs.ts';
import { nodeStateOf } from './cluster/node-state.ts';
import type { NodeReport } from './cluster/node-status.ts';
import type { Config } from './config.ts';
import type { Fleet } from './fleet/fleet.ts';
import type { JobKind } from './jobs/job.ts';
import type { JobHandler } from './jobs/job-handler.ts';
import { type JobRunner, queueingOf } from './jobs/job-runner.ts';
import type { ClusterFigures } from './service/metrics/cluster-metrics.ts';
import type { PostgresDatabase } from './storage/postgres/postgres-database.ts';
import { TPU_POOLS } from './workloads/tpu/tpu-zones.ts';

/** What the cluster needs of the service; all of it is there once the node joins. */
interface ClusterParts {
  readonly fleet: Fleet;
  readonly runner: JobRunner;
  readonly handlers: Readonly<Record<JobKind, JobHandler>>;
  readonly numThreads: number;
  readonly numTaskProcesses: number;
  readonly failDamaged: () => Promise<unknown>;
  /** Called if orders of maintenance may have changed. */
  readonly onOrders: () => void;
}

/** Options of a cluster's node. */
interface ClusterOptions {
  readonly version: string;
  /** Milliseconds since 1970 UTC, by the clock of this machine. */
  readonly clock: () => number;
  readonly parts: () => ClusterParts;
  readonly onRecovered: (recovered: Recovered) => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** The node, its jobs, and what it holds. */
export class Cluster {
  readonly node: ClusterNode;
  readonly jobs: ClusterJobs;
  /** Resolves if another process has taken this node's name. */
  readonly replaced: Promise<NodeNameInUseError>;
  readonly #options: ClusterOptions;
  #zones: readonly string[] = [];
  #capacity: LocalCapacity | undefined;
  #isHolding = false;

  constructor(config: Config, database: PostgresDatabase, options: ClusterOptions) {
    this.#options = options;
    const replaced = Promise.withResolvers<NodeNameInUseError>();
    this.replaced = replaced.promise;
    const { parts } = options;
    this.node = new ClusterNode(database, {
      name: config.nodeName ?? hostname(),
      role: config.role,
      version: options.version,
      leaseMs: config.leaseMs,
      clock: options.clock,
      report: () => this.#report(),
      onJoined: (epoch) => parts().runner.loseClaims((claim) => claim.epoch < epoch),
      onLooked: () => void this.#holdZones(),
      onReplaced: replaced.resolve,
    });
    this.jobs = new ClusterJobs({
      database,
      node: () => this.node,
      capacity: () => this.#localCapacity(config),
      runner: () => parts().runner,
      queueingOf: (job) => queueingOf(parts().handlers[job.kind], job),
      parentOf: (job) => parts().handlers[job.kind].parentOf?.(job),
      maxSuspicion: config.jobAttempts,
      onInherited: async () => {},
      failDamaged: () => parts().failDamaged(),
      onOrders: () => parts().onOrders(),
      onRecovered: options.onRecovered,
      onError: options.onError,
    });
  }

  /** Reason why a load balancer should send no requests to this node; undefined if there is none. */
  fault(): 'draining' | 'lease lost' | undefined {
    if (this.node.isDraining) return 'draining';
    return this.node.epoch > 0 && this.node.leaseAgeMs > this.node.leaseMs
      ? 'lease lost'
      : undefined;
  }

  /** Reason for refusing new jobs; undefined while a node can run them. */
  refusal(): Error | undefined {
    const { node } = this;
    if (node.role !== 'api' && !node.isDraining) return undefined;
    const now = node.now();
    const canRun = node
      .peers()
      .some((peer) => peer.role !== 'api' && nodeStateOf(peer, now, node.leaseMs) === 'up');
    return canRun ? undefined : new NoNodeError();
  }

  /** Figures for the metrics. */
  figures(): ClusterFigures {
    const { node, jobs } = this;
    const now = node.now();
    const ownState = node.isDraining ? 'draining' : 'up';
    const { claimed, givenUp, sent, received } = jobs.counters;
    const queuedJobs = new Map<string, number>();
    for (const { line, count } of jobs.waiting) {
      queuedJobs.set(line, (queuedJobs.get(line) ?? 0) + count);
    }
    return {
      nodes: [ownState, ...node.peers().map((peer) => nodeStateOf(peer, now, node.leaseMs))],
      leaseAgeMs: node.epoch === 0 ? undefined : node.leaseAgeMs,
      numClaims: claimed,
      numGivenUp: givenUp,
      queuedJobs,
      notifications: { sent, received },
    };
  }

  #localCapacity(config: Config): LocalCapacity {
    const { fleet, numThreads, numTaskProcesses } = this.#options.parts();
    this.#capacity ??= new LocalCapacity({
      processors: fleet.processors,
      numThreads,
      numTaskProcesses,
      numHardwareJobs: config.hardware?.maxJobs ?? 0,
      zones: () => this.#zones,
    });
    return this.#capacity;
  }

  /** Holds this node's share of the TPU zones: each zone belongs to one node that runs jobs. */
  async #holdZones(): Promise<void> {
    if (this.#isHolding || this.node.role === 'api') return;
    this.#isHolding = true;
    try {
      const zones = [...new Set(TPU_POOLS.map(({ zone }) => zone))];
      const others = this.node.peers().filter(({ role, isUp }) => role !== 'api' && isUp);
      const share = Math.ceil(zones.length / (1 + others.length));
      const { runner } = this.#options.parts();
      const isUsed = (zone: string) =>
        [...runner.inHand()].some(({ job }) => job.kind === 'tpu_job' && job.target === zone);
      this.#zones = await this.node.hold('tpu-zone', (ofOthers, own) => {
        // Chips of a zone that is in use cannot change hands.
        const used = own.filter(isUsed);
        const kept = own
          .filter((zone) => !used.includes(zone))
          .slice(0, Math.max(0, share - used.length));
        const free = zones.filter((zone) => !ofOthers.has(zone) && !own.includes(zone));
        const held = [...used, ...kept];
        return [...held, ...free.slice(0, Math.max(0, share - held.length))];
      });
    } catch (error) {
      this.#options.onError(error, 'TPU zones could not be held');
    } finally {
      this.#isHolding = false;
    }
  }

  #report(): NodeReport {
    const { runner } = this.#options.parts();
    const progress: Record<string, number> = {};
    for (const { job, hasBegun } of runner.inHand()) {
      const done = hasBegun ? runner.progress(job.id) : undefined;
      if (done !== undefined && done > 0) progress[job.id] = done;
    }
    return { processors: [], devices: [], countedSince: 0, progress };
  }
}
