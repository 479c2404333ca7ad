/**
 * Health checks for supervisors and load balancers, without a key. `/healthz` reports whether the process is
 * alive, `/readyz` whether it accepts work. Answers are one word of plain text.
 */
import type { FastifyInstance } from 'fastify';
import type { ServiceDeps } from '../service-deps.ts';

/** Not counted: probes come every few seconds, often from the address of a proxy. */
const PROBE = { config: { isUncounted: true }, schema: { hide: true } };

/** Registers `/healthz` and `/readyz`. */
export function healthRoutes(
  app: FastifyInstance,
  { fleet, jobs, storageFault }: Pick<ServiceDeps, 'fleet' | 'jobs' | 'storageFault'>,
): void {
  app.get('/healthz', PROBE, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/plain').send('alive\n'),
  );
  app.get('/readyz', PROBE, async (_request, reply) => {
    const canRun = fleet.processors.some((processor) => processor.availability().available);
    const isReady = canRun && storageFault() === undefined && !jobs.isShuttingDown;
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .type('text/plain')
      .send(isReady ? 'ready\n' : 'unready\n');
  });
}
