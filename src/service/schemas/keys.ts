/** Schema of GET /keys/info. */
import { z } from 'zod';
import { SCOPES, TIERS } from '../keys/api-key.ts';
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
