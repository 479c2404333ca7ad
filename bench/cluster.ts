/**
 * A cluster on this machine, client, nodes and PostgreSQL included: what circuits cost on both ways, and how fast the
 * cluster reacts. Every answer is verified before it counts. `bench/capacity.ts` reads the figures to predict six nodes.
 */

import { bellLoad } from '../src/cli/capacity/http-load.ts';
import { CLUSTER_SETTINGS, type Cluster, startCluster } from '../test/support/cluster.ts';
import { postgresPrograms } from '../test/support/postgres-server.ts';
import { recordOf, ServiceClient } from '../test/support/service-client.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { measureFairness } from './cluster/fairness.ts';
import {
  bellLoads,
  type CircuitCost,
  closedLoops,
  type LoadFigures,
  openLoops,
  withCosts,
} from './cluster/loads.ts';
import {
  type Delays,
  delaysAfterKills,
  delaysOfCancels,
  delaysOfProgress,
} from './cluster/moves.ts';
import { type Measurement, median, report, store } from './harness.ts';

/** Connections to each node. */
const CONNECTIONS = 16;
/** Requests to each node before the measurement, while code is being compiled. */
const WARM_UP = 12_000;
const REQUESTS = 4000;
const ROUNDS = 5;
/** Rate and seconds of the loads with latencies. */
const AT_ONCE_PER_S = 2000;
const QUEUED_PER_S = 300;
const OPEN_SECONDS = 10;
/** Part of the best rate at which latencies are measured where the rate wished for is beyond it. */
const BELOW = 0.8;
/** The rate wished for is in reach if it is at most this part of the best rate. */
const MARGIN = 0.95;
const KILLS = 10;
const CANCELS = 40;
const PROGRESS_SECONDS = 20;
const FAIR_SECONDS = 20;
const KEYS = 8;
/** A circuit with a seed, whose counts are the same at all nodes and on both ways. */
const SEEDED = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'RY', qubit: 1, theta: 1 },
    { gate: 'CX', control: 0, target: 2 },
  ],
  target_processor: 'statevector-sim',
  shots: 1000,
  seed: 7,
};

/** A load at its best and at a rate, with what its circuits cost; medians of the rounds. */
interface WayFigures {
  readonly best: LoadFigures;
  readonly bestSpread: readonly [number, number];
  readonly atRate: LoadFigures;
  readonly rate: number;
  readonly cost: CircuitCost;
}

/** Prints and stores the figures. */
export async function benchCluster(): Promise<void> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  const step = (text: string) => process.stderr.write(`${text} …\n`);

  step('embedded');
  const embedded = await measureEmbedded();
  step('two nodes that do all');
  const atOnce = await withCluster(programs, ['all', 'all'], (cluster) =>
    measureWay(cluster, AT_ONCE_PER_S),
  );
  step('two api and two worker nodes');
  const queued = await withCluster(programs, ['api', 'api', 'worker', 'worker'], (cluster) =>
    measureWay(cluster, QUEUED_PER_S),
  );
  step('cancels');
  const cancels = await withCluster(programs, ['api', 'api', 'worker'], (cluster) =>
    delaysOfCancels(cluster, CANCELS),
  );
  step('progress');
  const progress = await withCluster(programs, ['all', 'all'], (cluster) =>
    delaysOfProgress(cluster, PROGRESS_SECONDS),
  );
  step('fairness');
  const fairness = await withCluster(
    programs,
    ['all', 'all', 'all'],
    (cluster) => measureFairness(cluster, FAIR_SECONDS),
    KEYS,
  );
  step('kills');
  const kills = await withCluster(programs, ['all', 'all', 'all'], (cluster) =>
    delaysAfterKills(cluster, KILLS),
  );

  const figures = { embedded, atOnce, queued, cancels, progress, fairness, kills };
  const measurements = [
    rate('embedded, one process', embedded.best, embedded.bestSpread),
    ...way('two nodes, at once', atOnce, { best: AT_ONCE_PER_S, p99: 50, databaseUs: 150 }),
    ...way('two api and two worker nodes, all queued', queued, {
      best: 600,
      p50: 15,
      databaseUs: 400,
    }),
    ...delays('kill -9 of a node until its job runs elsewhere, lease 5 s', kills, 7000),
    ...delays('cancel at another node, answered', cancels.answered, 250),
    ...delays('cancel at another node, until the next job runs', cancels.freed),
    ...delays('progress at another node, behind that at the own', progress, 300),
    { name: '8 keys over 3 nodes: Jain’s index', value: fairness.jain, unit: '', goal: 0.95 },
  ];
  report('cluster', measurements);
  store('cluster', measurements, { figures });
}

async function withCluster<T>(
  programs: string,
  roles: readonly ('all' | 'api' | 'worker')[],
  measure: (cluster: Cluster) => Promise<T>,
  numKeys = 1,
): Promise<T> {
  await using cluster = await startCluster({
    programs,
    roles,
    hasNoProxies: true,
    // As a cluster is run; what the disk takes belongs to the figures.
    serverSettings: ['fsync=on'],
    keys: Array<'standard'>(numKeys).fill('standard'),
    settings: { QCS_QUEUE_LIMIT: '100000' },
  });
  await checkSeeds(cluster);
  const figures = await measure(cluster);
  await cluster.stopNodes();
  return figures;
}

