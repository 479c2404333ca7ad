/** The log of administration in PostgreSQL, append-only like that in SQLite. */
import type { Query } from '../../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../../storage/postgres/postgres-database.ts';
import { storable } from '../../storage/postgres/storable.ts';
import { type AuditEntry, type AuditLog, auditRecordOf } from './audit-log.ts';

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
