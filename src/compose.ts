/** Composes the service for `npm start` and `qcs serve`. It makes no decisions about circuits. */
import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ClusterFleet } from './cluster/cluster-fleet.ts';
import type { Cluster } from './compose-cluster.ts';
import { createFleet } from './compose-fleet.ts';
import {
  createHardware,
  createModels,
  createReaders,
  createWorkloads,
  numTaskProcesses,
} from './compose-parts.ts';
import { openStores } from './compose-stores.ts';
import type { Config } from './config.ts';
import { readMachine } from './fleet/cpu-processors.ts';
import { JobRunner, type JobRunnerOptions } from './jobs/job-runner.ts';
import { LocalPlaces } from './jobs/places.ts';
import { drawSeed } from './math/philox.ts';
import { buildApp } from './service/app.ts';
import { SERVICE } from './service/audit/audit-log.ts';
import type { ProcessorDirectory } from './service/directories.ts';
import { DEFAULT_SCOPES, isValidAt } from './service/http/api-key.ts';
import { CannotListenError } from './service/http/errors.ts';
import { FixedWindows, WINDOW_S } from './service/http/limits.ts';
import { type LogDestination, logStream } from './service/http/log-stream.ts';
import { version } from './service/http/software-version.ts';
import { closeJobKinds, serveJobKinds } from './service/job-kinds.ts';
import { ServiceMetrics } from './service/metrics/service-metrics.ts';
import { demoFactsOf } from './service/models/demo-routes.ts';
import { servedProcessors } from './service/served-processor.ts';
import type { ServiceSettings } from './service/service-deps.ts';
import { restoreMaintenance } from './service/systems/maintenance.ts';
import { warmUp } from './service/warm-up.ts';
import { reportOnce } from './storage/damaged-records.ts';
import { StorageUnwritableError } from './storage/errors.ts';

const MS_PER_DAY = 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;
const CLOSE_IDLE_EVERY_MS = 50;
const LAST_ANSWERS_MS = 500;

/** Environment of the service, provided by the entry point. */
export interface Surroundings {
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsedMs: () => number;
  /** Random number, uniform in [0, 1). */
  readonly random: () => number;
  /** Environment of adapter processes, which read driver settings from it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Facts about a service after its first self-tests. */
export interface TestedService {
  /** Text of the key created since the service started, because there was none; shown once. */
  readonly firstKey: string | undefined;
  /** Hardware that runs circuits and the reason for the choice, one line each. */
  readonly hardware: readonly string[];
  /** Models in service, likewise. */
  readonly models: readonly string[];
  /** Agents and TPU fleet, likewise. */
  readonly agents: readonly string[];
  /** Numbers of jobs of an earlier process that were queued again and that failed. */
  readonly recovered: { readonly requeued: number; readonly failed: number };
}

/** A running service. */
export interface RunningService {
  /** Origin that it listens on: `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly app: FastifyInstance;
  /** Text of the key created because there was none; shown once. */
  readonly firstKey: string | undefined;
  /** Number of keys that are neither revoked nor expired; undefined if the database cannot be reached yet. */
  readonly numKeys: number | undefined;
  /**
   * Resolves when everything else has passed or failed its first self-test; with undefined if the service was
   * closed before. Rejects if the jobs of an earlier process cannot be read.
   */
  readonly tested: Promise<TestedService | undefined>;
  /** In a cluster: resolves if another process has taken the name of this node, which must stop then. */
  readonly replaced?: Promise<Error>;
  /** Stops accepting work, lets running jobs finish or puts them back, and closes everything. */
  close(): Promise<{ readonly finished: number; readonly requeued: number }>;
}

/**
 * Starts the service: database, HTTP, and the engines of `statevector-sim` after their self-test. Other
 * components are tested while requests are answered and are unavailable until then; the jobs of an earlier
 * process run after that.
 */
export async function startService(
  config: Config,
  surroundings: Surroundings,
  logDestination: LogDestination,
): Promise<RunningService> {
  const log = new LateLog();
  const records = await openRecords(config, surroundings, log);
  const machine = await createProcessors(config, surroundings, records, log);
  const parts = await buildParts(config, surroundings, { records, machine }, log, logDestination);
  const service = new ComposedService(config, parts);
  await service.begin();
  return await service.listen();
}

/** The app's log, for parts that are made before it: what they say early is written once there is one. */
class LateLog {
  readonly #log = Promise.withResolvers<FastifyInstance['log']>();

  resolve(log: FastifyInstance['log']): void {
    this.#log.resolve(log);
  }

  error(facts: object, what: string): void {
    void this.#log.promise.then((log) => log.error(facts, what));
  }

  warn(facts: object, what: string): void {
    void this.#log.promise.then((log) => log.warn(facts, what));
  }

