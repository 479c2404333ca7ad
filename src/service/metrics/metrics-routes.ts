/**
 * `/metrics` for Prometheus. Its answer has no envelope, so the OpenAPI document leaves it out, and
 * docs/operations.md describes it. Errors have the envelope.
 */
import type { FastifyInstance } from 'fastify';
import { createAddressList } from '../http/limits.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** Path of the metrics. */
export const METRICS_PATH = '/metrics';

/** Registers `/metrics`. It needs an admin key, except from the addresses in the settings. */
export function metricsRoutes(app: FastifyInstance, deps: ServiceDeps): void {
  const { metrics, settings } = deps;
  app.get(
    METRICS_PATH,
    {
      config: {
        scope: 'admin',
        isOpenTo: createAddressList(settings.metricsAddresses),
        // Pages in the browser of somebody at such an address must not read the metrics.
        cors: false,
      },
      schema: { hide: true },
    },
    async (_request, reply) => {
      const text = await metrics.scrape({ ...deps, ...deps.own });
      return reply.header('cache-control', 'no-store').type(metrics.contentType).send(text);
    },
  );
}
