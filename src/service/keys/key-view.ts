/** An API key without its secret, in the form that callers see. */
import { isoTime } from '../envelope.ts';
import type { KeyView } from '../schemas/keys.ts';
import type { ApiKey } from './api-key.ts';

/** View of a key; absent times are null. */
export function viewKey(key: ApiKey): KeyView {
  const timeOf = (ms: number | undefined) => (ms === undefined ? null : isoTime(ms));
  return {
    id: key.id,
    name: key.name,
    tier: key.tier,
    scopes: [...key.scopes],
    created_at: isoTime(key.createdAt),
    expires_at: timeOf(key.expiresAt),
    revoked_at: timeOf(key.revokedAt),
    old_secret_until: timeOf(key.oldSecretUntil),
  };
}
