/** API keys in memory: for tests and for documents. */
import { KeyNotFoundError } from '../errors.ts';
import { type ApiKey, drawKeyText, parseKeyText, secretMatches } from './api-key.ts';
import type { KeyStore } from './key-store.ts';

/** An empty store that lives as long as the process. */
export function createMemoryKeyStore(): KeyStore {
  const keys = new Map<string, { readonly key: ApiKey; readonly secretHash: string }>();
  return {
    async create(newKey) {
      const { id, secretHash, text } = drawKeyText();
      const key: ApiKey = { id, ...newKey };
      keys.set(id, { key, secretHash });
      return { key, text };
    },

    async list() {
      return [...keys.values()].map(({ key }) => key);
    },

    async revoke(id, now) {
      const entry = keys.get(id);
      if (entry === undefined) throw new KeyNotFoundError(id);
      const key: ApiKey = { revokedAt: now, ...entry.key };
      keys.set(id, { ...entry, key });
      return key;
    },

    async find(text) {
      const parts = parseKeyText(text);
      if (parts === undefined) return undefined;
      const entry = keys.get(parts.id);
      if (!secretMatches(parts.secret, entry?.secretHash)) return undefined;
      return entry?.key.revokedAt === undefined ? entry?.key : undefined;
    },
  };
}
