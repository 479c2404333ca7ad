/**
 * API keys in the embedded database.
 *
 * Nothing is cached: a lookup is one read of an in-process B-tree, and a key that another process
 * (`qcs keys revoke`) revokes is refused from the next request on.
 */
import type { DatabaseSync } from 'node:sqlite';
import { KeyNotFoundError } from '../errors.ts';
import {
  type ApiKey,
  drawKeyText,
  isScope,
  isTier,
  parseKeyText,
  secretMatches,
} from './api-key.ts';
import type { KeyStore } from './key-store.ts';

type Row = Readonly<Record<string, unknown>>;

/** A store over the table `api_keys` of an open database. */
export function createSqliteKeyStore(database: DatabaseSync): KeyStore {
  const insert = database.prepare(
    `INSERT INTO api_keys (id, name, secret_hash, tier, scopes, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const selectAll = database.prepare('SELECT * FROM api_keys ORDER BY created_at, id');
  const selectOne = database.prepare('SELECT * FROM api_keys WHERE id = ?');
  // COALESCE keeps the first time when a key is revoked again.
  const revoke = database.prepare(
    'UPDATE api_keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ? RETURNING *',
  );
  return {
    async create(newKey) {
      const { id, secretHash, text } = drawKeyText();
      const { name, tier, scopes, createdAt } = newKey;
      insert.run(id, name, secretHash, tier, scopes.join(','), createdAt);
      return { key: { id, name, tier, scopes, createdAt }, text };
    },

    async list() {
      return selectAll.all().map(toApiKey);
    },

    async revoke(id, now) {
      const row = revoke.get(now, id);
      if (row === undefined) throw new KeyNotFoundError(id);
      return toApiKey(row);
    },

    async find(text) {
      const parts = parseKeyText(text);
      if (parts === undefined) return undefined;
      const row = selectOne.get(parts.id);
      if (row === undefined || !secretMatches(parts.secret, String(row['secret_hash']))) {
        return undefined;
      }
      const key = toApiKey(row);
      return key.revokedAt === undefined ? key : undefined;
    },
  };
}

function toApiKey(row: Row): ApiKey {
  const tier = String(row['tier']);
  if (!isTier(tier)) throw new Error(`API key ${row['id']} has the unknown tier "${tier}".`);
  const revokedAt = row['revoked_at'];
  return {
    id: String(row['id']),
    name: String(row['name']),
    tier,
    // A scope that a newer version wrote grants nothing here.
    scopes: String(row['scopes']).split(',').filter(isScope),
    createdAt: Number(row['created_at']),
    ...(revokedAt === null ? {} : { revokedAt: Number(revokedAt) }),
  };
}
