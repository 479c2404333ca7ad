/** Stored maintenance of processors and devices, which survives a restart. */
import type { DatabaseSync } from 'node:sqlite';
import { LAST_TIME, type OnDamaged, storedNumber } from '../../storage/damaged-records.ts';
import { auditedWriter } from '../audit/audit-log.ts';

const KINDS = ['processor', 'device'] as const;

/** Kinds of things that can be in maintenance. */
type MaintenanceKind = (typeof KINDS)[number];

/** One processor or device in maintenance. */
export interface MaintenanceRecord {
  readonly kind: MaintenanceKind;
  readonly id: string;
  readonly reason: string;
  /** Milliseconds since 1970 UTC. */
  readonly since: number;
}

/** Store of maintenance records. Every change is written to the audit log in the same transaction. */
export interface MaintenanceStore {
  /** Lists records in the order of entry. */
  list(): Promise<readonly MaintenanceRecord[]>;
  /**
   * Adds a record and replaces an earlier one of that processor or device.
   *
   * @param actor - Actor for the audit log.
   */
  enter(record: MaintenanceRecord, actor: string): Promise<void>;
  /** Removes the record, if there is one. */
  leave(target: Pick<MaintenanceRecord, 'kind' | 'id'>, actor: string, at: number): Promise<void>;
}

/**
 * Creates a store over the table `maintenance` of an open database.
 *
 * @param onDamaged - Called for each record that a listing leaves out.
 */
export function createSqliteMaintenanceStore(
  database: DatabaseSync,
  onDamaged: OnDamaged = () => {},
): MaintenanceStore {
  const select = database.prepare('SELECT * FROM maintenance ORDER BY since, id');
  select.setReadBigInts(true);
  const insert = database.prepare(
    'INSERT OR REPLACE INTO maintenance (kind, id, reason, since) VALUES (?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM maintenance WHERE kind = ? AND id = ?');
  const write = auditedWriter(database);
  return {
    async list() {
      return select.all().flatMap((row) => {
        const id = String(row['id']);
        const kind = KINDS.find((known) => known === row['kind']);
        if (kind === undefined) {
          onDamaged({
            table: 'maintenance',
            id,
            what: `its kind is ${JSON.stringify(row['kind'])}`,
          });
          return [];
        }
        // A record stays in force even if its time is damaged.
        const since = storedNumber(row['since'], LAST_TIME) ?? 0;
        return [{ kind, id, reason: String(row['reason']), since }];
      });
    },
    enter: ({ kind, id, reason, since }, actor) =>
      write((append) => {
        insert.run(kind, id, reason, since);
        const action = `${kind}.maintenance_began` as const;
        append({ at: since, actor, action, subject: id, details: { reason } });
      }),
    leave: ({ kind, id }, actor, at) =>
      write((append) => {
        if (remove.run(kind, id).changes === 0) return;
        const action = `${kind}.maintenance_ended` as const;
        append({ at, actor, action, subject: id, details: {} });
      }),
  };
}
