/**
 * API keys in PostgreSQL.
 *
 * Each request looks up its key, and a few keys recur, so rows are cached while the database's notifications come: it
 * tells of every change, also by other processes (`qcs keys revoke`). Without them every lookup asks the database.
 */
import type { OnDamaged } from '../../storage/damaged-records.ts';
import type { Query } from '../../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../../storage/postgres/postgres-database.ts';
import { storable } from '../../storage/postgres/storable.ts';
import { appendAudit } from '../audit/audit-log.ts';
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

const INSERT = `INSERT INTO api_keys (id, name, secret_hash, tier, scopes, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const SELECT = { name: 'keys-select', text: 'SELECT * FROM api_keys WHERE id = $1' };
const SELECT_ALL = { name: 'keys-all', text: 'SELECT * FROM api_keys ORDER BY created_at, id' };
const SELECT_ANY = { name: 'keys-any', text: 'SELECT 1 FROM api_keys LIMIT 1' };
const UPDATE = `UPDATE api_keys SET name = $1, tier = $2, scopes = $3, expires_at = $4, revoked_at = $5
  WHERE id = $6`;
const REPLACE_SECRET = `UPDATE api_keys
  SET old_secret_hash = secret_hash, old_secret_until = $1, secret_hash = $2 WHERE id = $3`;
/** Changes come one after another, so that a check of all keys holds until the change is committed. */
const LOCK = 'LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE';

/**
 * Creates a store over the table `api_keys` in PostgreSQL.
 *
 * @param onDamaged - Called for each key that a listing leaves out.
 */
export function createPostgresKeyStore(
  database: PostgresDatabase,
  onDamaged: OnDamaged = () => {},
): KeyStore {
  const { writer } = database;
  const kept = new Map<string, StoredKey>();
  /** Increases with every change, so that a row read before is not kept after it. */
  let numChanges = 0;
  const forget = (id?: string) => {
    numChanges += 1;
    if (id === undefined) kept.clear();
    else kept.delete(id);
  };
  database.listen('qcs_keys', forget, () => forget());

  /** Row of an id. Only existing rows are cached, so guessed ids take no memory. */
  const stored = async (id: string): Promise<StoredKey | undefined> => {
    const known = database.isHeard ? kept.get(id) : undefined;
    if (known !== undefined) return known;
    const numBefore = numChanges;
    const [row] = await database.read(SELECT, [id]);
    if (row === undefined) return undefined;
    const read = storedKeyOf(row);
    if (numChanges === numBefore && database.isHeard) kept.set(id, read);
    return read;
  };

  /** Changes keys in a transaction that sees the changes of all others. */
  const change = async <T>(id: string, work: (query: Query, before: ApiKey) => Promise<T>) => {
    const result = await writer.write(async (query) => {
      await query(LOCK);
      const { rows } = await query(SELECT, [id]);
      if (rows[0] === undefined) throw new KeyNotFoundError(id);
      return await work(query, toApiKey(rows[0]));
    }, true);
    // Its notification may come after the answer.
    forget(id);
    return result;
  };

  const allIn = async (query: Query) => readableKeys((await query(SELECT_ALL)).rows, onDamaged);

  const store = (query: Query, { id, name, tier, scopes, expiresAt, revokedAt }: ApiKey) =>
    query(UPDATE, [storable(name), tier, scopes.join(','), expiresAt, revokedAt, id]);

  return {
    create: (newKey, actor) =>
      writer.write(async (query) => {
        const { id, secretHash, text } = drawKeyText();
        const { name, tier, scopes, createdAt, expiresAt } = newKey;
        const key: ApiKey = { id, ...newKey };
        await query(INSERT, [
          id,
          storable(name),
          secretHash,
          tier,
          scopes.join(','),
          createdAt,
          expiresAt,
        ]);
        await appendAudit(query, createEntry(key, actor));
        return { key, text };
      }, true),

    list: async () => readableKeys(await database.read(SELECT_ALL), onDamaged),

    isEmpty: async () => (await database.read(SELECT_ANY)).length === 0,

    change: (id, changes, order) =>
      change(id, async (query, before) => {
        if (before.revokedAt !== undefined) throw new KeyRevokedError(id);
        const after = changedKey(before, changes);
        const all = order.keepsAdmin ? await allIn(query) : [];
        checkAdminIsLeft(before, after, order, () => all);
        const entry = changeEntry(before, after, order);
        if (entry === undefined) return before;
        await store(query, after);
        await appendAudit(query, entry);
        return after;
      }),

    rotate: (id, oldSecretUntil, order) =>
      change(id, async (query, before) => {
        if (before.revokedAt !== undefined) throw new KeyRevokedError(id);
        const { secretHash, text } = drawKeyText(id);
        await query(REPLACE_SECRET, [oldSecretUntil, secretHash, id]);
        await appendAudit(query, rotateEntry(id, oldSecretUntil, order));
        return { key: { ...before, oldSecretUntil }, text };
      }),

    revoke: (id, order) =>
      change(id, async (query, before) => {
        if (before.revokedAt !== undefined) return before;
        const after: ApiKey = { ...before, revokedAt: order.at };
        const all = order.keepsAdmin ? await allIn(query) : [];
        checkAdminIsLeft(before, after, order, () => all);
        await store(query, after);
        await appendAudit(query, revokeEntry(id, order));
        return after;
      }),

    async find(text) {
      const parts = parseKeyText(text);
      return parts && keyOfSecret(parts.secret, await stored(parts.id));
    },
  };
}
