/** The stores of the service, over the embedded database or over PostgreSQL. */
import type { Config } from './config.ts';
import type { IdempotencyStore } from './jobs/idempotency.ts';
import type { JobStore } from './jobs/job-store.ts';
import { pruneFinishedJobs } from './jobs/retention.ts';
import { SqliteIdempotencyStore } from './jobs/sqlite-idempotency-store.ts';
import { SqliteJobStore } from './jobs/sqlite-job-store.ts';
import { type AuditLog, createAuditLog } from './service/audit/audit-log.ts';
import { createIonqSessionStore, type IonqSessionStore } from './service/ionq/ionq-sessions.ts';
import type { KeyStore } from './service/keys/key-store.ts';
import { createSqliteKeyStore } from './service/keys/sqlite-key-store.ts';
import {
  createSqliteMaintenanceStore,
  type MaintenanceStore,
} from './service/systems/maintenance.ts';
import type { OnDamaged } from './storage/damaged-records.ts';
import { GroupCommit } from './storage/group-commit.ts';
import type { PostgresDatabase } from './storage/postgres/postgres-database.ts';
import { openServiceDatabase } from './storage/service-lock.ts';
import { DiskWatch, StorageUsage } from './storage/storage-space.ts';

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

/**
 * Opens the database that the settings name.
 *
 * @throws as `openServiceDatabase`, or as `PostgresWriter.open`.
 */
export async function openStores(config: Config, reports: StoreReports): Promise<Stores> {
  if (config.databaseUrl === undefined) return openSqliteStores(config, reports.onDamaged);
  // The driver of PostgreSQL is loaded only here.
  const { openPostgresStores } = await import('./compose-postgres.ts');
  return openPostgresStores(config.databaseUrl, config.leaseMs, reports);
}

async function openSqliteStores(config: Config, onDamaged: OnDamaged): Promise<Stores> {
  const storage = openServiceDatabase(config.dataDir, config.durability);
  const { database } = storage;
  const usage = new StorageUsage(database);
  const disk = new DiskWatch({
    folder: config.dataDir,
    minFreeBytes: config.minFreeDiskBytes,
    writer: GroupCommit.of(database),
  });
  const stores: Stores = {
    jobs: new SqliteJobStore(database, onDamaged),
    keys: createSqliteKeyStore(database, onDamaged),
    idempotency: new SqliteIdempotencyStore(database, onDamaged),
    maintenance: createSqliteMaintenanceStore(database, onDamaged),
    ionqSessions: createIonqSessionStore(database),
    audit: createAuditLog(database),
    usage,
    fault: () => disk.fault,
    insist: (work) => work(),
    async prune(finishedBefore) {
      await pruneFinishedJobs(database, finishedBefore);
      await usage.reclaim();
    },
    async close() {
      disk.close();
      storage[Symbol.dispose]();
    },
  };
  await disk.start();
  return stores;
}
