/** Which processors an operator has taken out of service: kept so that a restart does not undo it. */
import type { DatabaseSync } from 'node:sqlite';

/** One processor in maintenance. */
export interface MaintenanceRecord {
  readonly processorId: string;
  readonly reason: string;
  /** Milliseconds since 1970 UTC. */
  readonly since: number;
}

/** A store of processors in maintenance. */
export interface MaintenanceStore {
  list(): Promise<readonly MaintenanceRecord[]>;
  /** Adds the record, in place of an earlier one of that processor. */
  enter(record: MaintenanceRecord): Promise<void>;
  /** Removes the processor's record, if there is one. */
  leave(processorId: string): Promise<void>;
}

/** A store that lives as long as the process. */
export function createMemoryMaintenanceStore(): MaintenanceStore {
  const records = new Map<string, MaintenanceRecord>();
  return {
    async list() {
      return [...records.values()];
    },
    async enter(record) {
      records.set(record.processorId, record);
    },
    async leave(processorId) {
      records.delete(processorId);
    },
  };
}

/** A store over the table `maintenance` of an open database. */
export function createSqliteMaintenanceStore(database: DatabaseSync): MaintenanceStore {
  const select = database.prepare('SELECT * FROM maintenance ORDER BY since');
  const insert = database.prepare(
    'INSERT OR REPLACE INTO maintenance (processor_id, reason, since) VALUES (?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM maintenance WHERE processor_id = ?');
  return {
    async list() {
      return select.all().map((row) => ({
        processorId: String(row['processor_id']),
        reason: String(row['reason']),
        since: Number(row['since']),
      }));
    },
    async enter({ processorId, reason, since }) {
      insert.run(processorId, reason, since);
    },
    async leave(processorId) {
      remove.run(processorId);
    },
  };
}
