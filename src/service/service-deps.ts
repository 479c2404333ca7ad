/**
 * Dependencies of the service: everything with state, a clock, randomness or a setting; the stores are of whatever
 * database is used.
 */
import type { FastifyServerOptions } from 'fastify';
import type { NodeRole } from '../cluster/node-status.ts';
import type { DemoFacts } from '../console/demo/demo-facts.ts';
import type { EngineTime } from '../fleet/engine-lanes.ts';
import type { DeviceDirectory } from '../fleet/fleet-device.ts';
import type { IdempotencyStore } from '../jobs/idempotency.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Places } from '../jobs/places.ts';
import type { OnDamaged } from '../storage/damaged-records.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import type { StorageUsage } from '../storage/storage-space.ts';
import type { Planner } from '../workloads/plans/planner.ts';
import type { ProcedurePool } from '../workloads/procedures/procedure-pool.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type {
  AgentDirectory,
  Jobs,
  ModelDirectory,
  ProcessorDirectory,
  TpuDirectory,
} from './directories.ts';
import type { RequestWindows } from './http/limits.ts';
import type { Readers } from './http/reading/readers.ts';
import type { IonqSessionStore } from './ionq/ionq-sessions.ts';
import type { ServedJobKinds } from './job-kinds.ts';
import type { KeyStore } from './keys/key-store.ts';
import type { ServiceMetrics } from './metrics/service-metrics.ts';
import type { MaintenanceStore } from './systems/maintenance.ts';

/** Settings of the service. */
export interface ServiceSettings {
  /** Dotted version number; `meta.version` of every answer. */
  readonly version: string;
  /** Part of this node in a cluster; a `worker` answers only health checks and metrics. */
  readonly role: NodeRole;
  /** Requests per minute, by tier. */
  readonly rateLimits: { readonly standard: number; readonly enterprise: number };
  /** Jobs of one kind and key that may wait or run at once, by tier. */
  readonly inFlightLimits: { readonly standard: number; readonly enterprise: number };
  /** Greatest stored data, over all keys and by tier, bytes. */
  readonly storageLimits: {
    readonly totalBytes: number;
    readonly standard: number;
    readonly enterprise: number;
  };
  /** Requests per minute of one address to the public demo. */
  readonly demoRateLimit: number;
  /** Requests per minute of one address to pages and documents, which need no key. */
  readonly publicRateLimit: number;
  readonly bodyLimitBytes: number;
  /** Greatest number of open connections. */
  readonly maxConnections: number;
  /** Greatest number of open connections of one address that is not a trusted proxy's. */
  readonly maxConnectionsOfAddress: number;
  /** Time limit for a request to arrive, and for a part of an answer to be read. */
  readonly requestTimeoutMs: number;
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the service from a browser; `*` allows all. */
  readonly corsOrigins: readonly string[];
  /** Addresses and CIDR ranges that may read `/metrics` without a key. */
  readonly metricsAddresses: readonly string[];
  /** Treatment of the waiting jobs of a revoked key. */
  readonly revokedKeyJobs: 'finish' | 'cancel';
}

/** Reasons why a node of a cluster is not to be sent requests. */
export type NodeFault = 'draining' | 'lease lost' | 'database away';

