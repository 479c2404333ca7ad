/**
 * API keys in the embedded database.
 *
 * Each request looks up its key, and a few keys recur, so rows are cached until they may have changed. SQLite
 * reports changes by other connections (`data_version`), so a key revoked by another process (`qcs keys
 * revoke`) is refused from the next turn of the event loop. Changes by this connection, which also writes
 * jobs all the time, are tracked by the store itself.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { OnDamaged } from '../../storage/damaged-records.ts';
import { auditedWriter } from '../audit/audit-log.ts';
import { type ApiKey, drawKeyText, parseKeyText } from '../http/api-key.ts';
import { KeyNotFoundError, KeyRevokedError } from '../http/errors.ts';
import {
  changedKey,
  changeEntry,
  checkAdminIsLeft,
  createEntry,
  type KeyStore,
  keyOfSecret,
  readableKeys,
  revokeEntry,
  rotateEntry,
  type StoredKey,
  storedKeyOf,
  toApiKey,
} from './key-store.ts';

/** Cached rows by id, for each connection, because several stores may share one. */
const keptKeys = new WeakMap<DatabaseSync, Map<string, StoredKey>>();

/**
 * Creates a store over the table `api_keys` of an open database.
 *
 * @param onDamaged - Called for each key that a listing leaves out.
 */
export function createSqliteKeyStore(
  database: DatabaseSync,
  onDamaged: OnDamaged = () => {},
): KeyStore {
  const insert = database.prepare(
    `INSERT INTO api_keys (id, name, secret_hash, tier, scopes, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectAll = database.prepare('SELECT * FROM api_keys ORDER BY created_at, id');
  const selectOne = database.prepare('SELECT * FROM api_keys WHERE id = ?');
  for (const statement of [selectAll, selectOne]) statement.setReadBigInts(true);
  const selectAny = database.prepare('SELECT 1 FROM api_keys LIMIT 1');
  const update = database.prepare(
    `UPDATE api_keys SET name = ?, tier = ?, scopes = ?, expires_at = ?, revoked_at = ?
     WHERE id = ?`,
  );
  const replaceSecret = database.prepare(
    `UPDATE api_keys SET old_secret_hash = secret_hash, old_secret_until = ?, secret_hash = ?
     WHERE id = ?`,
  );
  const selectVersion = database.prepare('PRAGMA data_version');
  const write = auditedWriter(database);
  const kept = keptKeys.get(database) ?? new Map<string, StoredKey>();
  keptKeys.set(database, kept);
  let keptVersion: unknown;
  let isCurrent = false;

  /** Clears the cache if the file has changed. SQLite is asked once per turn of the event loop. */
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

  /** Row of an id. Only existing rows are cached, so guessed ids take no memory. */
  const stored = (id: string): StoredKey | undefined => {
    forgetOutdated();
    const known = kept.get(id);
    if (known !== undefined) return known;
    const row = selectOne.get(id);
    if (row === undefined) return undefined;
    const read = storedKeyOf(row);
    kept.set(id, read);
    return read;
  };

  /** Key in the state that the open transaction sees. */
  const current = (id: string): ApiKey => {
    const row = selectOne.get(id);
    if (row === undefined) throw new KeyNotFoundError(id);
    return toApiKey(row);
  };

  const allReadable = (): readonly ApiKey[] => readableKeys(selectAll.all(), onDamaged);

  /** Writes a key's row. The caller has checked everything. */
  const store = ({ id, name, tier, scopes, expiresAt, revokedAt }: ApiKey) => {
    update.run(name, tier, scopes.join(','), expiresAt ?? null, revokedAt ?? null, id);
    kept.delete(id);
  };

  return {
    create: (newKey, actor) =>
      write((append) => {
        const { id, secretHash, text } = drawKeyText();
        const { name, tier, scopes, createdAt, expiresAt } = newKey;
        const key: ApiKey = { id, ...newKey };
        insert.run(id, name, secretHash, tier, scopes.join(','), createdAt, expiresAt ?? null);
        append(createEntry(key, actor));
        return { key, text };
      }),

    async list() {
      return allReadable();
    },

    async isEmpty() {
      return selectAny.get() === undefined;
    },

    change: (id, changes, order) =>
      write((append) => {
        const before = current(id);
        if (before.revokedAt !== undefined) throw new KeyRevokedError(id);
        const after = changedKey(before, changes);
        checkAdminIsLeft(before, after, order, allReadable);
        const entry = changeEntry(before, after, order);
        if (entry === undefined) return before;
        store(after);
        append(entry);
        return after;
      }),

    rotate: (id, oldSecretUntil, order) =>
      write((append) => {
        const before = current(id);
        if (before.revokedAt !== undefined) throw new KeyRevokedError(id);
        const { secretHash, text } = drawKeyText(id);
        replaceSecret.run(oldSecretUntil, secretHash, id);
        kept.delete(id);
        append(rotateEntry(id, oldSecretUntil, order));
        return { key: { ...before, oldSecretUntil }, text };
      }),

    revoke: (id, order) =>
      write((append) => {
        const before = current(id);
        if (before.revokedAt !== undefined) return before;
        const after: ApiKey = { ...before, revokedAt: order.at };
        checkAdminIsLeft(before, after, order, allReadable);
        store(after);
        append(revokeEntry(id, order));
        return after;
      }),

    async find(text) {
      const parts = parseKeyText(text);
      return parts && keyOfSecret(parts.secret, stored(parts.id));
    },
  };
}
