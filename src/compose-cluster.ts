/** This process as a node of a cluster, over the stores in PostgreSQL. */
import { hostname } from 'node:os';
import type { ClusterFleet } from './cluster/cluster-fleet.ts';
import { ClusterJobs } from './cluster/cluster-jobs.ts';
import { ClusterNode } from './cluster/cluster-node.ts';
import { ClusterRunner } from './cluster/cluster-runner.ts';
import { FleetNodeInUseError, type NodeNameInUseError, NoNodeError } from './cluster/errors.ts';
import { LocalCapacity } from './cluster/local-capacity.ts';
import type { Recovered } from './cluster/lost-jobs.ts';
import { buildReport } from './cluster/node-report.ts';
import { type NodeReport, nodeStateOf } from './cluster/node-status.ts';
import { PlacesInFlight } from './cluster/places-in-flight.ts';
import { RateWindows } from './cluster/rate-windows.ts';
import type { Config } from './config.ts';
import type { Fleet } from './fleet/fleet.ts';
import { FLEET_NODES } from './fleet/fleet-device.ts';
import type { JobRunnerOptions } from './jobs/job-runner.ts';
import { WINDOW_S } from './service/http/limits.ts';
import type { ClusterFigures } from './service/metrics/cluster-metrics.ts';
import type { NodeFault } from './service/service-deps.ts';
import type { MaintenanceStore } from './service/systems/maintenance.ts';
import type { PostgresDatabase } from './storage/postgres/postgres-database.ts';
import { TPU_POOLS } from './workloads/tpu/tpu-zones.ts';

/** Parts of the service that the cluster uses. */
interface ClusterParts {
  readonly fleet: Fleet;
  readonly overlay: ClusterFleet;
  readonly runner: ClusterRunner;
  readonly numTaskProcesses: number;
  readonly maintenance: Pick<MaintenanceStore, 'list'>;
}

/** Options of a cluster's node. */
interface ClusterOptions {
  readonly version: string;
  /** Milliseconds since 1970 UTC, by the clock of this machine. */
  readonly clock: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsedMs: () => number;
  readonly onRecovered: (recovered: Recovered) => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** The node, its jobs, and its shares of the fleet. */
export class Cluster {
  readonly node: ClusterNode;
  readonly jobs: ClusterJobs;
  readonly places: PlacesInFlight;
  readonly requestWindows: RateWindows;
  /** Resolves if another process has taken this node's name. */
  readonly replaced: Promise<NodeNameInUseError>;
  readonly #config: Config;
  readonly #database: PostgresDatabase;
  readonly #options: ClusterOptions;
  #parts: ClusterParts | undefined;
  #zones: readonly string[] = [];
  #fleetNodes: readonly string[] = [];
  #capacity: LocalCapacity | undefined;
  #isHolding = false;
  #applying: Promise<void> = Promise.resolve();

  constructor(config: Config, database: PostgresDatabase, options: ClusterOptions) {
    this.#config = config;
    this.#database = database;
    this.#options = options;
    const replaced = Promise.withResolvers<NodeNameInUseError>();
    this.replaced = replaced.promise;
    this.node = new ClusterNode(database, {
      name: config.nodeName ?? hostname(),
      role: config.role,
      version: options.version,
      leaseMs: config.leaseMs,
      clock: options.clock,
      report: () => this.#report(),
      onJoined: (epoch, own) => {
        const { runner } = this.#known();
        // Other nodes may have taken them meanwhile; the next look tells.
        this.#zones = [];
        runner.loseClaims((claim) => claim.epoch < epoch);
        runner.inherit(own.jobs);
        this.places.restored(own.places);
      },
      onLooked: () => void this.#hold(),
      onReplaced: replaced.resolve,
    });
    const numNodes = () => this.#numRequestNodes();
    this.places = new PlacesInFlight({
      database,
      node: this.node.name,
      epoch: () => (this.node.leaseAgeMs < config.leaseMs ? this.node.epoch : undefined),
      numNodes,
      inFlight: (kind, keyId) => this.#parts?.runner.inFlight(kind, keyId) ?? 0,
    });
    this.requestWindows = new RateWindows({
      writer: database.writer,
      lengthMs: WINDOW_S * 1000,
      numNodes,
      elapsedMs: options.elapsedMs,
    });
    const parts = () => this.#known();
    this.jobs = new ClusterJobs({
      database,
      node: () => this.node,
      capacity: () => this.#localCapacity(),
      runner: () => parts().runner,
      fleet: () => parts().overlay,
      maxSuspicion: config.jobAttempts,
      onInherited: (places) => this.places.inherited(places),
      onOrders: () => void this.applyMaintenance(),
      onRecovered: options.onRecovered,
      onError: options.onError,
    });
  }

  /** Nodes that take requests, this one among them. */
  #numRequestNodes(): number {
    const others = this.node.peers().filter(({ role, isUp }) => role !== 'worker' && isUp);
    return 1 + others.length;
  }

  /**
   * Takes the parts of the service, which are made with the cluster. Call it before the node joins.
   *
   * @returns Runner of the service's jobs.
   */
  serve(parts: Omit<ClusterParts, 'runner'>, options: JobRunnerOptions): ClusterRunner {
    const runner = new ClusterRunner(options, this.jobs);
    this.#parts = { ...parts, runner };
    return runner;
  }

