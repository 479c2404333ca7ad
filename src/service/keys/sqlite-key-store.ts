/**
 * API keys in the embedded database.
 *
 * Each request looks up its key, and a few keys recur, so rows are cached until they may have changed. SQLite
 * reports changes by other connections (`data_version`), so a key revoked by another process (`qcs keys
 * revoke`) is refused from the next turn of the event loop. Changes by this connection, which also writes
 * jobs all the time, are tracked by the store itself.
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  LAST_TIME,
  type OnDamaged,
  type StoredRow,
  storedNumber,
} from '../../storage/damaged-records.ts';
import { type AuditEntry, auditedWriter } from '../audit/audit-log.ts';
import { isoTime } from '../envelope.ts';
import {
  KeyDamagedError,
  KeyNotFoundError,
  KeyRevokedError,
  LastAdminKeyError,
} from '../errors.ts';
import {
  type ApiKey,
  drawKeyText,
  isScope,
  isTier,
  isValidAt,
  matchSecret,
  parseKeyText,
  type SecretHashes,
} from './api-key.ts';
import type { KeyChanges, KeyOrder, KeyStore } from './key-store.ts';

/** Row with the fields that a lookup needs. */
interface StoredKey {
  readonly key: ApiKey | KeyDamagedError;
  readonly hashes: SecretHashes;
}

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
    const read: StoredKey = { key: readKey(row), hashes: hashesOf(row) };
    kept.set(id, read);
    return read;
  };

  /** Key in the state that the open transaction sees. */
  const current = (id: string): ApiKey => {
    const row = selectOne.get(id);
    if (row === undefined) throw new KeyNotFoundError(id);
    return toApiKey(row);
  };

  const allReadable = (): readonly ApiKey[] =>
    selectAll.all().flatMap((row) => {
      const key = readKey(row);
      if (!(key instanceof KeyDamagedError)) return [key];
      onDamaged({ table: 'api_keys', id: String(row['id']), what: key.what });
      return [];
    });

  const checkAdminIsLeft = (after: ApiKey, { at, keepsAdmin }: KeyOrder) => {
    if (!keepsAdmin || isAdminAt(after, at)) return;
    const others = allReadable().filter(({ id }) => id !== after.id);
    if (isAdminAt(current(after.id), at) && !others.some((key) => isAdminAt(key, at))) {
      throw new LastAdminKeyError(after.id);
    }
  };

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
        const details = auditFacts(key);
        append({ at: createdAt, actor, action: 'key.created', subject: id, details });
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
        checkAdminIsLeft(after, order);
        const details = differences(auditFacts(before), auditFacts(after));
        if (Object.keys(details).length === 0) return before;
        store(after);
        append({ ...entryOf(id, order), action: 'key.changed', details });
        return after;
      }),

    rotate: (id, oldSecretUntil, order) =>
      write((append) => {
        const before = current(id);
        if (before.revokedAt !== undefined) throw new KeyRevokedError(id);
        const { secretHash, text } = drawKeyText(id);
        replaceSecret.run(oldSecretUntil, secretHash, id);
        const details = { old_secret_until: isoTime(oldSecretUntil) };
        kept.delete(id);
        append({ ...entryOf(id, order), action: 'key.rotated', details });
        return { key: { ...before, oldSecretUntil }, text };
      }),

    revoke: (id, order) =>
      write((append) => {
        const before = current(id);
        if (before.revokedAt !== undefined) return before;
        const after: ApiKey = { ...before, revokedAt: order.at };
        checkAdminIsLeft(after, order);
        store(after);
        append({ ...entryOf(id, order), action: 'key.revoked', details: {} });
        return after;
      }),

    async find(text) {
      const parts = parseKeyText(text);
      if (parts === undefined) return undefined;
      const found = stored(parts.id);
      const match = matchSecret(parts.secret, found?.hashes);
      if (found === undefined || match === undefined) return undefined;
      const { key } = found;
      if (key instanceof KeyDamagedError) throw key;
      if (key.revokedAt !== undefined) return undefined;
      if (match === 'current') return key;
      const { oldSecretUntil = 0, expiresAt = Infinity } = key;
      return { ...key, expiresAt: Math.min(oldSecretUntil, expiresAt) };
    },
  };
}

function isAdminAt(key: ApiKey, at: number): boolean {
  return isValidAt(key, at) && key.scopes.includes('admin');
}

function changedKey(key: ApiKey, { expiresAt, ...changes }: KeyChanges): ApiKey {
  const { expiresAt: oldExpiry, ...rest } = { ...key, ...changes };
  const expiry = expiresAt === undefined ? oldExpiry : expiresAt;
  return { ...rest, ...(expiry !== undefined && expiry !== null && { expiresAt: expiry }) };
}

function entryOf(
  id: string,
  { at, actor }: KeyOrder,
): Pick<AuditEntry, 'at' | 'actor' | 'subject'> {
  return { at, actor, subject: id };
}

/** Facts of a key for the audit log. */
function auditFacts({ name, tier, scopes, expiresAt }: ApiKey): Readonly<Record<string, unknown>> {
  return { name, tier, scopes, expires_at: expiresAt === undefined ? null : isoTime(expiresAt) };
}

function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}

function hashesOf(row: StoredRow): SecretHashes {
  const { secret_hash: current, old_secret_hash: old } = row;
  return { current: String(current), old: old === null ? undefined : String(old) };
}

function readKey(row: StoredRow): ApiKey | KeyDamagedError {
  try {
    return toApiKey(row);
  } catch (error) {
    if (error instanceof KeyDamagedError) return error;
    throw error;
  }
}

/**
 * Reads a key from its row.
 *
 * @throws {KeyDamagedError}
 */
function toApiKey(row: StoredRow): ApiKey {
  const tier = String(row['tier']);
  if (!isTier(tier)) {
    throw damage(row, `its tier is ${JSON.stringify(tier.slice(0, 100))}`);
  }
  const createdAt = time(row, 'created_at');
  if (createdAt === undefined) throw damage(row, 'it was made at no time');
  const expiresAt = time(row, 'expires_at');
  const revokedAt = time(row, 'revoked_at');
  const oldSecretUntil = time(row, 'old_secret_until');
  return {
    id: String(row['id']),
    name: String(row['name']),
    tier,
    // A scope written by a newer version grants nothing here.
    scopes: String(row['scopes']).split(',').filter(isScope),
    createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(revokedAt !== undefined && { revokedAt }),
    ...(oldSecretUntil !== undefined && { oldSecretUntil }),
  };
}

/**
 * Reads a time. A damaged time is an error and not absent: otherwise the key would never expire, or not be
 * revoked.
 */
function time(row: StoredRow, column: string): number | undefined {
  const value = row[column];
  if (value === null) return undefined;
  const read = storedNumber(value, LAST_TIME);
  if (read === undefined) throw damage(row, `its ${column} is ${value}`);
  return read;
}

function damage(row: StoredRow, what: string): KeyDamagedError {
  return new KeyDamagedError(String(row['id']), what);
}
