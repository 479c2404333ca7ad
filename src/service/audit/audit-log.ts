/**
 * Log of administration: keys created, changed and revoked, maintenance, drained nodes, and refused admin calls.
 *
 * The log is append-only: triggers of the table refuse every other change, from any process. A store makes
 * its changes through `auditedWriter`, so no change exists without its entry and no entry without its change.
 * Entries never contain secrets or their hashes.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredRow } from '../../storage/damaged-records.ts';
import { GroupCommit } from '../../storage/group-commit.ts';

/** Recorded actions. */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.changed',
  'key.rotated',
  'key.revoked',
  'processor.maintenance_began',
  'processor.maintenance_ended',
  'device.maintenance_began',
  'device.maintenance_ended',
  'node.drain_began',
  'node.drain_ended',
  'admin.refused',
] as const;
type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Actor of changes made with `qcs keys` and `qcs cluster`. */
export const COMMAND_LINE = 'command line';
/** Actor of changes made by the service itself, such as the first key. */
export const SERVICE = 'service';

/** Entry of the audit log. */
export interface AuditEntry {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** The id of a key, COMMAND_LINE or SERVICE. */
  readonly actor: string;
  readonly action: AuditAction;
  /** The id of the key, processor or device, or the name of the node. */
  readonly subject: string;
  /** JSON values only. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Stored entry. */
interface AuditRecord extends AuditEntry {
  /** Increases with every entry. */
  readonly id: number;
}

/** Part of the log, newest first. */
interface AuditQuery {
  /** Only entries with an id below. */
  readonly before?: number;
  readonly limit: number;
}

export interface AuditLog {
  /** Adds an entry. */
  append(entry: AuditEntry): void;
  list(query: AuditQuery): Promise<readonly AuditRecord[]>;
}

/** Creates an audit log over the table `audit` of an open database. */
export function createAuditLog(database: DatabaseSync): AuditLog {
  const insert = database.prepare(
    'INSERT INTO audit (at, actor, action, subject, details) VALUES (?, ?, ?, ?, ?)',
  );
  const select = database.prepare('SELECT * FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?');
  return {
    append({ at, actor, action, subject, details }) {
      insert.run(at, actor, action, subject, JSON.stringify(details));
    },
    async list({ before = Number.MAX_SAFE_INTEGER, limit }) {
      return select.all(before, limit).map(auditRecordOf);
    },
  };
}

/** Reads a row of the table. */
export function auditRecordOf(row: StoredRow): AuditRecord {
  return {
    id: Number(row['id']),
    at: Number(row['at']),
    actor: String(row['actor']),
    // The cast is safe: only `append` writes to the table.
    action: String(row['action']) as AuditAction,
    subject: String(row['subject']),
    details: JSON.parse(String(row['details'])),
  };
}

/** Creates a writer for a store: a change and its audit entry are committed together, or not at all. */
export function auditedWriter(
  database: DatabaseSync,
): <T>(work: (append: AuditLog['append']) => T) => Promise<T> {
  const writer = GroupCommit.of(database);
  const { append } = createAuditLog(database);
  return (work) =>
    writer.write(() => {
      database.exec('SAVEPOINT audited');
      try {
        const value = work(append);
        database.exec('RELEASE audited');
        return value;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK TO audited; RELEASE audited');
        throw error;
      }
    });
}
