/**
 * What became of jobs, written down by the database itself: a trigger logs each transition of a job into a final
 * status, and each later change of what a final job says. It is no part of the service, which does not know of it.
 */
import { query } from './postgres-server.ts';

/** What happened to a job. */
export interface LoggedChange {
  readonly jobId: string;
  /**
   * `final`: it became final. `changed`: it was final, and its status, result, error or end changed. `deleted`: its
   * record went.
   */
  readonly change: 'final' | 'changed' | 'deleted';
  readonly status: string;
  /** Hash of all that a final job says. */
  readonly record: string;
  /** Name of the connection that did it. */
  readonly by: string;
}

/** A job as the table of jobs has it. */
export interface StoredFinal {
  readonly jobId: string;
  readonly status: string;
  readonly attempts: number;
  /** Hash of all that it says, as in the log. */
  readonly record: string;
  readonly errorCode: string | undefined;
  /** The whole message of its error. */
  readonly errorMessage: string | undefined;
  /** Beginning of what was asked for. */
  readonly request: string;
}

const SAID = (row: string) =>
  `md5(ROW(${['status', 'result', 'large_result', 'error_code', 'error_message', 'finished_at']
    .map((column) => `${row}.${column}`)
    .join()})::text)`;
const IS_FINAL = (row: string) => `${row}.status IN ('completed', 'failed', 'cancelled')`;

/** Begins to log. Call it once the tables are there. */
export async function logFinals(url: string): Promise<void> {
  await query(
    url,
    `
    CREATE TABLE finals_log (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      job_id text NOT NULL,
      change text NOT NULL,
      status text NOT NULL,
      record text NOT NULL,
      made_by text NOT NULL DEFAULT current_setting('application_name'),
      made_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE FUNCTION log_final() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          INSERT INTO finals_log (job_id, change, status, record)
            VALUES (OLD.id, 'deleted', OLD.status, ${SAID('OLD')});
        ELSIF TG_OP = 'UPDATE' AND ${IS_FINAL('OLD')} THEN
          IF ${SAID('OLD')} <> ${SAID('NEW')} THEN
            INSERT INTO finals_log (job_id, change, status, record)
              VALUES (NEW.id, 'changed', NEW.status, ${SAID('NEW')});
          END IF;
        ELSIF ${IS_FINAL('NEW')} THEN
          INSERT INTO finals_log (job_id, change, status, record)
            VALUES (NEW.id, 'final', NEW.status, ${SAID('NEW')});
        END IF;
        RETURN NULL;
      END $$;
    CREATE TRIGGER log_final AFTER INSERT OR UPDATE OR DELETE ON jobs
      FOR EACH ROW EXECUTE FUNCTION log_final();
    `,
  );
}

/** All that was logged, in order. */
export async function readFinalsLog(url: string): Promise<readonly LoggedChange[]> {
  const rows = await query(url, 'SELECT * FROM finals_log ORDER BY number');
  return rows.map((row) => ({
    jobId: String(row['job_id']),
    change: row['change'] as LoggedChange['change'],
    status: String(row['status']),
    record: String(row['record']),
    by: String(row['made_by']),
  }));
}

/** All jobs that are stored. */
export async function readStoredJobs(url: string): Promise<readonly StoredFinal[]> {
  const rows = await query(
    url,
    `SELECT id, status, attempts::int, error_code, error_message, left(request, 150) AS request, ${SAID('jobs')} AS record FROM jobs`,
  );
  return rows.map((row) => ({
    jobId: String(row['id']),
    status: String(row['status']),
    attempts: Number(row['attempts']),
    record: String(row['record']),
    errorCode: row['error_code'] === null ? undefined : String(row['error_code']),
    request: String(row['request']),
    errorMessage: row['error_message'] === null ? undefined : String(row['error_message']),
  }));
}
