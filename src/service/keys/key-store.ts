/**
 * Store of API keys, and the shared part of its classes for the two databases: rows and their meaning, rules of
 * changes, and entries of the log of administration.
 */

import {
  LAST_TIME,
  type OnDamaged,
  type StoredRow,
  storedNumber,
} from '../../storage/damaged-records.ts';
import type { AuditEntry } from '../audit/audit-log.ts';
import {
  type ApiKey,
  isScope,
  isTier,
  isValidAt,
  matchSecret,
  type Scope,
  type SecretHashes,
  type Tier,
} from '../http/api-key.ts';
import { isoTime } from '../http/envelope.ts';
import { KeyDamagedError, LastAdminKeyError } from '../http/errors.ts';

/** Fields of a key to create. */
interface NewApiKey {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** Milliseconds since 1970 UTC; absent for a key that never expires. */
  readonly expiresAt?: number;
}

/** Fields of a key to change; omitted fields stay. */
export interface KeyChanges {
  readonly name?: string;
  readonly tier?: Tier;
  readonly scopes?: readonly Scope[];
  /** Milliseconds since 1970 UTC; null for a key that never expires. */
  readonly expiresAt?: number | null;
}

/** Author and time of a change of a key. */
export interface KeyOrder {
  /** Actor for the audit log. */
  readonly actor: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Refuse a change that would leave no valid key with the scope `admin`. */
  readonly keepsAdmin?: boolean;
}

/** Key with its text. The secret is visible only here. */
export interface KeyWithText {
  readonly key: ApiKey;
  readonly text: string;
}

/** Store of API keys. Every change is written to the audit log in the same transaction. */
export interface KeyStore {
  /** Creates a key. */
  create(key: NewApiKey, actor: string): Promise<KeyWithText>;
  /** Lists all keys, including revoked ones, oldest first. Damaged keys are left out. */
  list(): Promise<readonly ApiKey[]>;
  /** True if there is no key; damaged keys count. */
  isEmpty(): Promise<boolean>;
  /**
   * Changes a key at once, in every process that uses the store.
   *
   * @throws {KeyNotFoundError}
   * @throws {KeyRevokedError}
   * @throws {LastAdminKeyError} if the order keeps an admin and this is the last one.
   */
  change(id: string, changes: KeyChanges, order: KeyOrder): Promise<ApiKey>;
  /**
   * Gives the key a new secret. The present secret is accepted until `oldUntil`, milliseconds since 1970 UTC;
   * a secret from before an earlier rotation is not.
   *
   * @throws {KeyNotFoundError}
   * @throws {KeyRevokedError}
   */
  rotate(id: string, oldUntil: number, order: KeyOrder): Promise<KeyWithText>;
  /**
   * Revokes a key at once, in every process that uses the store. A revoked key does not change.
   *
   * @throws {KeyNotFoundError}
   * @throws {LastAdminKeyError} if the order keeps an admin and this is the last one.
   */
  revoke(id: string, order: KeyOrder): Promise<ApiKey>;
  /**
   * Finds a key by its text, expired or not; undefined for an unknown or revoked key. If the text has the
   * secret from before the last rotation, the key expires no later than that secret.
   *
   * @throws {KeyDamagedError} if the key's record cannot be read.
   */
  find(text: string): Promise<ApiKey | undefined>;
}

/** Row with the fields that a lookup needs. */
export interface StoredKey {
  readonly key: ApiKey | KeyDamagedError;
  readonly hashes: SecretHashes;
}

/** Reads a row for lookups; a damaged one fails when it is asked for. */
export function storedKeyOf(row: StoredRow): StoredKey {
  return { key: readKey(row), hashes: hashesOf(row) };
}

/**
 * The key that a secret belongs to; undefined for a wrong secret or a revoked key. With the secret from before the
 * last rotation, the key expires no later than that secret.
 *
 * @param found - Undefined if no key has the id.
 * @throws {KeyDamagedError} if the key's record cannot be read.
 */
export function keyOfSecret(secret: string, found: StoredKey | undefined): ApiKey | undefined {
  const match = matchSecret(secret, found?.hashes);
  if (found === undefined || match === undefined) return undefined;
  const { key } = found;
  if (key instanceof KeyDamagedError) throw key;
  if (key.revokedAt !== undefined) return undefined;
  if (match === 'current') return key;
  const { oldSecretUntil = 0, expiresAt = Infinity } = key;
  return { ...key, expiresAt: Math.min(oldSecretUntil, expiresAt) };
}

/** The keys of rows that can be read; the others are reported. */
export function readableKeys(rows: readonly StoredRow[], onDamaged: OnDamaged): readonly ApiKey[] {
  return rows.flatMap((row) => {
    const key = readKey(row);
    if (!(key instanceof KeyDamagedError)) return [key];
    onDamaged({ table: 'api_keys', id: String(row['id']), what: key.what });
    return [];
  });
}

/**
 * Checks that a change leaves an admin, if it must.
 *
 * @param all - Gives all keys before the change.
 * @throws {LastAdminKeyError}
 */
export function checkAdminIsLeft(
  before: ApiKey,
  after: ApiKey,
  { at, keepsAdmin }: KeyOrder,
  all: () => readonly ApiKey[],
): void {
  if (!keepsAdmin || isAdminAt(after, at) || !isAdminAt(before, at)) return;
  const others = all().filter(({ id }) => id !== after.id);
  if (!others.some((key) => isAdminAt(key, at))) throw new LastAdminKeyError(after.id);
}

function isAdminAt(key: ApiKey, at: number): boolean {
  return isValidAt(key, at) && key.scopes.includes('admin');
}

/** Entry of a key that was created. */
export function createEntry(key: ApiKey, actor: string): AuditEntry {
  const { id, createdAt } = key;
  return { at: createdAt, actor, action: 'key.created', subject: id, details: auditFacts(key) };
}

/** Entry of a change; undefined if nothing differs. */
export function changeEntry(
  before: ApiKey,
  after: ApiKey,
  order: KeyOrder,
): AuditEntry | undefined {
  const details = differences(auditFacts(before), auditFacts(after));
  if (Object.keys(details).length === 0) return undefined;
  return { ...entryOf(before.id, order), action: 'key.changed', details };
}

/** Entry of a rotation. */
export function rotateEntry(id: string, oldSecretUntil: number, order: KeyOrder): AuditEntry {
  const details = { old_secret_until: isoTime(oldSecretUntil) };
  return { ...entryOf(id, order), action: 'key.rotated', details };
}

/** Entry of a revocation. */
export function revokeEntry(id: string, order: KeyOrder): AuditEntry {
  return { ...entryOf(id, order), action: 'key.revoked', details: {} };
}

/** A key with changes applied. */
export function changedKey(key: ApiKey, { expiresAt, ...changes }: KeyChanges): ApiKey {
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
export function toApiKey(row: StoredRow): ApiKey {
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