  /**
   * Joins the cluster, and serves this node's share of the fleet.
   *
   * @throws {NodeNameInUseError | FleetNodeInUseError}
   */
  async join(): Promise<void> {
    await this.node.join();
    await this.#holdFleetNodes();
    const { fleetNodes, role } = this.#config;
    const isMissing = (number: number) => !this.#fleetNodes.includes(`${number}`);
    const missing = role === 'api' ? undefined : fleetNodes?.find(isMissing);
    if (missing !== undefined) throw new FleetNodeInUseError(missing);
  }

  /** True for the one node that makes the first key of an empty database. */
  async makesFirstKey(): Promise<boolean> {
    const held = await this.node.hold('first-key', [], (ofOthers) =>
      ofOthers.size > 0 ? [] : ['key'],
    );
    return held.length > 0;
  }

  /** A store of maintenance that announces its changes to the other nodes. */
  announcing(maintenance: MaintenanceStore): MaintenanceStore {
    const announced = async (change: Promise<void>) => {
      await change;
      this.jobs.send('orders');
    };
    return {
      list: () => maintenance.list(),
      enter: (...order) => announced(maintenance.enter(...order)),
      leave: (...order) => announced(maintenance.leave(...order)),
    };
  }

  /** Sets maintenance to the store's list. Calls take effect one after another. */
  applyMaintenance(): Promise<void> {
    const { overlay, maintenance } = this.#known();
    this.#applying = this.#applying
      .then(async () => overlay.applyMaintenance(await maintenance.list()))
      .catch((error) => this.#options.onError(error, 'orders of maintenance could not be read'));
    return this.#applying;
  }

  /** Reason why a load balancer should send no requests to this node; undefined if there is none. */
  fault(): NodeFault | undefined {
    if (!this.#database.writer.isConnected) return 'database away';
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

  /** Jobs of a processor, and of those that share its engines, that waited in the database a moment ago. */
  waitingFor(processorId: string): { readonly count: number; readonly costMs: number } {
    const isHardware = this.#parts?.overlay.own(processorId)?.runOnDevice !== undefined;
    const waiting = this.jobs.waiting.filter(({ line }) =>
      isHardware ? line === 'hardware' : line === 'small' || line === 'wide' || line === 'batch',
    );
    return {
      count: waiting.reduce((sum, { count }) => sum + count, 0),
      costMs: waiting.reduce((sum, { costMs }) => sum + costMs, 0),
    };
  }

  #known(): ClusterParts {
    if (this.#parts === undefined) throw new Error('unreachable: the node has not been served');
    return this.#parts;
  }

  #localCapacity(): LocalCapacity {
    const { fleet, overlay, numTaskProcesses } = this.#known();
    this.#capacity ??= new LocalCapacity({
      processors: fleet.processors,
      limits: () => overlay.localLimits(),
      numThreads: fleet.numThreads,
      numTaskProcesses,
      numHardwareJobs: this.#config.hardware?.maxJobs ?? 0,
      zones: () => this.#zones,
    });
    return this.#capacity;
  }

  /** Holds this node's share of what one node at a time holds. */
  async #hold(): Promise<void> {
    if (this.#isHolding || this.node.role === 'api') return;
    this.#isHolding = true;
    try {
      await this.#holdZones();
      await this.#holdFleetNodes();
    } catch (error) {
      this.#options.onError(error, 'TPU zones or nodes of the fleet could not be held');
    } finally {
      this.#isHolding = false;
    }
  }

  /** Each TPU zone belongs to one node that claims jobs. A node that is drained keeps those whose chips are in use. */
  async #holdZones(): Promise<void> {
    const zones = [...new Set(TPU_POOLS.map(({ zone }) => zone))];
    const others = this.node
      .peers()
      .filter(({ role, isUp, isDraining }) => role !== 'api' && isUp && !isDraining);
    const share = this.node.isDraining ? 0 : Math.ceil(zones.length / (1 + others.length));
    const { runner } = this.#known();
    const isUsed = (zone: string) =>
      [...runner.inHand()].some(({ job }) => job.kind === 'tpu_job' && job.target === zone);
    this.#zones = await this.node.hold('tpu-zone', this.#zones, (ofOthers, own) => {
      // Chips of a zone that is in use cannot change hands.
      const used = own.filter(isUsed);
      const unused = own.filter((zone) => !used.includes(zone));
      const kept = unused.slice(0, Math.max(0, share - used.length));
      const free = zones.filter((zone) => !ofOthers.has(zone) && !own.includes(zone));
      const held = [...used, ...kept];
      return [...held, ...free.slice(0, Math.max(0, share - held.length))];
    });
  }

  /** The nodes of the fleet that the settings name, or the lowest that is free. */
  async #holdFleetNodes(): Promise<void> {
    if (this.node.role === 'api') return;
    const { fleetNodes } = this.#config;
    const held = await this.node.hold('fleet-node', this.#fleetNodes, (ofOthers, own) => {
      const isFree = (number: string) => !ofOthers.has(number);
      if (fleetNodes !== undefined) return fleetNodes.map(String).filter(isFree);
      return own.length > 0 ? own : FLEET_NODES.map(String).filter(isFree).slice(0, 1);
    });
    if (held.join() === this.#fleetNodes.join()) return;
    this.#fleetNodes = held;
    this.#parts?.fleet.serveNodes(held.map(Number));
    await this.applyMaintenance();
  }

  #report(): NodeReport | undefined {
    if (this.#parts === undefined) return undefined;
    const { runner, fleet } = this.#parts;
    const progress: Record<string, number> = {};
    for (const { job, hasBegun } of runner.inHand()) {
      const done = hasBegun ? runner.progress(job.id) : undefined;
      if (done !== undefined && done > 0) progress[job.id] = done;
    }
    return { ...buildReport(fleet), progress };
  }
}
