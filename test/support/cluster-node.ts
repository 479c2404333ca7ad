/** A node of a cluster within the test's process: its jobs are real, what runs them is scripted. */
import {
  ClusterJobs,
  type ClusterRoom,
  type NodeCapacity,
} from '../../src/cluster/cluster-jobs.ts';
import { ClusterNode } from '../../src/cluster/cluster-node.ts';
import { ClusterRunner } from '../../src/cluster/cluster-runner.ts';
import type { Recovered } from '../../src/cluster/lost-jobs.ts';
import type { NodeRole } from '../../src/cluster/node-status.ts';
import { PostgresIdempotencyStore } from '../../src/cluster/postgres-idempotency-store.ts';
import { PostgresJobStore } from '../../src/cluster/postgres-job-store.ts';
import type { JobQueueing, WaitingJob } from '../../src/cluster/shared-job.ts';
import { ServiceMetrics } from '../../src/service/metrics/service-metrics.ts';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { ScriptedHandler } from './jobs.ts';
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';

/** Options of a test's node. */
interface TestNodeOptions {
  readonly name: string;
  readonly role?: NodeRole;
  readonly leaseMs?: number;
  /** Jobs that it holds at a time. */
  readonly maxHeld?: number;
  /** Time by which keys are charged for a job. */
  readonly costMs?: number;
  /** What the nodes can run; anything by default. */
  readonly room?: ClusterRoom;
  /** Line in which its jobs wait and from which it claims, in place of `circuit`. */
  readonly line?: string;
}

/** A node, with the proxy between it and the server. */
export interface TestNode extends AsyncDisposable {
  readonly runner: ClusterRunner;
  readonly handler: LinedHandler;
  readonly node: ClusterNode;
  readonly jobs: ClusterJobs;
  readonly store: PostgresJobStore;
  readonly keys: PostgresIdempotencyStore;
  readonly proxy: PostgresProxy;
  readonly recovered: Recovered[];
  readonly unexpected: unknown[];
}

/** A handler whose jobs all wait in one line. */
class LinedHandler extends ScriptedHandler {
  readonly #costMs: number;
  readonly #line: string;

  constructor(costMs: number, line: string) {
    super();
    this.#costMs = costMs;
    this.#line = line;
  }

  queueing(_job: WaitingJob): JobQueueing {
    return { line: this.#line, level: 2, costMs: this.#costMs, width: 0 };
  }
}

/** Opens a node on a database, and has it join and claim. */
export async function openTestNode(
  server: { readonly port: number },
  url: string,
  {
    name,
    role = 'all',
    leaseMs = 60_000,
    maxHeld = 4,
    costMs = 1,
    line = 'circuit',
    room = { widths: () => undefined, whyNone: () => undefined },
  }: TestNodeOptions,
): Promise<TestNode> {
  const proxy = await startPostgresProxy(server.port);
  const through = new URL(url);
  through.port = String(proxy.port);
  let jobs: ClusterJobs | undefined;
  const database = await PostgresDatabase.open({
    url: through.href,
    role: 'service',
    onEvent: ({ kind }) => jobs?.connectionChanged(kind === 'restored'),
  });
  const store = new PostgresJobStore(database);
  const handler = new LinedHandler(costMs, line);
  const recovered: Recovered[] = [];
  const unexpected: unknown[] = [];
  const node: ClusterNode = new ClusterNode(database, {
    name,
    role,
    version: '1.0.0',
    leaseMs,
    clock: Date.now,
    report: () => ({
      processors: [],
      numThreads: 1,
      devices: [],
      countedSince: 0,
      progress: Object.fromEntries(
        [...runner.inHand()].map(({ job: { id } }) => [id, runner.progress(id) ?? 0]),
      ),
    }),
    onJoined: (epoch, own) => {
      runner.loseClaims((claim) => claim.epoch < epoch);
      runner.inherit(own.jobs);
    },
    onLooked: () => {},
    onReplaced: (error) => unexpected.push(error),
  });
  const capacity: NodeCapacity = {
    lines: () => [line],
    room: (line, { count }) =>
      count >= maxHeld
        ? undefined
        : {
            line,
            maxJobs: maxHeld - count,
            maxCostMs: Number.POSITIVE_INFINITY,
            widths: undefined,
          },
    patienceMs: () => 0,
  };
  const cluster = new ClusterJobs({
    database,
    node: () => node,
    capacity: () => capacity,
    runner: () => runner,
    fleet: () => room,
    maxSuspicion: 10,
    onInherited: () => {},
    onOrders: () => {},
    onRecovered: (what) => recovered.push(what),
    onError: (error) => unexpected.push(error),
  });
  jobs = cluster;
  const runner: ClusterRunner = new ClusterRunner(
    {
      // As in a service.
      store: new ServiceMetrics(() => 0).overStore(store),
      handlers: { circuit: handler },
      now: () => node.now(),
      onUnexpectedError: (error) => unexpected.push(error),
    },
    cluster,
  );
  await node.join();
  await cluster.start();
  return {
    runner,
    handler,
    node,
    jobs: cluster,
    store,
    keys: new PostgresIdempotencyStore(database),
    proxy,
    recovered,
    unexpected,
    async [Symbol.asyncDispose]() {
      cluster.stopClaiming();
      await node.stopRenewing();
      await database.close();
      await cluster.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}
