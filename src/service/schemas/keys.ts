/** Schemas of GET /keys/info and of the administration of keys. */
import { z } from 'zod';
import { DEFAULT_SCOPES, SCOPES, TIERS } from '../keys/api-key.ts';
import { isoTime } from './envelope.ts';

/** The caller's key, its limits and what it has used of them. */
export const keyInfo = z.strictObject({
  id: z.string().describe('The public part of the key'),
  name: z.string(),
  tier: z.enum(TIERS),
  scopes: z.array(z.enum(SCOPES)),
  created_at: isoTime,
  limits: z.strictObject({
    requests: z.int(),
    window_s: z.int(),
    in_flight: z.int().describe('Circuits that may wait or run at once'),
  }),
  usage: z
    .strictObject({
      window_started_at: isoTime,
      requests: z.int(),
      remaining: z.int(),
      resets_at: isoTime,
      in_flight: z.int().describe('Circuits of the key that wait or run now'),
    })
    .describe('Of the open window, this request included'),
  priority_queue: z.boolean().describe('Whether priority high takes effect'),
});
/** The key, as it is written. */
export type KeyInfoView = z.output<typeof keyInfo>;

/** A key, without its secret. */
export const keyView = z
  .strictObject({
    id: z.string().describe('The public part of the key'),
    name: z.string(),
    tier: z.enum(TIERS),
    scopes: z.array(z.enum(SCOPES)),
    created_at: isoTime,
    expires_at: isoTime.nullable().describe('From then on the key is refused; null: never'),
    revoked_at: isoTime.nullable(),
  })
  .meta({ id: 'ApiKey' });
/** A key, as it is written. */
export type KeyView = z.output<typeof keyView>;

/** All keys. */
export const keyList = z.strictObject({ keys: z.array(keyView) });

/** Body of POST /admin/keys. */
export const newKeyBody = z
  .strictObject({
    name: z
      .string()
      .trim()
      .regex(/^\P{C}{1,100}$/u, { error: 'must be 1 to 100 printable characters' })
      .describe('What the key is for'),
    tier: z.enum(TIERS),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .max(SCOPES.length)
      .optional()
      .describe(`By default ${DEFAULT_SCOPES.join(', ')}`),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('ISO 8601 time in the future; by default the key never expires'),
  })
  .meta({ examples: [{ name: 'notebooks', tier: 'standard', scopes: ['read', 'circuits'] }] });

/** A new key with its text. */
export const createdKey = z.strictObject({
  key: z.string().describe('The key itself. It is shown this once: only its hash is stored'),
  ...keyView.shape,
});

/** Path of a key. */
export const keyParams = z.strictObject({
  key_id: z.string().describe('The public part of a key'),
});
