/**
 * A node with the role `worker` runs jobs of a cluster. It answers health checks and metrics. Every other request is
 * refused with an explanation: somebody has listed the node in a load balancer, or called it directly.
 */
import type { FastifyInstance } from 'fastify';
import { HEALTH_PATHS } from './health.ts';
import { WorkerNodeError } from './http/errors.ts';
import { METRICS_PATH } from './metrics/metrics-routes.ts';

const ANSWERED: ReadonlySet<string | undefined> = new Set([...HEALTH_PATHS, METRICS_PATH]);

/** Refuses all requests but those for health and metrics. Call it before keys are checked and paths are looked up. */
export function refuseRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // The route's pattern, which is undefined for unknown paths.
    if (!ANSWERED.has(request.routeOptions.url)) throw new WorkerNodeError();
  });
}
