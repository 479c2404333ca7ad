/**
 * The tables in PostgreSQL, and their versions. Rows have the columns and types of those in SQLite, with two
 * differences: a large request or result is a column of its own, because PostgreSQL keeps large values apart by
 * itself; and bytes stored by key are counted once a statement, not once a row.
 *
 * Text sorts by its bytes (COLLATE "C"), as ids and places of listings do everywhere.
 */
import { LAST_TIME } from '../damaged-records.ts';
import { CannotOpenDatabaseError } from '../errors.ts';
import type { Query } from './connection.ts';

/** Key of the advisory lock that one process at a time holds while it migrates: "qcs" and a number. */
const MIGRATING = [0x716373, 1] as const;

/** A time in milliseconds since 1970 UTC. */
const TIME = (column: string) => `bigint CHECK (${column} BETWEEN 0 AND ${LAST_TIME})`;

/**
 * Statement that notes by how many bytes a query (`key_id`, `bytes`) changes the stored data of its keys. Each
 * transaction adds rows of its own, so transactions that write to one key do not wait for each other. `PostgresUsage`
 * folds the rows into `storage_usage`.
 */
const COUNT = (query: string) => `
  INSERT INTO storage_changes (key_id, bytes)
    SELECT key_id, sum(bytes)::bigint FROM (${query}) AS stored (key_id, bytes)
    GROUP BY key_id HAVING sum(bytes) <> 0`;

/** Triggers that count the rows of a table by key. A row has `bytes` bytes, an expression over its columns. */
const COUNTED = (table: string, bytes: string) => {
  const of = (rows: string, sign = '') => `SELECT key_id, ${sign}(${bytes}) FROM ${rows}`;
  const trigger = (event: string, tables: string, query: string) => `
    CREATE FUNCTION ${table}_${event}_counted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${COUNT(query)}; RETURN NULL; END $$;
    CREATE TRIGGER ${table}_${event}_counted AFTER ${event} ON ${table} REFERENCING ${tables}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_${event}_counted();`;
  return [
    trigger('insert', 'NEW TABLE AS made', of('made')),
    trigger('delete', 'OLD TABLE AS gone', of('gone', '-')),
    trigger(
      'update',
      'OLD TABLE AS gone NEW TABLE AS made',
      `${of('gone', '-')} UNION ALL ${of('made')}`,
    ),
  ].join('\n');
};

