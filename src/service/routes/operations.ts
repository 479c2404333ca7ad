/** Route of the gate catalog. */
import { gateCatalog } from '../../circuit/gate-catalog.ts';
import { successEnvelope } from '../schemas/envelope.ts';
import { operationList } from '../schemas/operations.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Registers `/quantum/operations`. */
export function operationRoutes(app: ServiceApp, { envelopes }: RouteContext): void {
  // Serialized once: the gate table does not change while the process runs.
  const catalog = { json: JSON.stringify({ operations: gateCatalog() }) };
  app.get(
    '/quantum/operations',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listOperations',
        tags: ['operations'],
        summary: 'Catalog of gates and other operations',
        response: { 200: successEnvelope(operationList) },
      },
    },
    async (request, reply) => envelopes.sendText(request, reply, catalog),
  );
}
