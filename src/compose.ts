/** Composes the service for `npm start` and `qcs serve`. It makes no decisions about circuits. */
import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ClusterFleet } from './cluster/cluster-fleet.ts';
import type { Cluster } from './compose-cluster.ts';
import { createFleet } from './compose-fleet.ts';
import { openStores } from './compose-stores.ts';
import type { Config, HardwareConfig } from './config.ts';
import { readMachine } from './fleet/cpu-processors.ts';
import { isSimulator } from './fleet/processor.ts';
import { HardwareProcessor } from './hardware/hardware-processor.ts';
import { IbmProvider } from './hardware/ibm-provider.ts';
import { ServiceProvider } from './hardware/service-provider.ts';
import { JobRunner, type JobRunnerOptions } from './jobs/job-runner.ts';
import { LocalPlaces } from './jobs/places.ts';
import { drawSeed } from './math/philox.ts';
import { buildApp } from './service/app.ts';
import { SERVICE } from './service/audit/audit-log.ts';
import { liveTargetsOf } from './service/circuits/targets.ts';
import { warmUpReading } from './service/circuits/warm-up-reading.ts';
import type { ProcessorDirectory } from './service/directories.ts';
import { DEFAULT_SCOPES, isValidAt } from './service/http/api-key.ts';
import { CannotListenError } from './service/http/errors.ts';
import { FixedWindows, WINDOW_S } from './service/http/limits.ts';
import { type LogDestination, logStream } from './service/http/log-stream.ts';
import { Readers } from './service/http/reading/readers.ts';
import { version } from './service/http/software-version.ts';
import { closeJobKinds, serveJobKinds } from './service/job-kinds.ts';
import { ServiceMetrics } from './service/metrics/service-metrics.ts';
import { demoFactsOf } from './service/models/demo-routes.ts';
import { servedProcessors } from './service/served-processor.ts';
import { restoreMaintenance } from './service/systems/maintenance.ts';
import { reportOnce } from './storage/damaged-records.ts';
import { StorageUnwritableError } from './storage/errors.ts';
import { ModelRegistry } from './workloads/models/model-registry.ts';
import { readArtefact } from './workloads/models/qnn-hybrid/artefact-file.ts';
import { QnnHybrid } from './workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { TextModel } from './workloads/models/text-generation/text-model.ts';
import { ProcedurePool } from './workloads/procedures/procedure-pool.ts';
import { PROCEDURE_CATALOG, Workloads } from './workloads/workloads.ts';

const MS_PER_DAY = 86_400_000;
const MIB = 2 ** 20;
const MAX_READERS = 4;
/** JavaScript heap of a process that reads bodies, as a multiple of the largest body. */
const HEAP_OF_BODY = 32;
/** Upper bound of that heap, as a fraction of the machine's memory. */
const HEAP_OF_MACHINE = 1 / 8;
/** Lower bound of that heap, MiB. */
const MIN_READER_HEAP_MB = 512;
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

function readerHeapMb(bodyLimitBytes: number, memoryBytes: number): number {
  const most = Math.min(HEAP_OF_BODY * bodyLimitBytes, HEAP_OF_MACHINE * memoryBytes);
  return Math.max(MIN_READER_HEAP_MB, Math.floor(most / MIB));
}

/** Creates the models on the fleet's simulators and the upstream that the settings name. */
function createModels(config: Config, fleet: ProcessorDirectory, now: () => number): ModelRegistry {
  const processors = fleet.processors.filter(isSimulator);
  // The fleet comes first, for throughput.
  processors.sort(
    (a, b) => Number(b.spec.family === 'gpu-fleet') - Number(a.spec.family === 'gpu-fleet'),
  );
  return new ModelRegistry({
    classifier: new QnnHybrid({ artefact: readArtefact(), processors, now }),
    text: new TextModel({ upstream: config.textModel, now }),
  });
}

