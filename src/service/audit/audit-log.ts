/**
 * Log of administration: keys created, changed and revoked, maintenance, drained nodes, and refused admin calls. SQLite
 * and PostgreSQL hold it alike.
 *
 * The log is append-only: triggers of the table refuse every other change, from any process. A store makes
 * its changes through `auditedWriter`, so no change exists without its entry and no entry without its change.
 * Entries never contain secrets or their hashes.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredRow } from '../../storage/damaged-records.ts';
import { GroupCommit } from '../../storage/group-commit.ts';
import type { Query } from '../../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../../storage/postgres/postgres-database.ts';
import { storable } from '../../storage/postgres/storable.ts';

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
function auditRecordOf(row: StoredRow): AuditRecord {
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

const APPEND = {
  name: 'audit-append',
  text: 'INSERT INTO audit (at, actor, action, subject, details) VALUES ($1, $2, $3, $4, $5)',
};
const SELECT = {
  name: 'audit-select',
  text: 'SELECT * FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2',
};

/** Adds an entry within a transaction, which makes the change that the entry is about. */
export async function appendAudit(query: Query, entry: AuditEntry): Promise<void> {
  const { at, actor, action, subject, details } = entry;
  await query(APPEND, [at, actor, action, storable(subject), JSON.stringify(details)]);
}

/**
 * Creates an audit log over the table `audit` in PostgreSQL.
 *
 * @param onLost - Called with an entry that could not be written.
 */
export function createPostgresAuditLog(
  database: PostgresDatabase,
  onLost: (error: unknown, entry: AuditEntry) => void,
): AuditLog {
  return {
    append(entry) {
      database.writer
        .write((query) => appendAudit(query, entry))
        .catch((error) => onLost(error, entry));
    },
    list: async ({ before = Number.MAX_SAFE_INTEGER, limit }) =>
      (await database.read(SELECT, [before, limit])).map(auditRecordOf),
  };
}

// Refused admin calls for the audit log: calls with valid keys that lack the scope `admin`.
//
// A key can make as many such calls as its rate limit allows, so not every call gets an entry. The first call
// of a key is written at once. The calls of the following hour are counted by route and written as one entry
// at its end. After its first entry, a key therefore adds at most one entry per hour.

const WINDOW_MS = 3_600_000;

/** Dependencies of RefusedCalls. */
export interface RefusedCallsOptions {
  readonly audit: Pick<AuditLog, 'append'>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Milliseconds on a monotonic clock. */
  readonly elapsedMs: () => number;
}

interface KeyWindow {
  /** End of the window on the clock of `elapsedMs`. */
  readonly endsAt: number;
  /** Milliseconds since 1970 UTC. */
  readonly openedAt: number;
  /** Calls by route that are not written yet. */
  readonly calls: Map<string, number>;
}

/** Counts refused calls and writes them to the log. */
export class RefusedCalls {
  readonly #options: RefusedCallsOptions;
  readonly #windows = new Map<string, KeyWindow>();

  constructor(options: RefusedCallsOptions) {
    this.#options = options;
  }

  /**
   * Counts a call.
   *
   * @param route - Method and path pattern; their number is limited.
   */
  note(keyId: string, route: string): void {
    this.writeEnded();
    const window = this.#windows.get(keyId);
    if (window !== undefined) {
      window.calls.set(route, (window.calls.get(route) ?? 0) + 1);
      return;
    }
    this.#open(keyId);
    this.#append(keyId, { calls: { [route]: 1 } });
  }

  /** Writes the counts of windows that have ended. */
  writeEnded(): void {
    const elapsed = this.#options.elapsedMs();
    for (const [keyId, window] of this.#windows) {
      if (elapsed < window.endsAt) continue;
      this.#windows.delete(keyId);
      if (window.calls.size === 0) continue;
      // Open another window, so that a key that goes on for days gets one entry per hour.
      this.#open(keyId);
      this.#write(keyId, window);
    }
  }

  /** Writes all counts and clears them. */
  writeAll(): void {
    for (const [keyId, window] of this.#windows) {
      if (window.calls.size > 0) this.#write(keyId, window);
    }
    this.#windows.clear();
  }

  #open(keyId: string): void {
    const { now, elapsedMs } = this.#options;
    this.#windows.set(keyId, {
      endsAt: elapsedMs() + WINDOW_MS,
      openedAt: now(),
      calls: new Map(),
    });
  }

  #write(keyId: string, { openedAt, calls }: KeyWindow): void {
    this.#append(keyId, {
      since: new Date(openedAt).toISOString(),
      calls: Object.fromEntries(calls),
    });
  }

  #append(keyId: string, details: Readonly<Record<string, unknown>>): void {
    const { audit, now } = this.#options;
    audit.append({ at: now(), actor: keyId, action: 'admin.refused', subject: keyId, details });
  }
}
