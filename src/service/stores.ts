/** The stores of the service, whatever the database is. */
import type { IdempotencyStore } from '../jobs/idempotency.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { OnDamaged } from '../storage/damaged-records.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import type { StorageUsage } from '../storage/storage-space.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { IonqSessionStore } from './ionq/ionq-sessions.ts';
import type { KeyStore } from './keys/key-store.ts';
import type { MaintenanceStore } from './systems/maintenance.ts';

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
