/** Where API keys are kept. */
import type { ApiKey, Scope, Tier } from './api-key.ts';

/** What is needed to create a key. */
export interface NewApiKey {
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** Milliseconds since 1970 UTC; absent for a key that never expires. */
  readonly expiresAt?: number;
}

/** A store of API keys. */
export interface KeyStore {
  /** Adds a key; `text` is the only time that the secret is seen. */
  create(key: NewApiKey): Promise<{ readonly key: ApiKey; readonly text: string }>;
  /** All keys, revoked ones too, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /**
   * Revokes a key at once, in every process that uses the store; a revoked one stays as it was.
   *
   * @throws {KeyNotFoundError}
   */
  revoke(id: string, now: number): Promise<ApiKey>;
  /** The key that a text is, expired or not; undefined when it is none, or a revoked one. */
  find(text: string): Promise<ApiKey | undefined>;
}
