/** The caller's key, and the administration of all keys. */
import { isoTime } from '../envelope.ts';
import { KeyExpiryInPastError } from '../errors.ts';
import { DEFAULT_SCOPES } from '../keys/api-key.ts';
import { viewKey } from '../keys/key-view.ts';
import { WINDOW_S } from '../limits/rate-limit-headers.ts';
import { callerOf } from '../plugins/authentication.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import {
  createdKey,
  type KeyInfoView,
  keyInfo,
  keyList,
  keyParams,
  keyView,
  newKeyBody,
} from '../schemas/keys.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Registers `/keys/info` and `/admin/keys`. */
export function keyRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { jobs, keys, settings, now, elapsedMs } = deps;
  /** The time of day of a moment on the clock of `elapsedMs`. */
  const timeOf = (elapsed: number) => isoTime(now() + elapsed - elapsedMs());
  app.get(
    '/keys/info',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getKeyInfo',
        tags: ['keys'],
        summary: 'Tier, limits and current usage of the key',
        response: { 200: successEnvelope(keyInfo) },
      },
    },
    async (request, reply) => {
      const { key, limit, window } = callerOf(request);
      return envelopes.send(request, reply, {
        id: key.id,
        name: key.name,
        tier: key.tier,
        scopes: [...key.scopes],
        created_at: isoTime(key.createdAt),
        limits: {
          requests: limit,
          window_s: WINDOW_S,
          in_flight: settings.inFlightLimits[key.tier],
        },
        usage: {
          window_started_at: timeOf(window.openedAt),
          requests: window.used,
          remaining: limit - window.used,
          resets_at: timeOf(window.endsAt),
          in_flight: jobs.inFlight('circuit', key.id),
        },
        priority_queue: key.tier === 'enterprise',
      } satisfies KeyInfoView);
    },
  );

  app.get(
    '/admin/keys',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listKeys',
        tags: ['administration'],
        summary: 'List API keys, expired and revoked ones too',
        response: { 200: successEnvelope(keyList) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, { keys: (await keys.list()).map(viewKey) }),
  );

  app.post(
    '/admin/keys',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'createKey',
        tags: ['administration'],
        summary: 'Make an API key',
        description: 'The answer is the only one that shows the key: the service keeps its hash.',
        body: newKeyBody,
        response: { 201: successEnvelope(createdKey), ...errorResponses(400) },
      },
    },
    async (request, reply) => {
      const { name, tier, scopes = DEFAULT_SCOPES, expires_at } = request.body;
      const createdAt = now();
      const expiresAt = expires_at === undefined ? undefined : Date.parse(expires_at);
      if (expiresAt !== undefined && expiresAt <= createdAt) {
        throw new KeyExpiryInPastError(isoTime(expiresAt), isoTime(createdAt));
      }
      const { key, text } = await keys.create({
        name,
        tier,
        scopes: [...new Set(scopes)],
        createdAt,
        ...(expiresAt !== undefined && { expiresAt }),
      });
      reply.code(201).header('cache-control', 'no-store');
      return envelopes.send(request, reply, { key: text, ...viewKey(key) });
    },
  );

  app.delete(
    '/admin/keys/:key_id',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'revokeKey',
        tags: ['administration'],
        summary: 'Revoke an API key',
        description:
          'It is refused from the next request on, and its streams of events end. Jobs that it has submitted go on. A revoked key stays listed.',
        params: keyParams,
        response: { 200: successEnvelope(keyView), ...errorResponses(404) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, viewKey(await keys.revoke(request.params.key_id, now()))),
  );
}
