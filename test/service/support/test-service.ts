/** The service with everything in memory, a clock that stands still, and answers that are checked. */
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Processor } from '../../../src/fleet/processor.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { LocalPlaces } from '../../../src/jobs/places.ts';
import { buildApp } from '../../../src/service/app.ts';
import { createAuditLog, SERVICE } from '../../../src/service/audit/audit-log.ts';
import { DEFAULT_SCOPES, type Scope, type Tier } from '../../../src/service/http/api-key.ts';
import { FixedWindows, WINDOW_S } from '../../../src/service/http/limits.ts';
import { createIonqSessionStore } from '../../../src/service/ionq/ionq-sessions.ts';
import { createSqliteKeyStore } from '../../../src/service/keys/sqlite-key-store.ts';
import { ServiceMetrics } from '../../../src/service/metrics/service-metrics.ts';
import { demoFactsOf } from '../../../src/service/models/demo-routes.ts';
import { servedProcessors, type Violation } from '../../../src/service/served-processor.ts';
import type { ServiceDeps } from '../../../src/service/service-deps.ts';
import { createSqliteMaintenanceStore } from '../../../src/service/systems/maintenance.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { StorageUsage } from '../../../src/storage/storage-space.ts';
import { ModelRegistry } from '../../../src/workloads/models/model-registry.ts';
import { readArtefact } from '../../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import { QnnHybrid } from '../../../src/workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { TextModel } from '../../../src/workloads/models/text-generation/text-model.ts';
import type { Workloads } from '../../../src/workloads/workloads.ts';
import { MemoryIdempotencyStore } from '../../support/memory-idempotency-store.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';
import { FakeDevices } from './fake-devices.ts';
import { FakeProcessor } from './fake-processor.ts';
import { closeKinds, openKinds, openWorkloads } from './test-kinds.ts';

/** 2026-01-02T03:04:05.678Z. */
export const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A body that every test may vary. */
export const BELL = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'M', qubits: [0, 1] },
  ],
  target_processor: 'statevector-sim',
  shots: 100,
  seed: 7,
};

const DEMO_RATE_LIMIT = 100_000;

/** A running service under test. */
export interface TestService extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly deps: ServiceDeps;
  readonly runner: JobRunner;
  /** The jobs of the runner, without what the metrics count. */
  readonly store: MemoryJobStore;
  readonly processor: FakeProcessor;
  /** A key of the Standard tier with the default scopes. */
  readonly key: string;
  readonly clock: { now: number };
  /** Results that broke an invariant. */
  readonly violations: readonly Violation[];
  createKey(tier?: Tier, scopes?: readonly Scope[]): Promise<string>;
  /** Sends a request with the key, below /api/v1. */
  request(options: RequestOptions): Promise<LightMyRequestResponse>;
  get(path: string, headers?: Headers): Promise<LightMyRequestResponse>;
  submit(body: unknown, headers?: Headers): Promise<LightMyRequestResponse>;
}

type Headers = Readonly<Record<string, string>>;
type RequestOptions = Pick<InjectOptions, 'method' | 'url' | 'payload' | 'remoteAddress'> & {
  readonly headers?: Headers;
};

/** Parts of the service that a test replaces. */
export type TestOverrides = Partial<Omit<ServiceDeps, 'settings'>> & {
  readonly processors?: readonly Processor[];
  readonly workloads?: Workloads;
  readonly settings?: Partial<ServiceDeps['settings']>;
};

