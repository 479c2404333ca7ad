/** Store of API keys. */
import type { ApiKey, Scope, Tier } from './api-key.ts';

/** Fields of a key to create. */
export interface NewApiKey {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** Milliseconds since 1970 UTC; absent for a key that never expires. */
  readonly expiresAt?: number;
}

/** Fields of a key that may change; those left out stay. */
export interface KeyChanges {
  readonly name?: string;
  readonly tier?: Tier;
  readonly scopes?: readonly Scope[];
  /** Milliseconds since 1970 UTC; null: the key never expires. */
  readonly expiresAt?: number | null;
}

/** Author and time of a change of a key. */
export interface KeyOrder {
  /** As the audit log names it. */
  readonly actor: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Refuses what would leave no valid key with the scope `admin`. */
  readonly keepsAdmin?: boolean;
}

/** A key and its text: the only time that the secret is seen. */
export interface KeyWithText {
  readonly key: ApiKey;
  readonly text: string;
}

/** A store of API keys. What changes a key writes to the audit log in the same transaction. */
export interface KeyStore {
  /** Adds a key. */
  create(key: NewApiKey, actor: string): Promise<KeyWithText>;
  /** All keys, revoked ones too, oldest first; damaged ones are left out. */
  list(): Promise<readonly ApiKey[]>;
  /** Whether there is no key at all, damaged ones counted. */
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
   * Gives the key another secret. The one that it has is accepted until `oldUntil`, milliseconds since
   * 1970 UTC; one from before an earlier rotation no more.
   *
   * @throws {KeyNotFoundError}
   * @throws {KeyRevokedError}
   */
  rotate(id: string, oldUntil: number, order: KeyOrder): Promise<KeyWithText>;
  /**
   * Revokes a key at once, in every process that uses the store; a revoked one stays as it was.
   *
   * @throws {KeyNotFoundError}
   * @throws {LastAdminKeyError} if the order keeps an admin and this is the last one.
   */
  revoke(id: string, order: KeyOrder): Promise<ApiKey>;
  /**
   * The key that a text is, expired or not; undefined when it is none, or a revoked one. Found by the
   * secret before the last rotation, it expires no later than that secret.
   *
   * @throws {KeyDamagedError} if it is one that cannot be read.
   */
  find(text: string): Promise<ApiKey | undefined>;
}
