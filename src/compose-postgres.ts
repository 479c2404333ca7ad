/** The stores over PostgreSQL. Nothing else loads its driver in the service. */

import { PostgresIdempotencyStore } from './cluster/postgres-idempotency-store.ts';
import { PostgresJobStore } from './cluster/postgres-job-store.ts';
import { createPostgresAuditLog } from './service/audit/audit-log.ts';
import { createPostgresIonqSessionStore } from './service/ionq/ionq-sessions.ts';
import { createPostgresKeyStore } from './service/keys/postgres-key-store.ts';
import type { StoreReports, Stores } from './service/service-deps.ts';
import { createPostgresMaintenanceStore } from './service/systems/maintenance.ts';
import { StorageUnwritableError } from './storage/errors.ts';
import { PostgresDatabase } from './storage/postgres/postgres-database.ts';
import { PostgresUsage } from './storage/postgres/usage.ts';

const AGAIN_MS = 500;
/** A statement may wait for the locks of a node that stands still, which the server ends after 5 s. */
const LEAST_ANSWER_MS = 6000;
const MOST_ANSWER_MS = 15_000;

/**
 * Time for the answer to a statement that writes, milliseconds: about a lease. A node whose connection is silent for
 * longer has been given up, and its callers should soon learn the outcome of their requests.
 */
export function writeAnswerMs(leaseMs: number): number {
  return Math.min(MOST_ANSWER_MS, Math.max(LEAST_ANSWER_MS, leaseMs + 1000));
}

/**
 * Connects to the database. If the server cannot be reached, the stores fail until it can.
 *
 * @throws as `PostgresWriter.open`.
 */
export async function openPostgresStores(
  url: string,
  leaseMs: number,
  { onDamaged, onError, onRestored, onConnection }: StoreReports,
): Promise<Stores> {
  const database = await PostgresDatabase.open({
    url,
    role: 'service',
    writeAnswerMs: writeAnswerMs(leaseMs),
    onEvent: (event) => {
      onConnection(event.kind === 'restored');
      if (event.kind === 'lost') onError(event.error, 'the database cannot be used');
      else onRestored();
    },
  });
  const { writer } = database;
  const usage = new PostgresUsage(database);
  // It is read again each second. The connection may be lost at any time, and that ends no service.
  await usage.read().catch(unlessUnwritable);
  const jobs = new PostgresJobStore(database, onDamaged);
  return {
    database,
    jobs,
    keys: createPostgresKeyStore(database, onDamaged),
    idempotency: new PostgresIdempotencyStore(database, onDamaged),
    maintenance: createPostgresMaintenanceStore(database, onDamaged),
    ionqSessions: createPostgresIonqSessionStore(database),
    audit: createPostgresAuditLog(database, (error) =>
      onError(error, 'an entry of the audit log could not be written'),
    ),
    usage,
    fault: () => writer.fault,
    async insist(work, isOver) {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (isOver() || !(error instanceof StorageUnwritableError)) throw error;
          await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        }
      }
    },
    prune: async (finishedBefore) => void (await jobs.prune(finishedBefore)),
    async close() {
      usage.close();
      await database.close();
    },
  };
}

/** @throws the error, unless the database cannot be used now. */
function unlessUnwritable(error: unknown): void {
  if (!(error instanceof StorageUnwritableError)) throw error;
}
