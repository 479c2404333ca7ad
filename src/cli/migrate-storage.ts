/** Action of `qcs migrate`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { DATABASE_FILE } from '../storage/database.ts';
import { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { openServiceDatabase } from '../storage/service-lock.ts';
import { type CommandIo, writeEither } from './command-io.ts';
import { type CopyReport, copyToPostgres } from './copy-to-postgres.ts';
import { FileNotFoundError, NoTargetError } from './errors.ts';

/** Options of `qcs migrate`. */
export interface MigrateOptions {
  readonly json?: boolean;
}

/** Time for one statement: it may write or hash megabytes, or wait for a lock. */
const ANSWER_MS = 120_000;

/**
 * Copies the database of a data folder into PostgreSQL and prints the number of rows of each table.
 *
 * @param folder - By default that of the settings.
 * @throws {NoTargetError} if the settings name no database in PostgreSQL.
 * @throws {FileNotFoundError} if the folder has no database.
 * @throws as `openServiceDatabase`, `PostgresDatabase.open` and `copyToPostgres`.
 */
export async function migrateStorage(
  folder: string | undefined,
  options: MigrateOptions,
  io: CommandIo,
): Promise<void> {
  const { dataDir, databaseUrl, durability } = loadConfig(io.environment);
  if (databaseUrl === undefined) throw new NoTargetError();
  const from = folder ?? dataDir;
  const path = join(from, DATABASE_FILE);
  // The marker alone is of a database that is lost, which opening it says.
  if (![path, `${path}.made`].some((each) => existsSync(each))) throw new FileNotFoundError(path);
  using source = openServiceDatabase(from, durability);
  const target = await PostgresDatabase.open({
    url: databaseUrl,
    role: 'command',
    answerMs: ANSWER_MS,
  });
  try {
    const report = await copyToPostgres(source.database, target, ({ id, what }) => {
      io.err.write(`warning: job ${id} is damaged and left out: ${what}.\n`);
    });
    writeEither(io, options, viewReport(path, report), describe(path, report));
  } finally {
    await target.close();
  }
}

function viewReport(path: string, { rows, requeued, leftOut }: CopyReport) {
  return { file: path, rows, jobs_requeued: requeued, jobs_left_out: leftOut };
}

function describe(path: string, { rows, requeued, leftOut }: CopyReport): string {
  return [
    `${path} is copied to the database that QCS_DATABASE_URL names, and was compared with it:`,
    ...Object.entries(rows).map(([table, count]) => `  ${table}: ${count} rows`),
    ...(requeued === 0 ? [] : [`Jobs that were running, and are queued: ${requeued}.`]),
    ...(leftOut === 0 ? [] : [`Damaged jobs that were left out: ${leftOut}.`]),
  ].join('\n');
}