  info(what: string): void {
    void this.#log.promise.then((log) => log.info(what));
  }
}

/** Opens the stores, and with PostgreSQL the node of a cluster. */
async function openRecords(config: Config, { now: clock, elapsedMs }: Surroundings, log: LateLog) {
  // With a cluster the clock is that of its database.
  const metrics: ServiceMetrics = new ServiceMetrics(() => now());
  const onDamaged = reportOnce((record) => {
    metrics.countDamaged(record);
    log.error(record, 'a stored record is damaged');
  });
  let cluster: Cluster | undefined;
  const onError = (error: unknown, what: string) => log.error({ err: error }, what);
  const stores = await openStores(config, {
    onDamaged,
    onError,
    onRestored: () => log.info('the database can be used again'),
    onConnection: (isConnected) => cluster?.jobs.connectionChanged(isConnected),
  });
  // The driver of PostgreSQL is loaded only with these.
  cluster =
    stores.database &&
    new (await import('./compose-cluster.ts')).Cluster(config, stores.database, {
      version: version(),
      clock,
      elapsedMs,
      onRecovered: ({ givenUp, queuedAgain, failed }) =>
        log.warn(
          { nodes: givenUp, jobs_queued_again: queuedAgain.length, jobs_failed: failed.length },
          'jobs of lost nodes were recovered',
        ),
      onError,
    });
  if (cluster !== undefined) {
    const own = cluster;
    metrics.setCluster({ node: own.node.name, figures: () => own.figures() });
  }
  const now: () => number = cluster === undefined ? clock : () => cluster.node.now();
  return { metrics, onDamaged, stores, cluster, now };
}

type Records = Awaited<ReturnType<typeof openRecords>>;

/** Creates the processors of this machine, and with a cluster those of all nodes over them. */
async function createProcessors(
  config: Config,
  { environment }: Surroundings,
  { metrics, cluster, now }: Records,
  log: LateLog,
) {
  const hardware =
    config.hardware &&
    createHardware(config, config.hardware, now, (error, vendorJobId) =>
      log.error({ err: error, vendor_job_id: vendorJobId }, 'hardware'),
    );
  const fleet = await createFleet(config, now, {
    ...(environment && { environment: withoutSecrets(environment) }),
    ...(hardware && { hardware }),
    // A node of a cluster learns when it joins which devices it serves.
    ...(cluster && { fleetNodes: [], nodeName: cluster.node.name }),
    runsNoJobs: config.role === 'api',
  });
  const served = servedProcessors(fleet, metrics.engines, ({ error, ...facts }) =>
    log.error({ err: error, ...facts }, 'a result cannot be right'),
  );
  const own = { fleet: served, devices: fleet.deviceDirectory };
  const overlay =
    cluster &&
    new ClusterFleet({
      processors: own.fleet.processors,
      devices: own.devices,
      peers: cluster.node,
      silentAfterMs: config.leaseMs,
      numThreads: fleet.numThreads,
      queueLimit: config.queueLimit,
      maxRunMs: config.maxRunMs,
      waitingInDatabase: (id) => cluster.waitingFor(id),
    });
  const processors: ProcessorDirectory = overlay ?? own.fleet;
  return { hardware, fleet, own, overlay, processors, devices: overlay?.devices ?? own.devices };
}

/** Builds the parts that work on requests: workloads, kinds of jobs and their runner, and the app. */
async function buildParts(
  config: Config,
  { elapsedMs, random }: Surroundings,
  composed: {
    readonly records: Records;
    readonly machine: Awaited<ReturnType<typeof createProcessors>>;
  },
  log: LateLog,
  logDestination: LogDestination,
) {
  const { metrics, onDamaged, stores, cluster, now } = composed.records;
  const { fleet, own, overlay, processors, devices } = composed.machine;
  const { maintenance } = stores;
  const models = createModels(config, own.fleet, now);
  const { cpuModel, ...machine } = readMachine();
  const workloads = createWorkloads(config, own.fleet, machine.numCores, now, (how) =>
    log.error({ how }, 'a process that runs tasks was lost'),
  );
  const { pool, agents, planner, tpu } = workloads;
  const readers = createReaders(config, machine, (how) =>
    log.error({ how }, 'a process that reads bodies was lost'),
  );
  const work = { fleet: processors, agents, planner, tpu, pool, readers, cpuModel, now };
  const kinds = serveJobKinds({ ...work, jobs: () => runner });
  const options: JobRunnerOptions = {
    store: metrics.overStore(stores.jobs),
    handlers: kinds,
    now,
    maxSuspicion: config.jobAttempts,
    refusal: () => stores.fault() ?? cluster?.refusal(),
    onUnexpectedError: (error, job) => log.error({ err: error, job_id: job.id }, 'job failed'),
  };
  const numProcesses = numTaskProcesses(config, machine.numCores);
  const shared = overlay && { fleet, overlay, numTaskProcesses: numProcesses, maintenance };
  const runner: JobRunner = (shared && cluster?.serve(shared, options)) ?? new JobRunner(options);
  const { keys, idempotency, ionqSessions, audit, usage } = stores;
  const warmth = { isWarm: !config.warmsUp };
  const deps = {
    ...work,
    devices,
    models,
    demoFacts: () => demoFactsOf(models.classifier, config.demoRateLimit),
    jobs: runner,
    places: cluster?.places ?? new LocalPlaces((kind, keyId) => runner.inFlight(kind, keyId)),
    kinds,
    idempotency,
    keys,
    requestWindows: cluster?.requestWindows ?? new FixedWindows(WINDOW_S * 1000),
    maintenance: cluster?.announcing(maintenance) ?? maintenance,
    ionqSessions,
    audit,
    onDamaged,
    storageFault: () => stores.fault(),
    usage,
    metrics,
    engines: () => (config.role === 'api' ? [] : fleet.engineTimes),
    settings: settingsOf(config),
    elapsedMs,
    drawSeed: () => drawSeed(random),
    logger: { level: config.logLevel, stream: logStream(config.logFormat, logDestination) },
  };
  const app = await buildApp({
    ...deps,
    ...(overlay && { own }),
    ...(cluster && { nodeFault: () => cluster.fault() }),
    isWarm: () => warmth.isWarm,
  });
  log.resolve(app.log);
  return {
    ...composed.records,
    ...composed.machine,
    models,
    workloads,
    readers,
    kinds,
    runner,
    app,
    deps,
    warmth,
  };
}

type Parts = Awaited<ReturnType<typeof buildParts>>;

/** The settings that routes know. */
function settingsOf(config: Config): ServiceSettings {
  return {
    version: version(),
    role: config.role,
    rateLimits: config.rateLimits,
    inFlightLimits: config.inFlightLimits,
    storageLimits: config.storageLimits,
    demoRateLimit: config.demoRateLimit,
    publicRateLimit: config.publicRateLimit,
    bodyLimitBytes: config.bodyLimitBytes,
    requestTimeoutMs: config.requestTimeoutMs,
    maxConnections: config.maxConnections,
    maxConnectionsOfAddress: config.maxConnectionsOfAddress,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    metricsAddresses: config.metricsAddresses,
    revokedKeyJobs: config.revokedKeyJobs,
  };
}

/** The service from its first answer to its last. */
class ComposedService {
  readonly #config: Config;
  readonly #parts: Parts;
  readonly #closed = Promise.withResolvers<undefined>();
  #isClosing = false;
  #numKeys: number | undefined;
  #recovering: ReturnType<JobRunner['recover']> | undefined;
  #pruning: NodeJS.Timeout | undefined;
  /** Never rejects. */
  #warming: Promise<void> = Promise.resolve();

