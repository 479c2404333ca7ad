/** Store of API keys. */
import type { ApiKey, Scope, Tier } from '../http/api-key.ts';

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
