/** Actions of `qcs backup`, `qcs restore` and `qcs check`. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { acceptLoss, backUp, type Inspection, inspect, restore } from '../storage/backup.ts';
import { DATABASE_FILE } from '../storage/database.ts';
import { DatabaseDamagedError } from '../storage/errors.ts';
import { type CommandIo, writeEither } from './command-io.ts';
import { EmbeddedOnlyError, FileNotFoundError, OptionsConflictError } from './errors.ts';

/** Options of `qcs check`. */
export interface CheckOptions {
  readonly acceptLoss?: boolean;
  readonly json?: boolean;
}

const MIB = 2 ** 20;

/**
 * Writes a backup and prints its size.
 *
 * @throws {FileNotFoundError} if there is no database yet.
 * @throws {EmbeddedOnlyError}
 */
export function writeBackup(file: string, io: CommandIo): void {
  const dataDir = embeddedDataDir('qcs backup', 'pg_dump', io);
  requireFile(databaseIn(dataDir), [`${databaseIn(dataDir)}.made`]);
  backUp(databaseIn(dataDir), file);
  io.out.write(`${file}: ${(statSync(file).size / MIB).toFixed(1)} MiB.\n`);
}

/**
 * Replaces the database by a backup.
 *
 * @throws {FileNotFoundError} if there is no such file.
 * @throws {EmbeddedOnlyError}
 */
export async function restoreBackup(file: string, io: CommandIo): Promise<void> {
  requireFile(file);
  const dataDir = embeddedDataDir('qcs restore', 'pg_restore', io);
  const aside = await restore(dataDir, file, `before-${timeIn(io)}`);
  io.out.write(`${databaseIn(dataDir)} is restored from ${file}.\n`);
  if (aside !== undefined) io.err.write(`The database that was there before is ${aside}.\n`);
}

/**
 * Inspects the database or a backup and prints its contents.
 *
 * @throws {DatabaseDamagedError} if it is damaged.
 */
export async function checkStorage(
  file: string | undefined,
  options: CheckOptions,
  io: CommandIo,
): Promise<void> {
  const dataDir =
    file === undefined
      ? embeddedDataDir('qcs check', 'pg_amcheck', io)
      : loadConfig(io.environment).dataDir;
  const path = file ?? databaseIn(dataDir);
  if (options.acceptLoss) {
    if (file !== undefined) throw new OptionsConflictError('--accept-loss is not for backups.');
    const wasLost = await acceptLoss(dataDir, `lost-${timeIn(io)}`);
    io.err.write(wasLost ? 'It goes on without its log.\n' : 'Nothing of it is lost.\n');
  }
  requireFile(path, file === undefined ? [`${path}.made`, `${path}-wal`] : []);
  const found = inspect(path);
  writeEither(io, options, { file: path, ...viewInspection(found) }, describe(path, found));
  const [fault] = found.faults;
  if (fault !== undefined) throw new DatabaseDamagedError(path, fault.replace(/\.$/, ''));
}

/**
 * Folder of the embedded database.
 *
 * @param command - Command that is for this database only.
 * @param program - Program of PostgreSQL that does the same there.
 * @throws {EmbeddedOnlyError} if the settings name a database in PostgreSQL.
 */
function embeddedDataDir(command: string, program: string, io: CommandIo): string {
  const { dataDir, databaseUrl } = loadConfig(io.environment);
  if (databaseUrl !== undefined) throw new EmbeddedOnlyError(command, program);
  return dataDir;
}

function describe(path: string, { bytes, schemaVersion, rows, faults }: Inspection): string {
  return [
    `${path}: ${(bytes / MIB).toFixed(1)} MiB, schema version ${schemaVersion}`,
    ...Object.entries(rows).map(([table, count]) => `  ${table}: ${count} rows`),
    faults.length === 0 ? 'No damage found.' : `Damaged, ${faults.length} faults:`,
    ...faults.map((fault) => `  ${fault}`),
  ].join('\n');
}

function viewInspection({ schemaVersion, ...rest }: Inspection) {
  return { ...rest, schema_version: schemaVersion };
}

/**
 * Checks that a file exists.
 *
 * @param traces - Files that show that it existed before. If one is there, the check passes, because opening
 *   the missing file gives a more precise error.
 */
function requireFile(path: string, traces: readonly string[] = []): void {
  if (![path, ...traces].some((each) => existsSync(each))) throw new FileNotFoundError(path);
}

function databaseIn(dataDir: string): string {
  return join(dataDir, DATABASE_FILE);
}

/** Current time as part of a file name: `20260102T030405`. */
function timeIn(io: CommandIo): string {
  return new Date(io.now()).toISOString().replace(/\..*|[-:]/g, '');
}
