/**
 * Sessions of IonQ's interface: a label for jobs, with limits of their number and of its time. Nothing is reserved for
 * a session; its jobs wait their turn like all others.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { GroupCommit } from '../../storage/group-commit.ts';
import type { PostgresDatabase } from '../../storage/postgres/postgres-database.ts';

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

/** Settings of a session in requests and answers. */
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
  list(keyId: string): Promise<readonly IonqSession[]>;
  find(id: string, keyId: string): Promise<IonqSession | undefined>;
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
  const list = async (keyId: string) => select.all(keyId).map(sessionOfRow);
  return {
    async create(given) {
      const { keyId } = given;
      const session = newSession(given);
      await writer.write(() => {
        insert.run(...columnsOf(session));
        forget.run(keyId, keyId);
      });
      return session;
    },
    list,
    find: async (id, keyId) => (await list(keyId)).find((session) => session.id === id),
    async end(id, keyId, at) {
      await writer.write(() => end.run(at, at, id, keyId));
    },
    takeJob: (id, keyId, at) =>
      writer.write(() => Number(take.run(at, id, keyId, at).changes) === 1),
  };
}

const INSERT = `INSERT INTO ionq_sessions
  (id, key_id, backend, settings, created_at, ends_at, jobs_left) VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const FORGET = `DELETE FROM ionq_sessions WHERE key_id = $1 AND id NOT IN
  (SELECT id FROM ionq_sessions WHERE key_id = $1 ORDER BY created_at DESC, id LIMIT ${KEPT})`;
const SELECT = {
  name: 'ionq-sessions',
  text: 'SELECT * FROM ionq_sessions WHERE key_id = $1 ORDER BY created_at DESC, id',
};
const END = `UPDATE ionq_sessions SET ends_at = least(coalesce(ends_at, $1), $1)
  WHERE id = $2 AND key_id = $3`;
const TAKE = `UPDATE ionq_sessions SET started_at = coalesce(started_at, $1), jobs_left = jobs_left - 1
  WHERE id = $2 AND key_id = $3 AND coalesce(ends_at > $1, TRUE) AND coalesce(jobs_left > 0, TRUE)`;

/** Creates the store over the table `ionq_sessions` in PostgreSQL. */
export function createPostgresIonqSessionStore(database: PostgresDatabase): IonqSessionStore {
  const { writer } = database;
  const list = async (keyId: string) => (await database.read(SELECT, [keyId])).map(sessionOfRow);
  return {
    async create(given) {
      const session = newSession(given);
      await writer.write(async (query) => {
        await query(INSERT, columnsOf(session));
        await query(FORGET, [given.keyId]);
      });
      return session;
    },
    list,
    find: async (id, keyId) => (await list(keyId)).find((session) => session.id === id),
    async end(id, keyId, at) {
      await writer.write((query) => query(END, [at, id, keyId]));
    },
    takeJob: async (id, keyId, at) =>
      (await writer.write((query) => query(TAKE, [at, id, keyId]))).count === 1,
  };
}

/** A session that begins now. */
function newSession(given: Omit<IonqSession, 'id' | 'startedAt' | 'endsAt'>): IonqSession {
  const { duration_limit_min: minutes } = given.settings;
  const endsAt = minutes == null ? undefined : given.createdAt + minutes * MS_PER_MINUTE;
  return { ...given, id: randomUUID(), startedAt: undefined, endsAt };
}

/** Values of a new row, in the order of the statements that insert it. */
function columnsOf({ id, keyId, backend, settings, createdAt, endsAt }: IonqSession) {
  const numJobs = settings.job_count_limit ?? null;
  return [
    id,
    keyId,
    backend,
    JSON.stringify(settings),
    createdAt,
    endsAt ?? null,
    numJobs,
  ] as const;
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
