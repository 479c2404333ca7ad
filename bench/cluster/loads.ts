/** Loads on the nodes of a cluster, client and service on one machine, and what they cost in processor time. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bellLoad,
  closedLoop,
  HttpConnections,
  type Load,
} from '../../src/cli/capacity/http-load.ts';
import { percentilesOf } from '../../src/cli/capacity/percentiles.ts';
import { LoadFailedError } from '../../src/cli/errors.ts';
import type { Cluster } from '../../test/support/cluster.ts';
import { SeededDraws } from '../capacity/model/seeded-draws.ts';
import { threadTimes } from '../thread-times.ts';

const US_PER_S = 1e6;
const NS_PER_US = 1000;
const GAP = 1;
const PROCESSOR = 'statevector-sim';

/** Figures of a load. */
export interface LoadFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Processor time of one circuit, microseconds. */
export interface CircuitCost {
  /** All processes of PostgreSQL. */
  readonly databaseUs: number;
  /** Threads of all nodes together, by role: `main` is the main threads. */
  readonly nodesUs: Readonly<Record<string, { readonly main: number; readonly all: number }>>;
  readonly clientUs: number;
}

/** A Bell circuit at each node that takes requests; every answer is verified. */
export function bellLoads(
  cluster: Cluster,
): readonly Omit<Load, 'numConnections' | 'numRequests'>[] {
  return cluster.apiNodes.map(({ origin }) => bellLoad(origin, cluster.keys[0] ?? '', PROCESSOR));
}

/** Connections of all loads send their next request once they have the answer, until so many were sent to each. */
export async function closedLoops(
  loads: readonly Omit<Load, 'numConnections' | 'numRequests'>[],
  numConnections: number,
  numRequests: number,
): Promise<LoadFigures> {
  const begun = performance.now();
  const latencies = await Promise.all(
    loads.map((load) => closedLoop({ ...load, numConnections, numRequests })),
  );
  const seconds = (performance.now() - begun) / 1000;
  const { p50, p99 } = percentilesOf(latencies.flat());
  return { perSecond: (loads.length * numRequests) / seconds, p50Ms: p50, p99Ms: p99 };
}

/**
 * Requests arrive at random moments at a mean rate, at the loads in turn. Latencies count from the planned moment, so
 * they have the wait for a free connection in them.
 *
 * @param numConnections - Of each load.
 * @throws as `closedLoop`.
 */
export async function openLoops(
  loads: readonly Omit<Load, 'numConnections' | 'numRequests'>[],
  numConnections: number,
  perSecond: number,
  seconds: number,
): Promise<LoadFigures> {
  const draws = new SeededDraws(1);
  const begun = performance.now();
  const end = begun + 1000 * seconds;
  const latencies: number[] = [];
  let sendAt = begun;
  let index = 0;
  using stack = new DisposableStack();
  const drive = async (
    { request, verify, status: expected = 201 }: (typeof loads)[number],
    connections: HttpConnections,
  ) => {
    for (;;) {
      sendAt += draws.exponential(index++, GAP, 1000 / perSecond);
      const plannedAt = sendAt;
      if (plannedAt >= end) return;
      const early = plannedAt - performance.now();
      if (early > 0) await sleep(early);
      // A timer may fire up to a millisecond early.
      const since = Math.min(plannedAt, performance.now());
      const { status, body } = await connections.send(request);
      if (status !== expected) throw new LoadFailedError(`${status}: ${body.slice(0, 500)}`);
      verify(body);
      latencies.push(performance.now() - since);
    }
  };
  // Connections of the loads alternate, and each takes the next arrival.
  const opened = loads.map((load) => ({
    load,
    connections: stack.use(new HttpConnections(numConnections)),
  }));
  await Promise.all(
    Array.from({ length: numConnections }, () =>
      opened.map(({ load, connections }) => drive(load, connections)),
    ).flat(),
  );
  const { p50, p99 } = percentilesOf(latencies);
  return {
    perSecond: latencies.length / ((performance.now() - begun) / 1000),
    p50Ms: p50,
    p99Ms: p99,
  };
}

/** Does a load of so many circuits, and measures what each costs. */
export async function withCosts(
  cluster: Cluster,
  load: () => Promise<LoadFigures>,
  numCircuits: (figures: LoadFigures) => number,
): Promise<{ readonly figures: LoadFigures; readonly cost: CircuitCost }> {
  const before = spentUs(cluster);
  const clientBefore = process.cpuUsage();
  const figures = await load();
  const client = process.cpuUsage(clientBefore);
  const after = spentUs(cluster);
  const count = numCircuits(figures);
  const nodesUs: Record<string, { main: number; all: number }> = {};
  for (const { name, role } of cluster.nodes) {
    const [from, to] = [before.nodes.get(name), after.nodes.get(name)];
    const sum = nodesUs[role] ?? { main: 0, all: 0 };
    nodesUs[role] = {
      main: sum.main + ((to?.main ?? 0) - (from?.main ?? 0)) / count,
      all: sum.all + ((to?.all ?? 0) - (from?.all ?? 0)) / count,
    };
  }
  return {
    figures,
    cost: {
      databaseUs: (after.database - before.database) / count,
      nodesUs,
      clientUs: (client.user + client.system) / count,
    },
  };
}

/** Processor time since their start, microseconds. */
function spentUs({ server, nodes }: Cluster) {
  return {
    database: server.pids().reduce((sum, pid) => sum + processUs(pid), 0),
    nodes: new Map(
      nodes.map(({ name, pid }) => {
        const { main = 0, workers = 0, helpers = 0 } = threadTimes(pid) ?? {};
        return [name, { main: US_PER_S * main, all: US_PER_S * (main + workers + helpers) }];
      }),
    ),
  };
}

/** CPU time of a process of one thread, microseconds. */
function processUs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / NS_PER_US;
  } catch {
    // It has just ended.
    return 0;
  }
}