/** Dependencies of the service. */
export interface ServiceDeps {
  readonly fleet: ProcessorDirectory;
  /** Devices of the processor that is a fleet. */
  readonly devices: DeviceDirectory;
  /** Processors and devices of this node of a cluster, for its metrics; `fleet` and `devices` unless given. */
  readonly own?: {
    readonly fleet: ProcessorDirectory;
    readonly devices: DeviceDirectory;
  };
  readonly models: ModelDirectory;
  readonly agents: AgentDirectory;
  readonly planner: Pick<Planner, 'availability' | 'admit'>;
  readonly tpu: TpuDirectory;
  /** Process pool that runs tasks and TPU jobs. */
  readonly pool: Pick<ProcedurePool, 'admit' | 'withdraw' | 'load' | 'queuePosition'>;
  readonly jobs: Jobs;
  /** Places of the jobs that wait or run. */
  readonly places: Places;
  /** Kinds of jobs; they are also the runner's handlers. */
  readonly kinds: ServedJobKinds;
  /** Processes that read large bodies. */
  readonly readers: Readers;
  readonly idempotency: Pick<IdempotencyStore, 'claim' | 'settle' | 'release'>;
  readonly keys: KeyStore;
  /** Counts the requests of each key, in windows of WINDOW_S. */
  readonly requestWindows: RequestWindows;
  readonly maintenance: MaintenanceStore;
  /** Sessions of IonQ's interface. */
  readonly ionqSessions: IonqSessionStore;
  readonly audit: AuditLog;
  readonly onDamaged: OnDamaged;
  /** Reason why new data cannot be stored; undefined while it can. */
  readonly storageFault: () => Error | undefined;
  /** Reason why this node of a cluster is not ready, which `/readyz` answers; undefined while it is. */
  readonly nodeFault?: () => NodeFault | undefined;
  /** Whether the code of a circuit's way has run; always true unless given. */
  readonly isWarm?: () => boolean;
  /** Sizes of stored data, bytes. */
  readonly usage: Pick<StorageUsage, 'bytesOf' | 'totalBytes'>;
  /** Metrics; closed with the application. */
  readonly metrics: ServiceMetrics;
  /** Time that the engines of this process had runs; without engines unless given. */
  readonly engines?: () => readonly EngineTime[];
  readonly settings: ServiceSettings;
  /** Facts of the model that the page at `/` shows. */
  readonly demoFacts: () => DemoFacts;
  /** CPU model as the operating system names it. */
  readonly cpuModel: string;
  /** Milliseconds since 1970 UTC, for values that callers read; it jumps when the machine's clock is set. */
  readonly now: () => number;
  /** Milliseconds on a monotonic clock, for limits and durations. */
  readonly elapsedMs: () => number;
  /** Draws a seed for a circuit without one: an integer in [0, 2^53 − 1]. */
  readonly drawSeed: () => number;
  /** Options of the logger, or false for none; secrets are redacted in any case. */
  readonly logger: LoggerOptions;
  /**
   * Called with the fault when an answer does not match its declared schema. Only tests pass it, because
   * checking costs more than answering.
   */
  readonly onInvalidResponse?: (problem: string) => void;
}

/** The framework's logger options. */
export type LoggerOptions = Exclude<FastifyServerOptions['logger'], undefined | true> | false;

/** Callbacks of stores. */
export interface StoreReports {
  readonly onDamaged: OnDamaged;
  /** Called with errors that reach no caller. */
  readonly onError: (error: unknown, what: string) => void;
  /** Called when the database can be used again. */
  readonly onRestored: () => void;
  /** Called when the connection to a database of several nodes is lost, and when it is there again. */
  readonly onConnection: (isConnected: boolean) => void;
}

/** The stores over one database. */
export interface Stores {
  /** Present if several nodes can share the database. */
  readonly database?: PostgresDatabase;
  readonly jobs: JobStore;
  readonly idempotency: IdempotencyStore;
  readonly keys: KeyStore;
  readonly maintenance: MaintenanceStore;
  readonly ionqSessions: IonqSessionStore;
  readonly audit: AuditLog;
  readonly usage: Pick<StorageUsage, 'bytesOf' | 'totalBytes'>;
  /** Reason why new data cannot be stored; undefined while it can. */
  fault(): Error | undefined;
  /**
   * Runs work that the loss of a connection must not end: it runs again until it succeeds.
   *
   * @param isOver - Ends the attempts with the last error.
   */
  insist<T>(work: () => Promise<T>, isOver: () => boolean): Promise<T>;
  /** Deletes jobs that finished before a time, and gives the space back. */
  prune(finishedBefore: number): Promise<void>;
  close(): Promise<void>;
}
