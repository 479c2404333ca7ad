/**
 * Cross-origin requests from pages in browsers (CORS).
 *
 * Nothing here depends on the caller: keys come in a header of their own and never in a cookie, so a page can
 * only use a key that it was given.
 */
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { ANSWER_HEADERS } from './openapi-document.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False if pages of other origins must not read the route's answers, whatever the setting. */
    readonly cors?: false;
  }
}

/** Setting that allows every origin. */
const ANY_ORIGIN = '*';

/** Request headers that the service reads. */
const REQUEST_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'X-API-Key',
  'X-Request-Id',
];
/** Time for which a browser may cache a preflight, seconds. */
const PREFLIGHT_MAX_AGE_S = 600;

/**
 * Answers preflights and marks answers as readable. Call it before keys are checked, because a preflight has
 * none, and before routes are recorded, because it adds one.
 *
 * @param origins - As browsers send them, or {@link ANY_ORIGIN}. With none, nothing is registered.
 */
export async function registerCrossOrigin(
  app: FastifyInstance,
  origins: readonly string[],
): Promise<void> {
  if (origins.length === 0) return;
  const known = new Set(origins);
  await app.register(cors, {
    // Other origins get the answers of a service without this setting.
    origin: known.has(ANY_ORIGIN)
      ? ANY_ORIGIN
      : (origin, allow) => allow(null, origin !== undefined && known.has(origin) && origin),
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: [...ANSWER_HEADERS],
    maxAge: PREFLIGHT_MAX_AGE_S,
    strictPreflight: false,
  });
}