/** A node that runs no jobs has a process for the self-tests of agents. */
function numTaskProcesses(config: Config, numCores: number): number {
  if (config.role === 'api') return 1;
  return config.numTaskProcesses ?? Math.min(4, Math.max(2, numCores));
}

/** Creates the executors of tasks and TPU jobs on the fleet's simulators. */
function createWorkloads(
  config: Config,
  fleet: ProcessorDirectory,
  numCores: number,
  now: () => number,
  onProcessLost: (how: string) => void,
): Workloads {
  const processors = fleet.processors.filter(isSimulator);
  // Double precision comes first, so that energies and angles are not rounded to floats.
  processors.sort(
    (a, b) => Number(b.spec.precision === 'f64') - Number(a.spec.precision === 'f64'),
  );
  const { queueLimit } = config;
  const pool = new ProcedurePool({
    catalog: PROCEDURE_CATALOG,
    processors,
    numProcesses: numTaskProcesses(config, numCores),
    heapLimitMb: config.taskMemoryMb,
    queueLimit,
    onProcessLost,
  });
  return new Workloads({ pool, processors, queueLimit, now });
}

/** Creates the processor of the hardware that the settings name. */
function createHardware(
  { queueLimit, maxGates, maxShots }: Config,
  settings: HardwareConfig,
  now: () => number,
  log: Promise<FastifyInstance['log']>,
): HardwareProcessor {
  const { token: apiKey, backend, baseUrl, timeoutMs, maxJobs, refreshMs } = settings;
  const shared = { baseUrl, apiKey, timeoutMs, now };
  const provider =
    settings.provider === 'ibm'
      ? new IbmProvider({
          ...shared,
          backend,
          instance: settings.instance,
          iamUrl: settings.iamUrl,
        })
      : new ServiceProvider({ ...shared, processor: backend });
  return new HardwareProcessor({
    provider,
    maxJobs,
    queueLimit,
    maxGates,
    maxShots,
    refreshMs,
    timeoutMs,
    now,
    onFault: (error, vendorJobId) =>
      void log.then((to) => to.error({ err: error, vendor_job_id: vendorJobId }, 'hardware')),
  });
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

/** Facts about a service after its first self-tests. */
export interface TestedService {
  /** Text of the key created since the service started, because there was none; shown once. */
  readonly firstKey: string | undefined;
  /** Hardware that runs circuits and the reason for the choice, one line each. */
  readonly backing: readonly string[];
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
  { now: clock, elapsedMs, random, environment }: Surroundings,
  logDestination: LogDestination,
): Promise<RunningService> {
  const metrics = new ServiceMetrics();
  const logs = Promise.withResolvers<FastifyInstance['log']>();
  const onDamaged = reportOnce((record) => {
    metrics.countDamaged(record);
    // Some damaged records are found before the log exists.
    void logs.promise.then((log) => log.error(record, 'a stored record is damaged'));
  });
  let cluster: Cluster | undefined;
  const stores = await openStores(config, {
    onDamaged,
    onError: (error, what) => void logs.promise.then((log) => log.error({ err: error }, what)),
    onRestored: () => void logs.promise.then((log) => log.info('the database can be used again')),
    onConnection: (isConnected) => cluster?.jobs.connectionChanged(isConnected),
  });
  const { keys, idempotency, maintenance, ionqSessions, audit, usage } = stores;
  // The driver of PostgreSQL is loaded only with these.
  cluster =
    stores.database &&
    new (await import('./compose-cluster.ts')).Cluster(config, stores.database, {
      version: version(),
      clock,
      elapsedMs,
      onRecovered: ({ givenUp, queuedAgain, failed }) =>
        app.log.warn(
          { nodes: givenUp, jobs_queued_again: queuedAgain.length, jobs_failed: failed.length },
          'jobs of lost nodes were recovered',
        ),
      onError: (error, what) => app.log.error({ err: error }, what),
    });
  const now: () => number = cluster === undefined ? clock : () => cluster.node.now();
  if (cluster !== undefined) {
    metrics.setCluster({ node: cluster.node.name, figures: () => cluster.figures() });
  }
  const hardware = config.hardware && createHardware(config, config.hardware, now, logs.promise);
  const fleet = await createFleet(config, now, {
    ...(environment && { environment: withoutSecrets(environment) }),
    ...(hardware && { hardware }),
    // A node of a cluster learns when it joins which devices it serves.
    ...(cluster && { fleetNodes: [], nodeName: cluster.node.name }),
    runsNoJobs: config.role === 'api',
  });
  const served = servedProcessors(fleet, metrics.engines, ({ error, ...facts }) => {
    void logs.promise.then((log) =>
      log.error({ err: error, ...facts }, 'a result cannot be right'),
    );
  });
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
  const devices = overlay?.devices ?? own.devices;
  const models = createModels(config, own.fleet, now);
  const { cpuModel, numCores, memoryBytes } = readMachine();
  const workloads = createWorkloads(config, own.fleet, numCores, now, (how) =>
    app.log.error({ how }, 'a process that runs tasks was lost'),
  );
  const { pool, agents, planner, tpu } = workloads;
  const readers = new Readers({
    numReaders: Math.max(2, Math.min(MAX_READERS, numCores)),
    heapLimitMb: readerHeapMb(config.bodyLimitBytes, memoryBytes),
    cpuLimitMs: config.readCpuMs,
    roomBytes: config.readRoomBytes,
    onLost: (how) => app.log.error({ how }, 'a process that reads bodies was lost'),
  });
  const kinds = serveJobKinds({
    fleet: processors,
    agents,
    planner,
    tpu,
    pool,
    readers,
    cpuModel,
    now,
    jobs: () => runner,
  });
  const options: JobRunnerOptions = {
    store: metrics.overStore(stores.jobs),
    handlers: kinds,
    now,
    maxSuspicion: config.jobAttempts,
    refusal: () => stores.fault() ?? cluster?.refusal(),
    onUnexpectedError: (error, job) => app.log.error({ err: error, job_id: job.id }, 'job failed'),
  };
  const parts = overlay && {
    fleet,
    overlay,
    numTaskProcesses: numTaskProcesses(config, numCores),
    maintenance,
  };
  const runner: JobRunner = (parts && cluster?.serve(parts, options)) ?? new JobRunner(options);
  const app = await buildApp({
    fleet: processors,
    devices,
    ...(overlay && { own }),
    models,
    demoFacts: () => demoFactsOf(models.classifier, config.demoRateLimit),
    agents,
    planner,
    tpu,
    pool,
    cpuModel,
    jobs: runner,
    places: cluster?.places ?? new LocalPlaces((kind, keyId) => runner.inFlight(kind, keyId)),
    kinds,
    readers,
    idempotency,
    keys,
    requestWindows: cluster?.requestWindows ?? new FixedWindows(WINDOW_S * 1000),
    maintenance: cluster?.announcing(maintenance) ?? maintenance,
    ionqSessions,
    audit,
    onDamaged,
    storageFault: () => stores.fault(),
    ...(cluster && { nodeFault: () => cluster.fault() }),
    usage,
    metrics,
    settings: {
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
    },
    now,
    elapsedMs,
    drawSeed: () => drawSeed(random),
    logger: { level: config.logLevel, stream: logStream(config.logFormat, logDestination) },
  });

  logs.resolve(app.log);
  await fleet.startStatevector();
  // A node that cannot join now does so once the database is there.
  if (stores.database?.writer.isConnected) {
    await cluster?.join().catch((error) => {
      if (!(error instanceof StorageUnwritableError)) throw error;
    });
  }
  const origin = await listen(app, config);
  // Create the key only once the service listens; a key of a failed start would never be shown.
  const { firstKey, numKeys } = await readKeys().catch((error) => {
    if (config.databaseUrl === undefined || !(error instanceof StorageUnwritableError)) throw error;
    return { firstKey: undefined, numKeys: undefined };
  });

  const prune = async () => {
    try {
      await idempotency.prune(now());
      await stores.prune(now() - config.jobRetentionDays * MS_PER_DAY);
      await cluster?.requestWindows.prune();
      await cluster?.node.prune();
    } catch (error) {
      app.log.error({ err: error }, 'old records could not be deleted');
    }
  };
  void prune();
  const pruning = setInterval(prune, PRUNE_EVERY_MS).unref();

  let isClosing = false;
  let recovering: ReturnType<JobRunner['recover']> | undefined;
  const closed = Promise.withResolvers<undefined>();
  // A self-test may never end if its engine is closed.
  const tested = Promise.race([testTheRest(), closed.promise]);

  /**
   * Runs the remaining self-tests, and recovers jobs of an earlier process once their executors are known.
   */
  async function testTheRest(): Promise<TestedService | undefined> {
    const prepared = workloads.prepare();
    if (config.warmsUp) void warmUpReading(liveTargetsOf(processors));
    void hardware?.check();
    await fleet.start();
    if (isClosing) return undefined;
    await models.start();
    await prepared;
    if (isClosing) return undefined;
    await workloads.start();
    if (isClosing) return undefined;
    await stores.insist(
      async () => cluster?.join(),
      () => isClosing,
    );
    if (isClosing) return undefined;
    const laterKey = numKeys === undefined ? await openLate() : undefined;
    recovering = stores.insist(
      () => runner.recover(),
      () => isClosing,
    );
    const recovered = await recovering;
    if (isClosing) return undefined;
    await cluster?.applyMaintenance();
    await cluster?.jobs.start();
    void workloads.measure();
    return {
      firstKey: laterKey,
      backing: fleet.describe(),
      models: models.describe(),
      agents: workloads.describe(),
      recovered,
    };
  }

  /**
   * Does what waited for a database that was not there when the service started.
   *
   * @returns The text of the first key, if it was made.
   */
  async function openLate(): Promise<string | undefined> {
    return await stores.insist(
      async () => {
        await restoreMaintenance({
          maintenance,
          fleet: processors,
          devices,
        });
        return (await readKeys()).firstKey;
      },
      () => isClosing,
    );
  }

  /** Counts the valid keys; creates one if there is none at all. */
  async function readKeys(): Promise<Pick<RunningService, 'firstKey' | 'numKeys'>> {
    const isFirst = (await keys.isEmpty()) && (await cluster?.makesFirstKey()) !== false;
    const firstKey = isFirst ? await createFirstKey() : undefined;
    const numKeys = (await keys.list()).filter((key) => isValidAt(key, now())).length;
    return { firstKey, numKeys };
  }

  async function createFirstKey(): Promise<string> {
    const first = { name: 'first key', tier: 'standard', scopes: DEFAULT_SCOPES } as const;
    const { text } = await keys.create({ ...first, createdAt: now() }, SERVICE);
    return text;
  }

  return {
    origin,
    app,
    firstKey,
    numKeys,
    tested,
    ...(cluster && { replaced: cluster.replaced }),
    async close() {
      isClosing = true;
      clearInterval(pruning);
      cluster?.jobs.stopClaiming();
      cluster?.places.close();
      const graceMs = config.shutdownGraceMs;
      const graceIsOver = sleep(graceMs, undefined, { ref: false });
      // Close these before the server, which waits for all requests.
      const [counts] = await Promise.all([runner.shutdown(graceMs), models.close(graceMs)]);
      await closeServer(app, graceIsOver);
      await workloads.close();
      await Promise.all([fleet.close(), hardware?.close()]);
      await Promise.all([readers.close(), closeJobKinds(kinds)]);
      await recovering?.catch(() => undefined);
      await cluster?.jobs.close();
      await stores.close();
      closed.resolve(undefined);
      return counts;
    },
  };
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
