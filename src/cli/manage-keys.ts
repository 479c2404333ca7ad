/** What `qcs keys` does. */
import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { type ApiKey, isValidAt, type Scope, type Tier } from '../service/keys/api-key.ts';
import type { KeyStore } from '../service/keys/key-store.ts';
import { viewKey } from '../service/keys/key-view.ts';
import { createSqliteKeyStore } from '../service/keys/sqlite-key-store.ts';
import { DATABASE_FILE, openDatabase } from '../storage/database.ts';
import { type CommandIo, table, writeJson } from './command-io.ts';

/** What `qcs keys create` is told. */
export interface CreateKeyOptions {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970 UTC. */
  readonly expires?: number;
  readonly json?: boolean;
}

/** Makes a key and prints it. */
export async function createKey(options: CreateKeyOptions, io: CommandIo): Promise<void> {
  await withKeyStore(io, async (store) => {
    const { name, tier, scopes, expires } = options;
    const { key, text } = await store.create({
      name,
      tier,
      scopes,
      createdAt: io.now(),
      ...(expires !== undefined && { expiresAt: expires }),
    });
    if (options.json) writeJson(io, { key: text, ...viewKey(key) });
    else {
      io.out.write(`${text}\n`);
      io.err.write(`Key ${key.id} (${tier}; ${scopes.join(', ')}). It is not shown again.\n`);
    }
  });
}

/** Prints all keys, without their secrets. */
export async function listKeys(options: { readonly json?: boolean }, io: CommandIo): Promise<void> {
  await withKeyStore(io, async (store) => {
    const all = await store.list();
    if (options.json) writeJson(io, { keys: all.map(viewKey) });
    else io.out.write(`${keyTable(all, io.now())}\n`);
  });
}

/**
 * Revokes the key of that id.
 *
 * @throws {KeyNotFoundError}
 */
export async function revokeKey(
  id: string,
  options: { readonly json?: boolean },
  io: CommandIo,
): Promise<void> {
  await withKeyStore(io, async (store) => {
    const key = await store.revoke(id, io.now());
    if (options.json) writeJson(io, viewKey(key));
    else io.out.write(`Key ${key.id} (${key.name}) is revoked.\n`);
  });
}

async function withKeyStore(io: CommandIo, use: (store: KeyStore) => Promise<void>): Promise<void> {
  const database = openDatabase(join(loadConfig(io.environment).dataDir, DATABASE_FILE));
  try {
    await use(createSqliteKeyStore(database));
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
