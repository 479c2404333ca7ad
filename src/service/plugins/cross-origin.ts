/**
 * Pages of other sites that may call the service from a browser (CORS).
 *
 * Nothing here depends on who calls: keys come in a header of their own and never in a cookie, so that a
 * page can only use a key that it was given.
 */
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { ANSWER_HEADERS } from '../openapi-document.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of other origins never read the route's answers, whatever the setting. */
    readonly cors?: false;
  }
}

/** The setting that lets pages of every origin in. */
export const ANY_ORIGIN = '*';

/** Headers of requests that the service reads. */
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
/** How long a browser need not ask again, seconds; it may take less. */
const PREFLIGHT_MAX_AGE_S = 600;

/**
 * Answers the preflights of browsers and marks answers as readable; to be called before keys are checked,
 * since a preflight bears none, and before the routes are noted, of which this adds one.
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
    // To a page of another origin the service answers as if there were no setting.
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
