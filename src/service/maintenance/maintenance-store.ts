/** What an operator has taken out of service: kept so that a restart does not undo it. */
import type { DatabaseSync } from 'node:sqlite';

/** What can be taken out of service. */
export type MaintenanceKind = 'processor' | 'device';

/** One processor or device in maintenance. */
export interface MaintenanceRecord {
  readonly kind: MaintenanceKind;
  readonly id: string;
  readonly reason: string;
  /** Milliseconds since 1970 UTC. */
  readonly since: number;
}

/** A store of what is in maintenance. */
export interface MaintenanceStore {
  /** In the order in which they entered. */
  list(): Promise<readonly MaintenanceRecord[]>;
  /** Adds the record, in place of an earlier one of that processor or device. */
  enter(record: MaintenanceRecord): Promise<void>;
  /** Removes the record, if there is one. */
  leave(kind: MaintenanceKind, id: string): Promise<void>;
}

/** A store that lives as long as the process. */
export function createMemoryMaintenanceStore(): MaintenanceStore {
  const records = new Map<string, MaintenanceRecord>();
  return {
    async list() {
      return [...records.values()].sort((a, b) => a.since - b.since);
    },
    async enter(record) {
      records.set(`${record.kind} ${record.id}`, record);
    },
    async leave(kind, id) {
      records.delete(`${kind} ${id}`);
    },
  };
}

/** A store over the table `maintenance` of an open database. */
export function createSqliteMaintenanceStore(database: DatabaseSync): MaintenanceStore {
  const select = database.prepare('SELECT * FROM maintenance ORDER BY since, id');
  const insert = database.prepare(
    'INSERT OR REPLACE INTO maintenance (kind, id, reason, since) VALUES (?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM maintenance WHERE kind = ? AND id = ?');
  return {
    async list() {
      return select.all().map((row) => ({
        kind: row['kind'] === 'device' ? 'device' : 'processor',
        id: String(row['id']),
        reason: String(row['reason']),
        since: Number(row['since']),
      }));
    },
    async enter({ kind, id, reason, since }) {
      insert.run(kind, id, reason, since);
    },
    async leave(kind, id) {
      remove.run(kind, id);
    },
  };
}
