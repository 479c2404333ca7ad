/**
 * A cluster: a real PostgreSQL, and nodes that are processes of their own, each with a proxy of its own in front of
 * the database, and in a network namespace of its own where this machine allows that. Tests kill, stop, cut off and
 * start again what they like.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_SCOPES, type Tier } from '../../src/service/http/api-key.ts';
import { createPostgresKeyStore } from '../../src/service/keys/postgres-key-store.ts';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { type NetworkMachine, openTestNetwork } from './network-namespaces.ts';
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';
import { type PostgresServer, query, startPostgres } from './postgres-server.ts';
import { type ServiceProcess, startServiceProcess, temporaryFolder } from './service-process.ts';

/** Settings of the nodes that tests need not meet the limits of. */
export const CLUSTER_SETTINGS = {
  QCS_ENGINE: 'cpu',
  QCS_THREADS: '1',
  QCS_TASK_PROCESSES: '1',
  QCS_EMULATORS: 'none',
  QCS_RATE_LIMIT_STANDARD: '1000000',
  QCS_RATE_LIMIT_ENTERPRISE: '1000000',
  QCS_IN_FLIGHT_STANDARD: '10000',
  QCS_IN_FLIGHT_ENTERPRISE: '10000',
  QCS_PUBLIC_RATE_LIMIT: '1000000',
  QCS_LOG_LEVEL: 'warn',
} as const;

const CLOCK = new URL('./shifted-clock.ts', import.meta.url).href;
const LOOK_EVERY_MS = 20;
const LAST_WORDS_MS = 200;
const MAX_LAST_WORDS = 5000;

/** Options of a cluster. */
export interface ClusterOptions {
  /** Folder of PostgreSQL's programs. */
  readonly programs: string;
  /** One node each; a node is named `node-1` and so on. */
  readonly roles: readonly ('all' | 'api' | 'worker')[];
  /** Seconds; 5 by default. */
  readonly leaseS?: number;
  /** Settings of all nodes beside CLUSTER_SETTINGS. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Tiers of the keys that are made. */
  readonly keys?: readonly Tier[];
  /** Nodes have network namespaces of their own where this machine allows that; false by default. */
  readonly isInNamespaces?: boolean;
  /** Settings of the server, as in `shared_buffers=256MB`. */
  readonly serverSettings?: readonly string[];
  /** Nodes connect to the server itself, not to their proxies, as benchmarks need it. */
  readonly hasNoProxies?: boolean;
  /** Called when the tables are there and before the first node starts. */
  readonly onMigrated?: (url: string) => Promise<void>;
  /** Do not start the nodes. */
  readonly isStopped?: boolean;
}

/** Starts a cluster, and waits until all nodes are ready. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const { programs, roles, leaseS = 5, isInNamespaces = false, hasNoProxies = false } = options;
  const server = stack.use(await startPostgres(programs, options.serverSettings));
  const url = await server.createDatabase();
  const keys = await createKeys(url, options.keys ?? ['enterprise']);
  await options.onMigrated?.(url);
  const network = isInNamespaces ? await openTestNetwork() : undefined;
  if (network !== undefined) stack.use(network);
  const nodes: ClusterNode[] = [];
  for (const [place, role] of roles.entries()) {
    const host = network?.address ?? '127.0.0.1';
    const proxy = stack.use(await startPostgresProxy(server.port, host));
    const through = new URL(url);
    if (!hasNoProxies) through.host = `${host}:${proxy.port}`;
    const folder = stack.use(temporaryFolder());
    const node = new ClusterNode({
      name: `node-${place + 1}`,
      role,
      proxy,
      machine: await network?.addMachine(),
      folder: folder.path,
      settings: {
        ...CLUSTER_SETTINGS,
        ...options.settings,
        QCS_DATABASE_URL: through.href,
        QCS_ROLE: role,
        QCS_LEASE_S: `${leaseS}`,
      },
    });
    nodes.push(node);
    stack.defer(() => node.kill());
  }
  if (!options.isStopped) await Promise.all(nodes.map((node) => node.start()));
  return new Cluster({ server, url, keys, nodes, leaseMs: 1000 * leaseS, owned: stack.move() });
}

/** A PostgreSQL and nodes. */
export class Cluster {
  readonly server: PostgresServer;
  /** Of the database itself, past the proxies. */
  readonly url: string;
  /** API keys, in the order of the options. */
  readonly keys: readonly string[];
  readonly nodes: readonly ClusterNode[];
  readonly leaseMs: number;
  readonly #owned: AsyncDisposableStack;

  constructor({
    owned,
    ...parts
  }: Pick<Cluster, 'server' | 'url' | 'keys' | 'nodes' | 'leaseMs'> & {
    readonly owned: AsyncDisposableStack;
  }) {
    this.server = parts.server;
    this.url = parts.url;
    this.keys = parts.keys;
    this.nodes = parts.nodes;
    this.leaseMs = parts.leaseMs;
    this.#owned = owned;
  }

  /** Nodes that take requests. */
  get apiNodes(): readonly ClusterNode[] {
    return this.nodes.filter(({ role }) => role !== 'worker');
  }

