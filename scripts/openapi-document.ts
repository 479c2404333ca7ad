/** docs/openapi.json, from the routes as the running service has them. */

import { buildApp } from '../src/service/app.ts';
import { createAuditLog } from '../src/service/audit/audit-log.ts';
import { Readers } from '../src/service/http/reading/readers.ts';
import { version } from '../src/service/http/software-version.ts';
import { createIonqSessionStore } from '../src/service/ionq/ionq-sessions.ts';
import { serveJobKinds } from '../src/service/job-kinds.ts';
import { createSqliteKeyStore } from '../src/service/keys/sqlite-key-store.ts';
import { ServiceMetrics } from '../src/service/metrics/service-metrics.ts';
import type { ServiceDeps } from '../src/service/service-deps.ts';
import { createSqliteMaintenanceStore } from '../src/service/systems/maintenance.ts';
import { openDatabase } from '../src/storage/database.ts';
import { ModelRegistry } from '../src/workloads/models/model-registry.ts';
import { readArtefact } from '../src/workloads/models/qnn-hybrid/artefact-file.ts';
import { QnnHybrid } from '../src/workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { TextModel } from '../src/workloads/models/text-generation/text-model.ts';
import { Workloads } from '../src/workloads/workloads.ts';
import { MemoryIdempotencyStore } from '../test/support/memory-idempotency-store.ts';

/** The document's text. */
export async function generateOpenApi(): Promise<string> {
  const app = await buildApp(documentationDeps());
  try {
    return `${JSON.stringify(app.swagger(), null, 2)}\n`;
  } finally {
    await app.close();
  }
}

/** Parts of a service that is described but never called. */
function documentationDeps(): ServiceDeps {
  const never = () => {
    throw new Error('unreachable: the documented service is not called');
  };
  const database = openDatabase(':memory:');
  const fleet = { processors: [], get: () => undefined };
  const workloads = new Workloads({
    processors: [],
    pool: {
      start: never,
      run: never,
      admit: never,
      withdraw: never,
      queuePosition: never,
      load: never,
      close: never,
    },
    queueLimit: 1,
    now: () => 0,
  });
  const jobs = {
    submit: never,
    run: never,
    get: never,
    list: never,
    waitFor: never,
    cancel: never,
    remove: never,
    watch: never,
    queuePosition: never,
    expectedStart: never,
    progress: never,
    parts: never,
    inFlight: never,
    inFlightCharacters: never,
    inHand: never,
    isHeld: never,
    hasWaiting: false,
    cancelWaiting: never,
    isShuttingDown: false,
  };
  const readers = new Readers({ numReaders: 2, heapLimitMb: 1, cpuLimitMs: 1, roomBytes: 1 });
  const { agents, planner, tpu, pool } = workloads;
  const kinds = serveJobKinds({
    ...{ fleet, agents, planner, tpu, pool, readers },
    cpuModel: '',
    now: never,
    jobs: never,
  });
  return {
    fleet,
    devices: {
      countedSince: 0,
      devices: () => [],
      device: () => undefined,
      summary: never,
      setMaintenance: never,
    },
    models: new ModelRegistry({
      classifier: new QnnHybrid({ artefact: readArtefact(), processors: [], now: () => 0 }),
      text: new TextModel({ upstream: undefined, now: () => 0 }),
    }),
    ...workloads,
    cpuModel: '',
    demoFacts: never,
    kinds,
    readers,
    jobs,
    places: { reserve: never, inFlight: never },
    idempotency: new MemoryIdempotencyStore(),
    keys: createSqliteKeyStore(database),
    requestWindows: { hit: never },
    maintenance: createSqliteMaintenanceStore(database),
    ionqSessions: createIonqSessionStore(database),
    audit: createAuditLog(database),
    onDamaged: () => {},
    storageFault: never,
    usage: { bytesOf: never, totalBytes: 0 },
    metrics: new ServiceMetrics(() => 0),
    settings: {
      version: version(),
      role: 'all',
      rateLimits: { standard: 1, enterprise: 1 },
      inFlightLimits: { standard: 1, enterprise: 1 },
      storageLimits: { totalBytes: 1, standard: 1, enterprise: 1 },
      demoRateLimit: 1,
      publicRateLimit: 1,
      requestTimeoutMs: 60_000,
      maxConnections: 1,
      maxConnectionsOfAddress: 1,
      bodyLimitBytes: 1,
      trustedProxies: [],
      corsOrigins: [],
      metricsAddresses: [],
      revokedKeyJobs: 'finish',
    },
    now: () => 0,
    elapsedMs: () => 0,
    drawSeed: never,
    logger: false,
  };
}
