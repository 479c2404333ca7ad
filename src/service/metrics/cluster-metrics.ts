/** Metrics of a node of a cluster, read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { NODE_STATES, type NodeState } from '../../cluster/node-status.ts';

/** Figures of a cluster as one node knows them. Numbers of events count from the start of its process. */
export interface ClusterFigures {
  /** States of all nodes, this one included. */
  readonly nodes: readonly NodeState[];
  /** Time since this node last renewed its lease, milliseconds; undefined before the first time. */
  readonly leaseAgeMs: number | undefined;
  /** Jobs that this node has claimed. */
  readonly numClaims: number;
  /** Silent nodes that this node has given up. */
  readonly numGivenUp: number;
  /** Jobs that wait in the database for a node, by line; lines without a job may be left out. */
  readonly queuedJobs: ReadonlyMap<string, number>;
  /** Notifications that this node has sent to the others and received from them. */
  readonly notifications: { readonly sent: number; readonly received: number };
}

/** Source of the metrics of a cluster. */
export interface ClusterSource {
  /** Name of this node. */
  readonly node: string;
  /** Figures that the node knows without asking the database. */
  figures(): ClusterFigures;
}

/** Metrics of a cluster. */
export class ClusterMetrics {
  readonly #source: ClusterSource;
  readonly #nodes: Gauge<'state'>;
  readonly #leaseAge: Gauge;
  readonly #claims: Counter;
  readonly #givenUp: Counter;
  readonly #queued: Gauge<'line'>;
  readonly #notifications: Counter<'direction'>;

  constructor(registry: Registry, source: ClusterSource) {
    this.#source = source;
    const registers = [registry];
    this.#nodes = new Gauge({
      name: 'qcs_cluster_nodes',
      help: 'Nodes of the cluster, each in one state.',
      labelNames: ['state'],
      registers,
    });
    this.#leaseAge = new Gauge({
      name: 'qcs_cluster_lease_age_seconds',
      help: 'Time since this node last renewed its lease.',
      registers,
    });
    this.#claims = new Counter({
      name: 'qcs_cluster_claims_total',
      help: 'Jobs that this node took from the database to run them.',
      registers,
    });
    this.#givenUp = new Counter({
      name: 'qcs_cluster_nodes_given_up_total',
      help: 'Silent nodes that this node gave up.',
      registers,
    });
    this.#queued = new Gauge({
      name: 'qcs_cluster_jobs_queued',
      help: 'Jobs that wait in the database for a node, by line.',
      labelNames: ['line'],
      registers,
    });
    this.#notifications = new Counter({
      name: 'qcs_cluster_notifications_total',
      help: 'Notifications between nodes, sent or received.',
      labelNames: ['direction'],
      registers,
    });
  }

  /** Reads the source once. */
  read(): void {
    const figures = this.#source.figures();
    for (const state of NODE_STATES) {
      this.#nodes.set({ state }, figures.nodes.filter((each) => each === state).length);
    }
    // A gauge without labels shows 0 after `reset`, as if the lease were fresh.
    if (figures.leaseAgeMs === undefined) this.#leaseAge.remove();
    else this.#leaseAge.set(figures.leaseAgeMs / 1000);
    setTo(this.#claims, figures.numClaims);
    setTo(this.#givenUp, figures.numGivenUp);
    this.#queued.reset();
    for (const [line, numJobs] of figures.queuedJobs) this.#queued.set({ line }, numJobs);
    this.#notifications.reset();
    this.#notifications.inc({ direction: 'sent' }, figures.notifications.sent);
    this.#notifications.inc({ direction: 'received' }, figures.notifications.received);
  }
}

/** Replaces the value of a counter whose total is kept elsewhere. */
function setTo(counter: Counter, total: number): void {
  counter.reset();
  counter.inc(total);
}
