/** Routes of processors, their availability and their maintenance. */
import type { FastifyRequest } from 'fastify';
import type { Processor } from '../../fleet/processor.ts';
import { carryOut } from '../maintenance/maintenance-order.ts';
import { callerOf } from '../plugins/authentication.ts';
import { findProcessor, viewProcessor } from '../processor-view.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import {
  maintenanceBody,
  processor,
  processorList,
  processorParams,
} from '../schemas/processors.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Registers the routes of processors and of their maintenance. */
export function processorRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { fleet, devices, readers } = deps;
  const find = (id: string) => findProcessor(fleet, id);
  const view = (found: Processor, request: FastifyRequest) =>
    viewProcessor(found, devices, readers.expectedWaitMs(callerOf(request).key.id));

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
      envelopes.send(request, reply, {
        processors: fleet.processors.map((each) => view(each, request)),
      }),
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
      envelopes.send(request, reply, view(find(request.params.processor_id), request)),
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
          'Running circuits finish, waiting ones keep waiting, and new ones are answered 503. It lasts over restarts.',
        params: processorParams,
        body: maintenanceBody,
        response: { 200: successEnvelope(processor), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const target = find(request.params.processor_id);
      const actor = callerOf(request).key.id;
      const subject = { kind: 'processor', id: target.spec.id } as const;
      await carryOut(request.body, subject, actor, deps, (maintenance) =>
        target.setMaintenance(maintenance),
      );
      return envelopes.send(request, reply, view(target, request));
    },
  );
}