  constructor(config: Config, parts: Parts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Tests `statevector-sim`, and joins the cluster. */
  async begin(): Promise<void> {
    const { fleet, stores, cluster } = this.#parts;
    await fleet.startStatevector();
    // A node that cannot join now does so once the database is there.
    if (!stores.database?.writer.isConnected) return;
    await cluster?.join().catch((error) => {
      if (!(error instanceof StorageUnwritableError)) throw error;
    });
  }

  /** Listens, and tests the rest meanwhile. */
  async listen(): Promise<RunningService> {
    const { app, cluster } = this.#parts;
    const origin = await listen(app, this.#config);
    // Create the key only once the service listens; a key of a failed start would never be shown.
    const firstKey = await this.#readKeys().catch((error) => {
      const mayWait = this.#config.databaseUrl !== undefined;
      if (!mayWait || !(error instanceof StorageUnwritableError)) throw error;
      return undefined;
    });
    void this.#prune();
    this.#pruning = setInterval(() => void this.#prune(), PRUNE_EVERY_MS).unref();
    return {
      origin,
      app,
      firstKey,
      numKeys: this.#numKeys,
      // A self-test may never end if its engine is closed.
      tested: Promise.race([this.#testTheRest(), this.#closed.promise]),
      ...(cluster && { replaced: cluster.replaced }),
      close: () => this.#close(),
    };
  }

  /** Runs the remaining self-tests, and recovers jobs of an earlier process once their executors are known. */
  async #testTheRest(): Promise<TestedService | undefined> {
    const { workloads, hardware, fleet, models, stores, cluster, runner } = this.#parts;
    const isClosing = () => this.#isClosing;
    const isToOpenLate = this.#numKeys === undefined;
    const prepared = workloads.prepare();
    this.#warming = this.#warmUp();
    void hardware?.check();
    let laterKey: string | undefined;
    const recover = async () => {
      this.#recovering = stores.insist(() => runner.recover(), isClosing);
      await this.#recovering;
    };
    const steps: readonly (() => Promise<unknown>)[] = [
      () => fleet.start(),
      () => models.start(),
      () => prepared,
      () => workloads.start(),
      () => stores.insist(async () => cluster?.join(), isClosing),
      async () => {
        if (isToOpenLate) laterKey = await stores.insist(() => this.#openLate(), isClosing);
      },
      recover,
      () => this.#warming,
    ];
    for (const step of steps) {
      await step();
      if (this.#isClosing) return undefined;
    }
    await cluster?.applyMaintenance();
    await cluster?.jobs.start();
    void workloads.measure();
    return {
      firstKey: laterKey,
      hardware: fleet.describe(),
      models: models.describe(),
      agents: workloads.describe(),
      recovered: await this.#recovering!,
    };
  }

  /** Runs the code of a circuit's whole way, before the service calls itself ready. */
  async #warmUp(): Promise<void> {
    const { deps, fleet, warmth, app } = this.#parts;
    try {
      if (this.#config.warmsUp) await warmUp(deps, fleet, () => this.#isClosing);
    } catch (error) {
      app.log.warn({ err: error }, 'the warm-up failed');
    }
    warmth.isWarm = true;
  }

  /** Does what waited for a database that was not there when the service started; see `#readKeys`. */
  async #openLate(): Promise<string | undefined> {
    const { stores, processors, devices } = this.#parts;
    await restoreMaintenance({ maintenance: stores.maintenance, fleet: processors, devices });
    return await this.#readKeys();
  }

  /** Counts the valid keys; creates one if there is none at all, and returns its text. */
  async #readKeys(): Promise<string | undefined> {
    const { stores, cluster, now } = this.#parts;
    const { keys } = stores;
    const isFirst = (await keys.isEmpty()) && (await cluster?.makesFirstKey()) !== false;
    const first = { name: 'first key', tier: 'standard', scopes: DEFAULT_SCOPES } as const;
    const made = isFirst ? await keys.create({ ...first, createdAt: now() }, SERVICE) : undefined;
    this.#numKeys = (await keys.list()).filter((key) => isValidAt(key, now())).length;
    return made?.text;
  }

  async #prune(): Promise<void> {
    const { stores, cluster, now, app } = this.#parts;
    try {
      await stores.idempotency.prune(now());
      await stores.prune(now() - this.#config.jobRetentionDays * MS_PER_DAY);
      await cluster?.requestWindows.prune();
      await cluster?.node.prune();
    } catch (error) {
      app.log.error({ err: error }, 'old records could not be deleted');
    }
  }

  async #close(): ReturnType<RunningService['close']> {
    const { cluster, runner, models, app, workloads, fleet, hardware, readers, kinds, stores } =
      this.#parts;
    this.#isClosing = true;
    clearInterval(this.#pruning);
    cluster?.jobs.stopClaiming();
    cluster?.places.close();
    const graceMs = this.#config.shutdownGraceMs;
    const graceIsOver = sleep(graceMs, undefined, { ref: false });
    // Close these before the server, which waits for all requests.
    const [counts] = await Promise.all([runner.shutdown(graceMs), models.close(graceMs)]);
    await closeServer(app, graceIsOver);
    await workloads.close();
    await Promise.all([fleet.close(), hardware?.close()]);
    await Promise.all([readers.close(), closeJobKinds(kinds)]);
    await this.#recovering?.catch(() => undefined);
    await this.#warming;
    await cluster?.jobs.close();
    await stores.close();
    this.#closed.resolve(undefined);
    return counts;
  }
}

/** Removes secrets, which adapter processes do not need. */
function withoutSecrets(
  environment: NonNullable<Surroundings['environment']>,
): NonNullable<Surroundings['environment']> {
  const {
    QCS_LLM_API_KEY: _,
    QCS_HARDWARE_TOKEN: __,
    QCS_DATABASE_URL: ___,
    ...rest
  } = environment;
  return rest;
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    // Use one address: for a name with several, Fastify would open further servers that are neither limited
    // nor closed here.
    const { address } = await lookup(host, { order: 'ipv4first' });
    return await app.listen({ host: address, port });
  } catch (error) {
    throw new CannotListenError(host, port, error);
  }
}

/**
 * Closes the server. A connection whose last answer is still being sent is closed afterwards.
 *
 * @param graceIsOver - Resolves when incomplete requests and unread answers are abandoned.
 */
async function closeServer(app: FastifyInstance, graceIsOver: Promise<void>): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  try {
    const closed = app.close();
    // Send the answers of jobs ended at the grace limit first.
    void graceIsOver
      .then(() => sleep(LAST_ANSWERS_MS))
      .then(() => app.server.closeAllConnections());
    await closed;
  } finally {
    clearInterval(sweep);
  }
}
