/**
 * Health checks for supervisors and load balancers, without a key. `/healthz` reports whether the process is
 * alive, `/readyz` whether it accepts work. Answers are one word of plain text; a node of a cluster that is not
 * ready adds the reason.
 */
import type { FastifyInstance } from 'fastify';
import type { ServiceDeps } from './service-deps.ts';

/** Not counted: probes come every few seconds, often from the address of a proxy. */
const PROBE = { config: { isUncounted: true }, schema: { hide: true } };

/** Paths of the health checks: of the process, and of its readiness. */
export const HEALTH_PATHS = ['/healthz', '/readyz'] as const;

const [ALIVE, READY] = HEALTH_PATHS;

/** Registers `/healthz` and `/readyz`. */
export function healthRoutes(
  app: FastifyInstance,
  {
    fleet,
    jobs,
    storageFault,
    nodeFault,
  }: Pick<ServiceDeps, 'fleet' | 'jobs' | 'storageFault' | 'nodeFault'>,
): void {
  app.get(ALIVE, PROBE, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/plain').send('alive\n'),
  );
  app.get(READY, PROBE, async (_request, reply) => {
    const reason = nodeFault?.();
    const canRun = fleet.processors.some((processor) => processor.availability().available);
    const isReady =
      reason === undefined && canRun && storageFault() === undefined && !jobs.isShuttingDown;
    const unready = reason === undefined ? 'unready' : `unready: ${reason}`;
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .type('text/plain')
      .send(`${isReady ? 'ready' : unready}\n`);
  });
}
