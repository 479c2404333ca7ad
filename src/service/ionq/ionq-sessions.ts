/**
 * Sessions of IonQ's interface: a label for jobs, with limits of their number and of its time. Nothing is reserved for a session; its
 * jobs wait their turn like all others.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { GroupCommit } from '../../storage/group-commit.ts';

/** A session. Times are milliseconds since 1970 UTC. */
export interface IonqSession {
  /** UUID. */
  readonly id: string;
  readonly keyId: string;
  readonly backend: string;
  readonly settings: IonqSessionSettings;
  readonly createdAt: number;
  /** Time of its first job. */
  readonly startedAt: number | undefined;
  /** Time at which it was ended, or at which its time is up. */
  readonly endsAt: number | undefined;
}

/** Settings of a session, as they are sent and shown. */
export const sessionSettings = z.object({
  job_count_limit: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .nullish(),
  duration_limit_min: z.coerce
    .number()
    .pipe(
      z
        .int()
        .min(1)
        .max(2 ** 24),
    )
    .nullish(),
  cost_limit: z.object({ unit: z.string().nullish(), value: z.coerce.number() }).nullish(),
});
export type IonqSessionSettings = z.output<typeof sessionSettings>;

/** Store of sessions. */
export interface IonqSessionStore {
  create(session: Omit<IonqSession, 'id' | 'startedAt' | 'endsAt'>): Promise<IonqSession>;
  /** The sessions of a key, newest first. */
  list(keyId: string): readonly IonqSession[];
  find(id: string, keyId: string): IonqSession | undefined;
  /** Ends a session at a time, unless it has ended before. */
  end(id: string, keyId: string, at: number): Promise<void>;
  /** Counts a job; false if the session has ended or has all its jobs. */
  takeJob(id: string, keyId: string, at: number): Promise<boolean>;
}

/** Sessions that are kept of each key; older ones are forgotten. */
const KEPT = 100;
const MS_PER_MINUTE = 60_000;

/** Creates the store over the table `ionq_sessions`. */
export function createIonqSessionStore(database: DatabaseSync): IonqSessionStore {
  const writer = GroupCommit.of(database);
  const insert = database.prepare(
    'INSERT INTO ionq_sessions (id, key_id, backend, settings, created_at, ends_at, jobs_left) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const forget = database.prepare(
    `DELETE FROM ionq_sessions WHERE key_id = ? AND id NOT IN
      (SELECT id FROM ionq_sessions WHERE key_id = ? ORDER BY created_at DESC, id LIMIT ${KEPT})`,
  );
  const select = database.prepare(
    'SELECT * FROM ionq_sessions WHERE key_id = ? ORDER BY created_at DESC, id',
  );
  const end = database.prepare(
    'UPDATE ionq_sessions SET ends_at = min(coalesce(ends_at, ?), ?) WHERE id = ? AND key_id = ?',
  );
  const take = database.prepare(
    `UPDATE ionq_sessions SET started_at = coalesce(started_at, ?), jobs_left = jobs_left - 1
      WHERE id = ? AND key_id = ? AND coalesce(ends_at > ?, 1) AND coalesce(jobs_left > 0, 1)`,
  );
  const list = (keyId: string) => select.all(keyId).map(sessionOfRow);
  return {
    async create(given) {
      const { keyId, backend, settings, createdAt } = given;
      const { job_count_limit: jobs, duration_limit_min: minutes } = settings;
      const endsAt = minutes == null ? null : createdAt + minutes * MS_PER_MINUTE;
      const id = randomUUID();
      await writer.write(() => {
        insert.run(id, keyId, backend, JSON.stringify(settings), createdAt, endsAt, jobs ?? null);
        forget.run(keyId, keyId);
      });
      return { ...given, id, startedAt: undefined, endsAt: endsAt ?? undefined };
    },
    list,
    find: (id, keyId) => list(keyId).find((session) => session.id === id),
    async end(id, keyId, at) {
      await writer.write(() => end.run(at, at, id, keyId));
    },
    takeJob: (id, keyId, at) =>
      writer.write(() => Number(take.run(at, id, keyId, at).changes) === 1),
  };
}

function sessionOfRow(row: Readonly<Record<string, unknown>>): IonqSession {
  const time = (name: string) => (row[name] === null ? undefined : Number(row[name]));
  return {
    id: String(row['id']),
    keyId: String(row['key_id']),
    backend: String(row['backend']),
    settings: sessionSettings.catch({}).parse(parsedOrNothing(String(row['settings']))),
    createdAt: Number(row['created_at']),
    startedAt: time('started_at'),
    endsAt: time('ends_at'),
  };
}

/** Settings that cannot be read limit nothing; the columns that limit a session are others. */
function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
