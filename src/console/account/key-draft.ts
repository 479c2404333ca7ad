/** A key as an administrator edits it. */
import type { ApiKey } from '../../client/api-types.ts';
import { fieldOfIso, isoOfField, type Scope, USUAL_SCOPES } from './key-words.ts';

/** What the fields hold. */
export interface KeyDraft {
  readonly name: string;
  readonly tier: ApiKey['tier'];
  readonly scopes: readonly Scope[];
  /** Value of the field of the expiry, in the visitor's time zone; empty if the key does not expire. */
  readonly expiry: string;
}

/** A key that is about to be made. */
export const NEW_KEY: KeyDraft = {
  name: '',
  tier: 'standard',
  scopes: USUAL_SCOPES,
  expiry: '',
};

/** The fields of a key that exists. */
export function draftOf(key: ApiKey): KeyDraft {
  const { name, tier, scopes, expires_at: expiresAt } = key;
  return { name, tier, scopes, expiry: fieldOfIso(expiresAt) };
}

/** Body of POST /admin/keys. */
export function newKeyBody({ name, tier, scopes, expiry }: KeyDraft) {
  return { name, tier, scopes, expires_at: isoOfField(expiry) };
}

/** Body of PATCH /admin/keys/{key_id}: what differs from the key as it is. */
export function keyChanges(key: ApiKey, draft: KeyDraft) {
  const before = draftOf(key);
  return {
    ...(draft.name !== before.name && { name: draft.name }),
    ...(draft.tier !== before.tier && { tier: draft.tier }),
    ...([...draft.scopes].sort().join() !== [...before.scopes].sort().join() && {
      scopes: draft.scopes,
    }),
    ...(draft.expiry !== before.expiry && { expires_at: isoOfField(draft.expiry) ?? null }),
  };
}