/** One process with the embedded database, and the settings of the nodes. */
async function measureEmbedded() {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, CLUSTER_SETTINGS);
  try {
    const load = bellLoad(service.origin, service.key ?? '', 'statevector-sim');
    await closedLoops([load], 2 * CONNECTIONS, 2 * WARM_UP);
    return await best(() => closedLoops([load], 2 * CONNECTIONS, 2 * REQUESTS));
  } finally {
    await service.stop('SIGTERM');
  }
}

async function measureWay(cluster: Cluster, wishedRate: number): Promise<WayFigures> {
  const loads = bellLoads(cluster);
  await closedLoops(loads, CONNECTIONS, WARM_UP);
  const costs: CircuitCost[] = [];
  const { best: most, bestSpread } = await best(async () => {
    const { figures, cost } = await withCosts(
      cluster,
      () => closedLoops(loads, CONNECTIONS, REQUESTS),
      () => loads.length * REQUESTS,
    );
    costs.push(cost);
    return figures;
  });
  const isInReach = wishedRate <= MARGIN * most.perSecond;
  const atRateOf = isInReach ? wishedRate : Math.floor(BELOW * most.perSecond);
  const atRate = await openLoops(loads, 2 * CONNECTIONS, atRateOf, OPEN_SECONDS);
  const cost = costs.sort((a, b) => a.databaseUs - b.databaseUs)[costs.length >> 1];
  if (cost === undefined) throw new Error('unreachable: there were rounds');
  return { best: most, bestSpread, atRate, rate: atRateOf, cost };
}

/** Medians of the rounds, with the smallest and the largest rate. */
async function best(round: () => Promise<LoadFigures>) {
  const rounds: LoadFigures[] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round());
  const of = (name: keyof LoadFigures) => median(rounds.map((each) => each[name]));
  const rates = rounds.map(({ perSecond }) => perSecond);
  return {
    best: { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') },
    bestSpread: [Math.min(...rates), Math.max(...rates)] as const,
  };
}

/** One circuit with a seed has the same counts at all nodes, at once and queued. */
async function checkSeeds({ apiNodes, keys }: Cluster): Promise<void> {
  const found = new Set<string>();
  for (const { origin } of apiNodes) {
    const client = new ServiceClient(origin, keys[0] ?? '');
    for (const prefer of ['wait=60', 'respond-async']) {
      const request = { body: SEEDED, headers: { prefer } };
      const answer = await client.request('POST', '/quantum/circuits', request);
      const { status, counts } =
        prefer === 'respond-async'
          ? await client.finalRecord(answer.headers.get('location') ?? '')
          : recordOf(answer);
      if (status !== 'completed') throw new Error(`a circuit is ${status}`);
      found.add(JSON.stringify(Object.entries(counts ?? {}).sort()));
    }
  }
  if (found.size !== 1) throw new Error(`one seed gave ${[...found].join(' and ')}`);
}

function way(
  name: string,
  { best: most, bestSpread, atRate, rate: perSecond, cost }: WayFigures,
  goals: {
    readonly best: number;
    readonly p50?: number;
    readonly p99?: number;
    databaseUs: number;
  },
): readonly Measurement[] {
  const at = `${name}, at ${perSecond}/s`;
  const us = 'µs of processor time a circuit';
  return [
    rate(name, most, bestSpread, goals.best),
    { name: `${name}: latency p99 at the most`, value: most.p99Ms, unit: 'ms' },
    { name: `${at}: latency p50`, value: atRate.p50Ms, unit: 'ms', ...goalOf(goals.p50) },
    { name: `${at}: latency p99`, value: atRate.p99Ms, unit: 'ms', ...goalOf(goals.p99) },
    { name: `${name}: PostgreSQL`, value: cost.databaseUs, unit: us, goal: goals.databaseUs },
    ...Object.entries(cost.nodesUs).map(([role, { main, all }]) => ({
      name: `${name}: nodes (${role}), of that ${main.toFixed(0)} in main threads`,
      value: all,
      unit: us,
    })),
    { name: `${name}: client`, value: cost.clientUs, unit: us },
  ];
}

function rate(
  name: string,
  { perSecond }: LoadFigures,
  spread: readonly [number, number],
  goal?: number,
): Measurement {
  const what = `${name}: Bell circuits, 100 shots`;
  return { name: what, value: perSecond, unit: 'per second', spread, ...goalOf(goal) };
}

function delays(name: string, { count, p50, p99 }: Delays, goal?: number): readonly Measurement[] {
  return [
    { name: `${name}: p50 of ${count}`, value: p50, unit: 'ms' },
    { name: `${name}: p99 of ${count}`, value: p99, unit: 'ms', ...goalOf(goal) },
  ];
}

function goalOf(goal: number | undefined) {
  return goal === undefined ? {} : { goal };
}
