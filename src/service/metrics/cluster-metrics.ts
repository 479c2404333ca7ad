/** Metrics of a node of a cluster, read at each scrape. */
import type { Counter, Registry } from 'prom-client';
import { NODE_STATES, type NodeState } from '../../cluster/node-status.ts';
import { makersIn } from './totals.ts';

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

/** Makes the metrics of a cluster; returns the function that reads the source once. */
export function clusterMetrics(registry: Registry, source: ClusterSource): () => void {
  const { gauge, counter } = makersIn(registry);
  const nodes = gauge('qcs_cluster_nodes', 'Nodes of the cluster, each in one state.', 'state');
  const leaseAge = gauge(
    'qcs_cluster_lease_age_seconds',
    'Time since this node last renewed its lease.',
  );
  const claims = counter(
    'qcs_cluster_claims_total',
    'Jobs that this node took from the database to run them.',
  );
  const givenUp = counter(
    'qcs_cluster_nodes_given_up_total',
    'Silent nodes that this node gave up.',
  );
  const queued = gauge(
    'qcs_cluster_jobs_queued',
    'Jobs that wait in the database for a node, by line.',
    'line',
  );
  const notifications = counter(
    'qcs_cluster_notifications_total',
    'Notifications between nodes, sent or received.',
    'direction',
  );

  return () => {
    const figures = source.figures();
    for (const state of NODE_STATES) {
      nodes.set({ state }, figures.nodes.filter((each) => each === state).length);
    }
    // A gauge without labels shows 0 after `reset`, as if the lease were fresh.
    if (figures.leaseAgeMs === undefined) leaseAge.remove();
    else leaseAge.set(figures.leaseAgeMs / 1000);
    setTo(claims, figures.numClaims);
    setTo(givenUp, figures.numGivenUp);
    queued.reset();
    for (const [line, numJobs] of figures.queuedJobs) queued.set({ line }, numJobs);
    notifications.reset();
    notifications.inc({ direction: 'sent' }, figures.notifications.sent);
    notifications.inc({ direction: 'received' }, figures.notifications.received);
  };
}

/** Replaces the value of a counter whose total is kept elsewhere. */
function setTo(counter: Counter<never>, total: number): void {
  counter.reset();
  counter.inc(total);
}
