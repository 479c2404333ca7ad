/** Schemas of keys in the API, and the view of a key. */
import { z } from 'zod';
import {
  type ApiKey,
  DEFAULT_GRACE_S,
  DEFAULT_SCOPES,
  MAX_GRACE_S,
  SCOPES,
  TIERS,
} from '../http/api-key.ts';
import { isoTime, isoTimestamp } from '../http/envelope.ts';

const keyFields = {
  id: z.string().describe('The public part of the key'),
  name: z.string(),
  tier: z.enum(TIERS),
  scopes: z.array(z.enum(SCOPES)),
  created_at: isoTimestamp,
};

/** The caller's key, its limits and its usage. */
export const keyInfo = z.strictObject({
  ...keyFields,
  limits: z.strictObject({
    requests: z.int(),
    window_s: z.int(),
    in_flight: z.int().describe('Maximum number of waiting and running circuits'),
  }),
  usage: z
    .strictObject({
      window_started_at: isoTimestamp,
      requests: z.int(),
      remaining: z.int(),
      resets_at: isoTimestamp,
      in_flight: z.int().describe('Number of waiting and running circuits of the key'),
    })
    .describe('Requests in the current window, including this one'),
  storage_bytes: z
    .int()
    .describe('Bytes that jobs, results and idempotency keys of the key take in the database'),
  storage_limit_bytes: z
    .int()
    .describe('Maximum of `storage_bytes`; beyond it submissions are answered 429'),
  priority_queue: z.boolean().describe('Whether the priority high takes effect for this key'),
});
export type KeyInfoView = z.output<typeof keyInfo>;

/** A key, without its secret. */
export const keyView = z
  .strictObject({
    ...keyFields,
    expires_at: isoTimestamp
      .nullable()
      .describe('Time from which the key is refused; null if it does not expire'),
    revoked_at: isoTimestamp.nullable(),
    old_secret_until: isoTimestamp
      .nullable()
      .describe(
        'Time until which the secret before the last rotation is still accepted; null if the key was never rotated',
      ),
  })
  .meta({ id: 'ApiKey' });
export type KeyView = z.output<typeof keyView>;

/** All keys. */
export const keyList = z.strictObject({ keys: z.array(keyView) });

const name = z
  .string()
  .trim()
  .regex(/^\P{C}{1,100}$/u, { error: 'must be 1 to 100 printable characters' })
  // The pattern of the name before it is trimmed.
  .meta({ pattern: '^\\s*(?=\\S)\\P{C}{1,100}$' })
  .describe('Purpose of the key, for people');
const scopes = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);
const expiresAt = z.iso.datetime({ offset: true });

/** Body of POST /admin/keys. */
export const newKeyBody = z
  .strictObject({
    name,
    tier: z.enum(TIERS),
    scopes: scopes.optional().describe(`By default ${DEFAULT_SCOPES.join(', ')}`),
    expires_at: expiresAt
      .optional()
      .describe('Expiry: an ISO 8601 time in the future; by default the key does not expire'),
  })
  .meta({ examples: [{ name: 'notebooks', tier: 'standard', scopes: ['read', 'circuits'] }] });

/** Body of PATCH /admin/keys/{key_id}. */
export const keyChangesBody = z
  .strictObject({
    name: name.optional(),
    tier: z.enum(TIERS).optional(),
    scopes: scopes.optional().describe('All scopes of the key; they replace the present ones'),
    expires_at: expiresAt
      .nullable()
      .optional()
      .describe('Expiry: an ISO 8601 time in the future; null if the key does not expire'),
  })
  .refine((changes) => Object.keys(changes).length > 0, {
    error: 'Name something to change: name, tier, scopes or expires_at.',
    // Checked only if there is no other fault.
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ minProperties: 1, examples: [{ scopes: ['read'] }] });

/** Body of POST /admin/keys/{key_id}/rotate. */
export const rotationBody = z
  .strictObject({
    grace_s: z
      .int()
      .min(0)
      .max(MAX_GRACE_S)
      .default(DEFAULT_GRACE_S)
      .describe('Seconds for which the present secret is accepted beside the new one'),
  })
  .meta({ examples: [{ grace_s: 3600 }] });

/** A key with its text, after it was made or rotated. */
export const keyWithText = z.strictObject({
  key: z.string().describe('The key; it is shown only in this answer; the service stores its hash'),
  ...keyView.shape,
});

/** Path of a key. */
export const keyParams = z.strictObject({
  key_id: z.string().describe('The public part of a key'),
});

/** Fields that every view of a key has. */
export function viewKeyFields({ id, name, tier, scopes, createdAt }: ApiKey) {
  return { id, name, tier, scopes: [...scopes], created_at: isoTime(createdAt) };
}

/** View of a key; absent times are null. */
export function viewKey(key: ApiKey): KeyView {
  const timeOf = (ms: number | undefined) => (ms === undefined ? null : isoTime(ms));
  return {
    ...viewKeyFields(key),
    expires_at: timeOf(key.expiresAt),
    revoked_at: timeOf(key.revokedAt),
    old_secret_until: timeOf(key.oldSecretUntil),
  };
}
