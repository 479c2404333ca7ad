/** Actions of `qcs keys`. */
import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { COMMAND_LINE } from '../service/audit/audit-log.ts';
import { type ApiKey, isValidAt, type Scope, type Tier } from '../service/http/api-key.ts';
import { viewKey } from '../service/keys/key-schema.ts';
import type { KeyStore, KeyWithText } from '../service/keys/key-store.ts';
import { createSqliteKeyStore } from '../service/keys/sqlite-key-store.ts';
import type { DamagedRecord } from '../storage/damaged-records.ts';
import { DATABASE_FILE, openDatabase } from '../storage/database.ts';
import { type CommandIo, table, writeEither, writeJson } from './command-io.ts';

/** Options of `qcs keys create`. */
export interface CreateKeyOptions {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  /** Time of expiry, milliseconds since 1970 UTC. */
  readonly expires?: number;
  readonly json?: boolean;
}

/** Creates a key and prints it. */
export async function createKey(options: CreateKeyOptions, io: CommandIo): Promise<void> {
  await withKeyStore(io, async (store) => {
    const { name, tier, scopes, expires } = options;
    const newKey = {
      name,
      tier,
      scopes,
      createdAt: io.now(),
      ...(expires !== undefined && { expiresAt: expires }),
    };
    const created = await store.create(newKey, COMMAND_LINE);
    writeWithText(created, options, io, 'It is not shown again.');
  });
}

/** Options of `qcs keys change`. */
export interface ChangeKeyOptions {
  readonly name?: string;
  readonly tier?: Tier;
  readonly scopes?: readonly Scope[];
  /** Time of expiry, milliseconds since 1970 UTC. */
  readonly expires?: number | 'never';
  readonly json?: boolean;
}

/**
 * Changes a key.
 *
 * @throws {KeyNotFoundError}
 * @throws {KeyRevokedError}
 */
export async function changeKey(
  id: string,
  options: ChangeKeyOptions,
  io: CommandIo,
): Promise<void> {
  await withKeyStore(io, async (store) => {
    const { expires, json: _, ...changes } = options;
    const expiresAt = expires === 'never' ? null : expires;
    const all = { ...changes, ...(expiresAt !== undefined && { expiresAt }) };
    const key = await store.change(id, all, { actor: COMMAND_LINE, at: io.now() });
    writeEither(io, options, viewKey(key), keyTable([key], io.now()));
  });
}

/** Options of `qcs keys rotate`. */
export interface RotateKeyOptions {
  /** Seconds for which the old secret stays valid. */
  readonly grace: number;
  readonly json?: boolean;
}

/**
 * Gives a key a new secret and prints it.
 *
 * @throws {KeyNotFoundError}
 * @throws {KeyRevokedError}
 */
export async function rotateKey(
  id: string,
  options: RotateKeyOptions,
  io: CommandIo,
): Promise<void> {
  await withKeyStore(io, async (store) => {
    const at = io.now();
    const oldUntil = at + options.grace * 1000;
    const rotated = await store.rotate(id, oldUntil, { actor: COMMAND_LINE, at });
    const until = viewKey(rotated.key).old_secret_until;
    writeWithText(rotated, options, io, `It is not shown again. The old one ends ${until}.`);
  });
}

function writeWithText(
  { key, text }: KeyWithText,
  { json }: { readonly json?: boolean },
  io: CommandIo,
  note: string,
): void {
  if (json) writeJson(io, { key: text, ...viewKey(key) });
  else {
    io.out.write(`${text}\n`);
    io.err.write(`Key ${key.id} (${key.tier}; ${key.scopes.join(', ')}). ${note}\n`);
  }
}

/** Prints all keys, without their secrets. */
export async function listKeys(options: { readonly json?: boolean }, io: CommandIo): Promise<void> {
  await withKeyStore(io, async (store) => {
    const all = await store.list();
    writeEither(io, options, { keys: all.map(viewKey) }, keyTable(all, io.now()));
  });
}

/**
 * Revokes a key.
 *
 * @throws {KeyNotFoundError}
 */
export async function revokeKey(
  id: string,
  options: { readonly json?: boolean },
  io: CommandIo,
): Promise<void> {
  await withKeyStore(io, async (store) => {
    const key = await store.revoke(id, { actor: COMMAND_LINE, at: io.now() });
    writeEither(io, options, viewKey(key), `Key ${key.id} (${key.name}) is revoked.`);
  });
}

/** @throws as `PostgresDatabase.open`. */
async function withKeyStore(io: CommandIo, use: (store: KeyStore) => Promise<void>): Promise<void> {
  const { dataDir, databaseUrl, durability } = loadConfig(io.environment);
  const onDamaged = ({ id, what }: DamagedRecord) =>
    void io.err.write(`warning: key ${id} is damaged and left out: ${what}.\n`);
  if (databaseUrl !== undefined) {
    // The driver of PostgreSQL is loaded only here.
    const { createPostgresKeyStore } = await import('../service/keys/postgres-key-store.ts');
    const { PostgresDatabase } = await import('../storage/postgres/postgres-database.ts');
    const database = await PostgresDatabase.open({ url: databaseUrl, role: 'command' });
    try {
      await use(createPostgresKeyStore(database, onDamaged));
    } finally {
      await database.close();
    }
    return;
  }
  const database = openDatabase(join(dataDir, DATABASE_FILE), durability);
  try {
    await use(createSqliteKeyStore(database, onDamaged));
  } finally {
    database.close();
  }
}

function keyTable(keys: readonly ApiKey[], now: number): string {
  const rows = keys.map((key) => {
    const view = viewKey(key);
    return [
      view.id,
      view.name,
      view.tier,
      view.scopes.join(','),
      view.created_at,
      stateOf(key, now),
    ];
  });
  return table(['ID', 'NAME', 'TIER', 'SCOPES', 'CREATED', 'STATE'], rows);
}

function stateOf(key: ApiKey, now: number): string {
  const { expires_at, revoked_at } = viewKey(key);
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  if (!isValidAt(key, now)) return `expired ${expires_at}`;
  return expires_at === null ? 'active' : `active until ${expires_at}`;
}
