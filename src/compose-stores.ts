/** The stores of the service, over the embedded database or over PostgreSQL. */
import type { Config } from './config.ts';
import { SqliteIdempotencyStore } from './jobs/sqlite-idempotency-store.ts';
import { SqliteJobStore } from './jobs/sqlite-job-store.ts';
import { createAuditLog } from './service/audit/audit-log.ts';
import { createIonqSessionStore } from './service/ionq/ionq-sessions.ts';
import { createSqliteKeyStore } from './service/keys/sqlite-key-store.ts';
import type { StoreReports, Stores } from './service/service-deps.ts';
import { createSqliteMaintenanceStore } from './service/systems/maintenance.ts';
import type { OnDamaged } from './storage/damaged-records.ts';
import { GroupCommit } from './storage/group-commit.ts';
import { openServiceDatabase } from './storage/service-lock.ts';
import { DiskWatch, StorageUsage } from './storage/storage-space.ts';

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
  const jobs = new SqliteJobStore(database, onDamaged);
  const stores: Stores = {
    jobs,
    keys: createSqliteKeyStore(database, onDamaged),
    idempotency: new SqliteIdempotencyStore(database, onDamaged),
    maintenance: createSqliteMaintenanceStore(database, onDamaged),
    ionqSessions: createIonqSessionStore(database),
    audit: createAuditLog(database),
    usage,
    fault: () => disk.fault,
    insist: (work) => work(),
    async prune(finishedBefore) {
      await jobs.prune(finishedBefore);
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
