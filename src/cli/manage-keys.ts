/** What `qcs keys` does. */
import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import type { ApiKey, Scope, Tier } from '../service/keys/api-key.ts';
import type { KeyStore } from '../service/keys/key-store.ts';
import { createSqliteKeyStore } from '../service/keys/sqlite-key-store.ts';
import { DATABASE_FILE, openDatabase } from '../storage/database.ts';
import { type CommandIo, table, writeJson } from './command-io.ts';

/** What `qcs keys create` is told. */
export interface CreateKeyOptions {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly json?: boolean;
}

/** Makes a key and prints it. */
export async function createKey(options: CreateKeyOptions, io: CommandIo): Promise<void> {
  await withKeyStore(io, async (store) => {
    const { name, tier, scopes } = options;
    const { key, text } = await store.create({ name, tier, scopes, createdAt: io.now() });
    if (options.json) writeJson(io, { key: text, ...keyFields(key) });
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
    if (options.json) writeJson(io, { keys: all.map(keyFields) });
    else io.out.write(`${keyTable(all)}\n`);
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
    if (options.json) writeJson(io, keyFields(key));
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

function keyFields(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    tier: key.tier,
    scopes: key.scopes,
    created_at: new Date(key.createdAt).toISOString(),
    revoked_at: key.revokedAt === undefined ? null : new Date(key.revokedAt).toISOString(),
  };
}

function keyTable(keys: readonly ApiKey[]): string {
  const rows = keys
    .map(keyFields)
    .map((key) => [
      key.id,
      key.name,
      key.tier,
      key.scopes.join(','),
      key.created_at,
      key.revoked_at === null ? 'active' : `revoked ${key.revoked_at}`,
    ]);
  return table(['ID', 'NAME', 'TIER', 'SCOPES', 'CREATED', 'STATE'], rows);
}