/** Builds a service; disposing it fails where an answer did not match its declared schema. */
export async function openTestService(overrides: TestOverrides = {}): Promise<TestService> {
  const { processors, settings, workloads, ...others } = overrides;
  const processor = new FakeProcessor();
  const clock = { now: START };
  const metrics = others.metrics ?? new ServiceMetrics(() => clock.now);
  const violations: Violation[] = [];
  const fleet = servedProcessors(directory(processors ?? [processor]), metrics.engines, (each) =>
    violations.push(each),
  );
  const now = () => clock.now;
  const work = workloads ?? openWorkloads(now);
  const { pool, agents, planner, tpu } = work;
  const cpuModel = 'a CPU';
  const served = {
    ...openKinds({
      fleet: others.fleet ?? fleet,
      jobs: () => others.jobs ?? runner,
      now,
      workloads: work,
      ...(others.readers && { readers: others.readers }),
    }),
    ...(others.kinds && { kinds: others.kinds }),
  };
  const { kinds, readers } = served;
  const store = new MemoryJobStore();
  const runner: JobRunner = new JobRunner({
    store: metrics.overStore(store),
    handlers: kinds,
    now,
    refusal: () => deps.storageFault(),
    onUnexpectedError: (error) => problems.push(String(error)),
  });
  const problems: string[] = [];
  const models = others.models ?? untestedModels(processors ?? [processor], now);
  const database = openDatabase(':memory:');
  const deps: ServiceDeps = {
    fleet,
    devices: new FakeDevices(),
    models,
    demoFacts: () => demoFactsOf(models.classifier, DEMO_RATE_LIMIT),
    pool,
    agents,
    planner,
    tpu,
    cpuModel,
    jobs: runner,
    places: new LocalPlaces((kind, keyId) => runner.inFlight(kind, keyId)),
    kinds,
    readers,
    idempotency: new MemoryIdempotencyStore(),
    keys: createSqliteKeyStore(database),
    requestWindows: new FixedWindows(WINDOW_S * 1000),
    maintenance: createSqliteMaintenanceStore(database),
    ionqSessions: createIonqSessionStore(database),
    audit: createAuditLog(database),
    onDamaged: ({ id, what }) => problems.push(`${id} is damaged: ${what}`),
    storageFault: () => undefined,
    usage: new StorageUsage(database),
    metrics,
    now,
    elapsedMs: now,
    drawSeed: () => 1234,
    logger: false,
    onInvalidResponse: (problem) => problems.push(problem),
    ...others,
    settings: {
      version: '0.1.0',
      role: 'all',
      rateLimits: { standard: 100_000, enterprise: 1_000_000 },
      inFlightLimits: { standard: 100_000, enterprise: 1_000_000 },
      storageLimits: { totalBytes: 2 ** 40, standard: 2 ** 30, enterprise: 2 ** 34 },
      demoRateLimit: DEMO_RATE_LIMIT,
      publicRateLimit: 1_000_000,
      bodyLimitBytes: 1024 * 1024,
      requestTimeoutMs: 60_000,
      maxConnections: 1000,
      maxConnectionsOfAddress: 1000,
      trustedProxies: [],
      corsOrigins: [],
      metricsAddresses: [],
      revokedKeyJobs: 'finish',
      ...settings,
    },
  };
  const app = await buildApp(deps);
  const createKey: TestService['createKey'] = async (tier = 'standard', scopes = DEFAULT_SCOPES) =>
    (await deps.keys.create({ name: 'test', tier, scopes, createdAt: START }, SERVICE)).text;
  const key = await createKey();
  const request: TestService['request'] = ({ headers, url, ...options }) =>
    app.inject({ ...options, url: `/api/v1${url}`, headers: { 'x-api-key': key, ...headers } });
  return {
    app,
    deps,
    runner,
    store,
    processor,
    key,
    clock,
    violations,
    createKey,
    request,
    get: (url, headers = {}) => request({ method: 'GET', url, headers }),
    submit: (body, headers = {}) =>
      request({
        method: 'POST',
        url: '/quantum/circuits',
        headers: { 'content-type': 'application/json', ...headers },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await runner.shutdown(0);
      await app.close();
      await closeKinds(served);
      database.close();
      if (problems.length > 0) throw new Error(`The service misbehaved:\n${problems.join('\n')}`);
    },
  };
}

/** The models as they are before their first self-test: not available. */
function untestedModels(processors: readonly Processor[], now: () => number): ModelRegistry {
  return new ModelRegistry({
    classifier: new QnnHybrid({ artefact: readArtefact(), processors, now }),
    text: new TextModel({ upstream: undefined, now }),
  });
}

/** Processors as the fleet lists them. */
export function directory(processors: readonly Processor[]): ServiceDeps['fleet'] {
  return { processors, get: (id) => processors.find(({ spec }) => spec.id === id) };
}

/** Lets everything run that only waits for its turn: the stores in memory answer within one. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
