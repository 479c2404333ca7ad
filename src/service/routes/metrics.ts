/**
 * `/metrics` for Prometheus. It stands beside the interface and not in it: its answer has no envelope,
 * so the OpenAPI document leaves it out, and docs/operations.md describes it. Errors have the envelope.
 */
import type { FastifyInstance } from 'fastify';
import { createAddressList } from '../limits/client-address.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** Registers `/metrics`, which is read with an admin key, or without one from addresses of the settings. */
export function metricsRoutes(app: FastifyInstance, deps: ServiceDeps): void {
  const { metrics, settings } = deps;
  app.get(
    '/metrics',
    {
      config: {
        scope: 'admin',
        isOpenTo: createAddressList(settings.metricsAddresses),
        // A page in the browser of somebody at such an address is not to read them.
        cors: false,
      },
      schema: { hide: true },
    },
    async (_request, reply) => {
      const text = await metrics.scrape(deps);
      return reply.header('cache-control', 'no-store').type(metrics.contentType).send(text);
    },
  );
}