  /** Whether a pulled cable is one, and not a proxy that holds bytes back. */
  get isInNamespaces(): boolean {
    return this.nodes.some(({ isInNamespace }) => isInNamespace);
  }

  /** Runs a statement in the database, past the proxies. */
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return query(this.url, text);
  }

  /** Stops all nodes at once and in order, and gives their exit codes. */
  stopNodes(): Promise<readonly (number | null)[]> {
    return Promise.all(this.nodes.map((node) => node.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}

interface NodeParts {
  readonly name: string;
  readonly role: 'all' | 'api' | 'worker';
  readonly proxy: PostgresProxy;
  readonly machine: NetworkMachine | undefined;
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** A node, running or not. */
export class ClusterNode {
  readonly name: string;
  readonly role: 'all' | 'api' | 'worker';
  /** Between the node and the database. */
  readonly proxy: PostgresProxy;
  readonly #parts: NodeParts;
  #service: ServiceProcess | undefined;
  #log = '';

  constructor(parts: NodeParts) {
    this.name = parts.name;
    this.role = parts.role;
    this.proxy = parts.proxy;
    this.#parts = parts;
  }

  get isInNamespace(): boolean {
    return this.#parts.machine !== undefined;
  }

  /** Whether its process lives, stopped or not. */
  get isRunning(): boolean {
    const { exitCode, signalCode } = this.#service?.process ?? { exitCode: 0, signalCode: null };
    return exitCode === null && signalCode === null;
  }

  /** Its address now; another one after each start. It throws while there has been no start. */
  get origin(): string {
    return this.#running.origin;
  }

  /** Process id. */
  get pid(): number {
    return this.#running.process.pid ?? 0;
  }

  /** What all its processes have written to their logs. */
  get log(): string {
    return this.#log + (this.#service?.log() ?? '');
  }

  /** What its present process has printed. */
  get output(): string {
    return this.#running.output();
  }

  /**
   * Starts it, under the same name and over the same folder.
   *
   * @param clockShiftMs - Its clock is so far ahead.
   * @param settings - For this start.
   */
  async start({
    clockShiftMs = 0,
    says = 'Ready',
    settings = {},
  }: {
    readonly clockShiftMs?: number;
    readonly says?: 'Ready' | 'Listening';
    readonly settings?: Readonly<Record<string, string>>;
  } = {}): Promise<void> {
    const { folder, machine, name } = this.#parts;
    this.#log = this.log;
    this.#service = undefined;
    this.#service = await startServiceProcess(
      folder,
      {
        ...this.#parts.settings,
        ...settings,
        QCS_NODE_NAME: name,
        ...(machine && { QCS_HOST: machine.address }),
        ...(clockShiftMs !== 0 && {
          NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${CLOCK}`.trim(),
          QCS_TEST_CLOCK_SHIFT_MS: `${clockShiftMs}`,
        }),
      },
      { says, ...(machine && { command: machine.command }) },
    );
  }

  /** Kills its process with SIGKILL, if it runs. */
  async kill(): Promise<void> {
    await this.#service?.stop('SIGKILL');
  }

  /** Stops it in order; gives the exit code. */
  async stop(): Promise<number | null> {
    return (await this.#service?.stop('SIGTERM')) ?? null;
  }

  /** Stops its process in its tracks; `thaw` lets it go on. */
  freeze(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /**
   * Parts it from the database, and from its clients where it has a network namespace: bytes wait, and connections
   * stay. `join` ends it.
   */
  async part(): Promise<void> {
    const { machine, proxy } = this.#parts;
    if (machine === undefined) proxy.hold();
    else await machine.unplug();
  }

  async join(): Promise<void> {
    const { machine, proxy } = this.#parts;
    if (machine === undefined) proxy.open();
    else await machine.plug();
  }

  /** Whether it says that it accepts work. */
  async isReady(): Promise<boolean> {
    const limit = { signal: AbortSignal.timeout(2000) };
    const answer = await fetch(`${this.origin}/readyz`, limit).catch(() => undefined);
    return answer?.ok ?? false;
  }

  /**
   * Resolves once it is ready.
   *
   * @throws if its process ends.
   */
  async untilReady(): Promise<void> {
    while (!(await this.isReady())) {
      if (!this.isRunning) {
        const { exitCode, signalCode } = this.#running.process;
        // What it said last may still be on its way.
        await sleep(LAST_WORDS_MS);
        const end = this.log.slice(-MAX_LAST_WORDS);
        throw new Error(`${this.name} has ended (${exitCode ?? signalCode}): ${end}`);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  get #running(): ServiceProcess {
    if (this.#service === undefined) throw new Error(`${this.name} was not started`);
    return this.#service;
  }
}

async function createKeys(url: string, tiers: readonly Tier[]): Promise<readonly string[]> {
  const database = await PostgresDatabase.open({ url, role: 'command' });
  try {
    const store = createPostgresKeyStore(database, () => {});
    const keys: string[] = [];
    for (const [place, tier] of tiers.entries()) {
      const newKey = { name: `key ${place}`, tier, scopes: DEFAULT_SCOPES, createdAt: 1 };
      keys.push((await store.create(newKey, 'the test')).text);
    }
    return keys;
  } finally {
    await database.close();
  }
}
