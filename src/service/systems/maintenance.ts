/** Maintenance of processors and devices: its stored orders, and the calls that give them. */
import type { DatabaseSync } from 'node:sqlite';
import type { z } from 'zod';
import type { DeviceDirectory } from '../../fleet/fleet-device.ts';
import {
  LAST_TIME,
  type OnDamaged,
  type StoredRow,
  storedNumber,
} from '../../storage/damaged-records.ts';
import type { PostgresDatabase } from '../../storage/postgres/postgres-database.ts';
import { storable } from '../../storage/postgres/storable.ts';
import { type AuditEntry, appendAudit, auditedWriter } from '../audit/audit-log.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { maintenanceBody } from './processor-schema.ts';

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

type MaintenanceTarget = Pick<MaintenanceRecord, 'kind' | 'id'>;

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
  leave(target: MaintenanceTarget, actor: string, at: number): Promise<void>;
}

/** The records of rows that can be read; the others are reported. */
function readableRecords(
  rows: readonly StoredRow[],
  onDamaged: OnDamaged,
): readonly MaintenanceRecord[] {
  return rows.flatMap((row) => {
    const id = String(row['id']);
    const kind = KINDS.find((known) => known === row['kind']);
    if (kind === undefined) {
      onDamaged({ table: 'maintenance', id, what: `its kind is ${JSON.stringify(row['kind'])}` });
      return [];
    }
    // A record stays in force even if its time is damaged.
    const since = storedNumber(row['since'], LAST_TIME) ?? 0;
    return [{ kind, id, reason: String(row['reason']), since }];
  });
}

function enterEntry({ kind, id, reason, since }: MaintenanceRecord, actor: string): AuditEntry {
  const action = `${kind}.maintenance_began` as const;
  return { at: since, actor, action, subject: id, details: { reason } };
}

function leaveEntry({ kind, id }: MaintenanceTarget, actor: string, at: number): AuditEntry {
  const action = `${kind}.maintenance_ended` as const;
  return { at, actor, action, subject: id, details: {} };
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
      return readableRecords(select.all(), onDamaged);
    },
    enter: (record, actor) =>
      write((append) => {
        insert.run(record.kind, record.id, record.reason, record.since);
        append(enterEntry(record, actor));
      }),
    leave: (target, actor, at) =>
      write((append) => {
        if (remove.run(target.kind, target.id).changes > 0) append(leaveEntry(target, actor, at));
      }),
  };
}

const SELECT = { name: 'maintenance', text: 'SELECT * FROM maintenance ORDER BY since, id' };
const ENTER = `INSERT INTO maintenance (kind, id, reason, since) VALUES ($1, $2, $3, $4)
  ON CONFLICT (kind, id) DO UPDATE SET reason = excluded.reason, since = excluded.since`;
const LEAVE = 'DELETE FROM maintenance WHERE kind = $1 AND id = $2';

/**
 * Creates a store over the table `maintenance` in PostgreSQL.
 *
 * @param onDamaged - Called for each record that a listing leaves out.
 */
export function createPostgresMaintenanceStore(
  database: PostgresDatabase,
  onDamaged: OnDamaged,
): MaintenanceStore {
  const { writer } = database;
  return {
    list: async () => readableRecords(await database.read(SELECT), onDamaged),
    enter: (record, actor) =>
      writer.write(async (query) => {
        const { kind, id, reason, since } = record;
        await query(ENTER, [kind, id, storable(reason), since]);
        await appendAudit(query, enterEntry(record, actor));
      }, true),
    leave: (target, actor, at) =>
      writer.write(async (query) => {
        const { count } = await query(LEAVE, [target.kind, target.id]);
        if (count > 0) await appendAudit(query, leaveEntry(target, actor, at));
      }, true),
  };
}

/** Text after "In maintenance: ". */
const DEFAULT_REASON = 'no reason given';

/** Sets maintenance of a processor or a device; undefined ends it. */
type Maintenance = Pick<MaintenanceRecord, 'reason'> | undefined;

/**
 * Carries out an order.
 *
 * @param actor - Id of the key that gave the order.
 * @param take - Applies the order.
 * @throws {RequestInvalidError} if an order that ends maintenance has a reason.
 */
export async function carryOut(
  { enabled, reason }: z.output<typeof maintenanceBody>,
  { kind, id }: Pick<MaintenanceRecord, 'kind' | 'id'>,
  actor: string,
  { maintenance, now }: { readonly maintenance: MaintenanceStore; readonly now: () => number },
  take: (maintenance: Maintenance) => void,
): Promise<void> {
  // Store first: an answered order must survive a crash.
  if (enabled) {
    const stated = reason ?? DEFAULT_REASON;
    await maintenance.enter({ kind, id, reason: stated, since: now() }, actor);
    take({ reason: stated });
    return;
  }
  if (reason !== undefined) {
    throw new RequestInvalidError([{ path: 'reason', message: 'Only taken with enabled: true.' }]);
  }
  await maintenance.leave({ kind, id }, actor, now());
  take(undefined);
}

/** Restores the maintenance that was stored when the service stopped. */
export async function restoreMaintenance({
  maintenance,
  fleet,
  devices,
}: {
  readonly fleet: ProcessorDirectory;
  readonly devices: DeviceDirectory;
  readonly maintenance: MaintenanceStore;
}): Promise<void> {
  for (const { kind, id, reason } of await maintenance.list()) {
    if (kind === 'processor') fleet.get(id)?.setMaintenance({ reason });
    // The fleet may have had other devices then.
    else if (devices.device(id) !== undefined) devices.setMaintenance(id, { reason });
  }
}
