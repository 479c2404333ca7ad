/** The caller's key. */
import { isoTime } from '../envelope.ts';
import { WINDOW_S } from '../limits/rate-limit-headers.ts';
import { callerOf } from '../plugins/authentication.ts';
import { successEnvelope } from '../schemas/envelope.ts';
import { type KeyInfoView, keyInfo } from '../schemas/keys.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Registers `/keys/info`. */
export function keyRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { jobs, settings, now, elapsedMs } = deps;
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
}
