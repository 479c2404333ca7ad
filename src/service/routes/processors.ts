/** Processors: what circuits may be sent to, and whether it would run them now. */
import type { Processor } from '../../fleet/processor.ts';
import { carryOut } from '../maintenance/maintenance-order.ts';
import { findProcessor, viewProcessor } from '../processor-view.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { maintenanceBody } from '../schemas/maintenance.ts';
import { processor, processorList, processorParams } from '../schemas/processors.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Registers the routes of processors and of their maintenance. */
export function processorRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { fleet, devices } = deps;
  const find = (id: string) => findProcessor(fleet, id);
  const view = (found: Processor) => viewProcessor(found, devices);

  app.get(
    '/quantum/processors',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listProcessors',
        tags: ['processors'],
        summary: 'List processors with their availability now',
        response: { 200: successEnvelope(processorList) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, { processors: fleet.processors.map(view) }),
  );

  app.get(
    '/quantum/processors/:processor_id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getProcessor',
        tags: ['processors'],
        summary: 'One processor',
        params: processorParams,
        response: { 200: successEnvelope(processor), ...errorResponses(404) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, view(find(request.params.processor_id))),
  );

  app.post(
    '/admin/processors/:processor_id/maintenance',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'setProcessorMaintenance',
        tags: ['administration'],
        summary: 'Take a processor out of service, or back',
        description:
          'What runs is finished and what waits keeps waiting; new circuits are answered 503. Kept over restarts.',
        params: processorParams,
        body: maintenanceBody,
        response: { 200: successEnvelope(processor), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const target = find(request.params.processor_id);
      await carryOut(request.body, { kind: 'processor', id: target.spec.id }, deps, (maintenance) =>
        target.setMaintenance(maintenance),
      );
      return envelopes.send(request, reply, view(target));
    },
  );
}