/**
 * Entry i brings a database from version i to version i + 1. Never edit a released one.
 *
 * Nodes are upgraded one after another, so software that knows i versions also runs on a database of version i + 1:
 * each entry must leave tables that the software of the step before can use. A column that goes is first no longer
 * used, in one version, and dropped in the next.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE commits (
    writer text COLLATE "C" PRIMARY KEY,
    number bigint NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
  ) WITH (fillfactor = 50);

  CREATE TABLE nodes (
    name text COLLATE "C" PRIMARY KEY,
    epoch bigint NOT NULL,
    process text NOT NULL,
    role text NOT NULL CHECK (role IN ('all', 'api', 'worker')),
    version text NOT NULL,
    is_up boolean NOT NULL,
    is_draining boolean NOT NULL DEFAULT false,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    report text NOT NULL DEFAULT '{}'
  ) WITH (fillfactor = 50);

  CREATE TABLE holdings (
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    PRIMARY KEY (kind, id)
  );

  CREATE TABLE lines (
    line text COLLATE "C" PRIMARY KEY,
    tags text NOT NULL
  ) WITH (fillfactor = 50);

  CREATE SEQUENCE job_places;
  CREATE TABLE jobs (
    id text COLLATE "C" PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL
      CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
    priority text NOT NULL,
    target text NOT NULL,
    request text NOT NULL,
    large_request bytea,
    result text,
    large_result bytea,
    error_code text,
    error_message text,
    created_at ${TIME('created_at')} NOT NULL,
    started_at ${TIME('started_at')},
    finished_at ${TIME('finished_at')},
    attempts bigint NOT NULL,
    suspicion double precision NOT NULL DEFAULT 0,
    retry_of text,
    name text COLLATE "C",
    tags text,
    line text COLLATE "C",
    level smallint NOT NULL DEFAULT 0,
    cost_ms double precision NOT NULL DEFAULT 0,
    width smallint NOT NULL DEFAULT 0,
    place bigint NOT NULL DEFAULT nextval('job_places'),
    queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    origin text COLLATE "C",
    owner text COLLATE "C",
    epoch bigint,
    claim bigint
  );
  ALTER TABLE jobs ALTER COLUMN large_request SET STORAGE EXTERNAL;
  ALTER TABLE jobs ALTER COLUMN large_result SET STORAGE EXTERNAL;
  CREATE INDEX jobs_by_owner ON jobs (key_id, kind, created_at, id);
  CREATE INDEX jobs_by_status ON jobs (key_id, kind, status, created_at, id);
  CREATE INDEX jobs_by_name ON jobs (key_id, kind, name, created_at, id) WHERE name IS NOT NULL;
  CREATE INDEX jobs_claimable ON jobs (line, level, key_id, place)
    WHERE status = 'queued' AND owner IS NULL AND line IS NOT NULL;
  CREATE INDEX jobs_without_line ON jobs (place) WHERE status = 'queued' AND owner IS NULL AND line IS NULL;
  CREATE INDEX jobs_held ON jobs (owner, epoch) WHERE status IN ('queued', 'running') AND owner IS NOT NULL;
  CREATE INDEX jobs_of_origin ON jobs (origin) WHERE status IN ('queued', 'running');
  CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;

  CREATE TABLE job_tags (
    key_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    tag text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    job_id text COLLATE "C" NOT NULL REFERENCES jobs ON DELETE CASCADE,
    PRIMARY KEY (key_id, kind, tag, created_at, job_id)
  );
  CREATE INDEX job_tags_of_job ON job_tags (job_id);

  CREATE TABLE job_parts (
    job_id text COLLATE "C" NOT NULL REFERENCES jobs ON DELETE CASCADE,
    key_id text COLLATE "C" NOT NULL,
    series bigint NOT NULL,
    start bigint NOT NULL,
    "end" bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (job_id, series, start)
  );
  ALTER TABLE job_parts ALTER COLUMN data SET STORAGE EXTERNAL;

  CREATE TABLE idempotency (
    key_id text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    body_hash text NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    claimed_by text NOT NULL,
    response text,
    created_at bigint NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)
  );
  CREATE INDEX idempotency_by_age ON idempotency (created_at);

  CREATE TABLE storage_usage (
    key_id text COLLATE "C" PRIMARY KEY,
    bytes bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE storage_changes (
    key_id text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  ${COUNTED(
    'jobs',
    `512 + octet_length(request) + coalesce(octet_length(large_request), 0)
      + coalesce(octet_length(result), 0) + coalesce(octet_length(large_result), 0)
      + CASE WHEN name IS NULL THEN 0 ELSE 96 + 2 * octet_length(name) END`,
  )}
  ${COUNTED('job_tags', '96 + 2 * octet_length(tag)')}
  ${COUNTED('job_parts', '64 + octet_length(data)')}
  ${COUNTED('idempotency', '512 + coalesce(octet_length(response), 0)')}

  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    secret_hash text NOT NULL,
    tier text NOT NULL,
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    old_secret_hash text,
    old_secret_until bigint
  );
  CREATE FUNCTION api_keys_told() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_notify('qcs_keys', coalesce(NEW.id, OLD.id)); RETURN NULL; END $$;
  CREATE TRIGGER api_keys_told AFTER INSERT OR UPDATE OR DELETE ON api_keys
    FOR EACH ROW EXECUTE FUNCTION api_keys_told();

  CREATE TABLE rate_windows (
    subject text COLLATE "C" PRIMARY KEY,
    opened_at timestamptz NOT NULL,
    drawn bigint NOT NULL
  ) WITH (fillfactor = 50);

  CREATE TABLE places_in_flight (
    key_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    held bigint NOT NULL CHECK (held >= 0),
    PRIMARY KEY (key_id, kind, node)
  ) WITH (fillfactor = 50);
  CREATE INDEX places_of_node ON places_in_flight (node);

  CREATE TABLE maintenance (
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    since bigint NOT NULL,
    PRIMARY KEY (kind, id)
  );

  CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details text NOT NULL
  );
  CREATE FUNCTION audit_appends() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
  CREATE TRIGGER audit_appends BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_appends();

  CREATE TABLE ionq_sessions (
    id text COLLATE "C" PRIMARY KEY,
    key_id text COLLATE "C" NOT NULL,
    backend text NOT NULL,
    settings text NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    ends_at bigint,
    jobs_left bigint
  );
  CREATE INDEX ionq_sessions_by_owner ON ionq_sessions (key_id, created_at);
  `,
];

/**
 * Brings the tables to the version of this software. Of several processes that do so at once, one migrates and the
 * others find it done. A database that is one version newer is not changed. Call it outside a transaction.
 *
 * @throws {CannotOpenDatabaseError} if the database is two versions newer, or more.
 */
export async function migrate(query: Query): Promise<void> {
  await query('BEGIN');
  try {
    await query('SELECT pg_advisory_xact_lock($1, $2)', MIGRATING);
    await query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    const { rows } = await query('SELECT version FROM schema_version');
    const version = Number(rows[0]?.['version'] ?? 0);
    if (version > MIGRATIONS.length + 1) {
      throw new CannotOpenDatabaseError(
        `it has schema version ${version}, and this version of the software can use up to ${MIGRATIONS.length + 1}`,
      );
    }
    for (const statements of MIGRATIONS.slice(version)) await query(statements);
    if (version < MIGRATIONS.length) {
      await query('DELETE FROM schema_version');
      await query('INSERT INTO schema_version VALUES ($1)', [MIGRATIONS.length]);
    }
    await query('COMMIT');
  } catch (error) {
    await query('ROLLBACK').catch(() => {});
    throw error;
  }
}
