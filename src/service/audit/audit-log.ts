/**
 * Who administered what: keys made, changed and revoked, maintenance, and refused admin calls.
 *
 * Entries are only ever added: triggers of the table refuse everything else, to this process as to any
 * other. A store writes its changes through `auditedWriter`, so that there is neither a change without
 * its entry nor an entry without its change. Secrets, and hashes of them, never stand in an entry.
 */
import type { DatabaseSync } from 'node:sqlite';
import { GroupCommit } from '../../storage/group-commit.ts';

/** Everything that is recorded. */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.changed',
  'key.rotated',
  'key.revoked',
  'processor.maintenance_began',
  'processor.maintenance_ended',
  'device.maintenance_began',
  'device.maintenance_ended',
  'admin.refused',
] as const;
/** One of them. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The actor where `qcs keys` was used on the machine. */
export const COMMAND_LINE = 'command line';
/** The actor where the service itself acts: it makes the first key. */
export const SERVICE = 'service';

/** Entry of the audit log. */
export interface AuditEntry {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** The id of a key, COMMAND_LINE or SERVICE. */
  readonly actor: string;
  readonly action: AuditAction;
  /** The id of the key, processor or device. */
  readonly subject: string;
  /** JSON values only. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** An entry as it is kept. */
export interface AuditRecord extends AuditEntry {
  /** Rises with every entry. */
  readonly id: number;
}

/** Part of the log, newest first. */
export interface AuditQuery {
  /** Only entries with an id below. */
  readonly before?: number;
  readonly limit: number;
}

/** The log. */
export interface AuditLog {
  /** Adds an entry. */
  append(entry: AuditEntry): void;
  list(query: AuditQuery): Promise<readonly AuditRecord[]>;
}

/** The log in the table `audit` of an open database. */
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
      return select.all(before, limit).map((row) => ({
        id: Number(row['id']),
        at: Number(row['at']),
        actor: String(row['actor']),
        // Checked: only `append` writes to the table.
        action: String(row['action']) as AuditAction,
        subject: String(row['subject']),
        details: JSON.parse(String(row['details'])),
      }));
    },
  };
}

/**
 * Writes of a store to an open database, each with the entry that it appends: both are committed, or
 * neither is.
 */
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
