/** Processors: what circuits may be sent to, and whether it would run them now. */
import type { Processor } from '../../fleet/processor.ts';
import { ProcessorNotFoundError, RequestInvalidError } from '../errors.ts';
import { viewProcessor } from '../processor-view.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import {
  maintenanceBody,
  processor,
  processorList,
  processorParams,
} from '../schemas/processors.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

const DEFAULT_REASON = 'In maintenance';

/** Registers the routes of processors and of their maintenance. */
export function processorRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { fleet, maintenance, now } = deps;

  const find = (id: string): Processor => {
    const found = fleet.get(id);
    if (found !== undefined) return found;
    const known = fleet.processors.map(({ spec }) => spec.id);
    throw new ProcessorNotFoundError(id, known);
  };

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
      envelopes.send(request, reply, { processors: fleet.processors.map(viewProcessor) }),
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
      envelopes.send(request, reply, viewProcessor(find(request.params.processor_id))),
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
      const { enabled, reason } = request.body;
      if (enabled) {
        const record = { processorId: target.spec.id, reason: reason ?? DEFAULT_REASON };
        // Stored first: what was answered must outlive a crash.
        await maintenance.enter({ ...record, since: now() });
        target.setMaintenance({ reason: record.reason });
      } else {
        if (reason !== undefined) {
          const message = 'Only taken with enabled: true.';
          throw new RequestInvalidError([{ path: 'reason', message }]);
        }
        await maintenance.leave(target.spec.id);
        target.setMaintenance(undefined);
      }
      return envelopes.send(request, reply, viewProcessor(target));
    },
  );
}

/** Puts the processors that were in maintenance when the service stopped back into it. */
export async function restoreMaintenance({
  maintenance,
  fleet,
}: Pick<ServiceDeps, 'fleet' | 'maintenance'>): Promise<void> {
  for (const { processorId, reason } of await maintenance.list()) {
    fleet.get(processorId)?.setMaintenance({ reason });
  }
}
