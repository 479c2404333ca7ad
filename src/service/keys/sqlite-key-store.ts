/**
 * API keys in the embedded database.
 *
 * Each request looks up its key, and few keys come again and again: what was read is kept until the
 * file is known to have changed. SQLite says so of other connections (`data_version`), so that a key
 * that another process (`qcs keys revoke`) revokes is refused from the next turn of the event loop on;
 * of this connection, which writes jobs all the time, the store itself knows when keys change.
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

/** A row as it is needed to answer a lookup. */
interface StoredKey {
  readonly key: ApiKey;
  readonly secretHash: string;
}

/** By id; of each connection one, for it may have several stores. */
const keptKeys = new WeakMap<DatabaseSync, Map<string, StoredKey>>();

/** A store over the table `api_keys` of an open database. */
export function createSqliteKeyStore(database: DatabaseSync): KeyStore {
  const insert = database.prepare(
    `INSERT INTO api_keys (id, name, secret_hash, tier, scopes, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectAll = database.prepare('SELECT * FROM api_keys ORDER BY created_at, id');
  const selectOne = database.prepare('SELECT * FROM api_keys WHERE id = ?');
  // COALESCE keeps the first time when a key is revoked again.
  const revoke = database.prepare(
    'UPDATE api_keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ? RETURNING *',
  );
  const selectVersion = database.prepare('PRAGMA data_version');
  const kept = keptKeys.get(database) ?? new Map<string, StoredKey>();
  keptKeys.set(database, kept);
  let keptVersion: unknown;
  let isCurrent = false;

  /** Forgets what was read before the file changed; asked once for all that come in one turn. */
  const forgetOutdated = () => {
    if (isCurrent) return;
    isCurrent = true;
    setImmediate(() => {
      isCurrent = false;
    });
    const version = selectVersion.get()?.['data_version'];
    if (version === keptVersion) return;
    kept.clear();
    keptVersion = version;
  };

  /** The row of an id; only rows that exist are kept, so that guesses take no memory. */
  const stored = (id: string): StoredKey | undefined => {
    forgetOutdated();
    const known = kept.get(id);
    if (known !== undefined) return known;
    const row = selectOne.get(id);
    if (row === undefined) return undefined;
    const read: StoredKey = { key: toApiKey(row), secretHash: String(row['secret_hash']) };
    kept.set(id, read);
    return read;
  };

  return {
    async create(newKey) {
      const { id, secretHash, text } = drawKeyText();
      const { name, tier, scopes, createdAt, expiresAt } = newKey;
      insert.run(id, name, secretHash, tier, scopes.join(','), createdAt, expiresAt ?? null);
      return { key: { id, ...newKey }, text };
    },

    async list() {
      return selectAll.all().map(toApiKey);
    },

    async revoke(id, now) {
      const row = revoke.get(now, id);
      if (row === undefined) throw new KeyNotFoundError(id);
      kept.delete(id);
      return toApiKey(row);
    },

    async find(text) {
      const parts = parseKeyText(text);
      if (parts === undefined) return undefined;
      const found = stored(parts.id);
      if (!secretMatches(parts.secret, found?.secretHash)) return undefined;
      return found?.key.revokedAt === undefined ? found?.key : undefined;
    },
  };
}

function toApiKey(row: Row): ApiKey {
  const tier = String(row['tier']);
  if (!isTier(tier)) throw new Error(`API key ${row['id']} has the unknown tier "${tier}".`);
  const { expires_at: expiresAt, revoked_at: revokedAt } = row;
  return {
    id: String(row['id']),
    name: String(row['name']),
    tier,
    // A scope that a newer version wrote grants nothing here.
    scopes: String(row['scopes']).split(',').filter(isScope),
    createdAt: Number(row['created_at']),
    ...(expiresAt === null ? {} : { expiresAt: Number(expiresAt) }),
    ...(revokedAt === null ? {} : { revokedAt: Number(revokedAt) }),
  };
}
