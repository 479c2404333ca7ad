/** What the service is (GET /), and how it is (GET /status). */
import type { Processor } from '../../fleet/processor.ts';
import { viewProcessor } from '../processor-view.ts';
import { successEnvelope } from '../schemas/envelope.ts';
import { type StatusView, status } from '../schemas/processors.ts';
import { type RootView, root } from '../schemas/root.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

const SERVICES: RootView['services'] = [
  {
    id: 'status',
    description: 'Health of the service and its processors',
    path: '/api/v1/status',
    methods: ['GET'],
  },
  {
    id: 'processors',
    description: 'What circuits run on, with its availability now',
    path: '/api/v1/quantum/processors',
    methods: ['GET'],
  },
  {
    id: 'operations',
    description: 'Catalog of gates and other operations',
    path: '/api/v1/quantum/operations',
    methods: ['GET'],
  },
  {
    id: 'circuits',
    description: 'Submit circuits and read their results',
    path: '/api/v1/quantum/circuits',
    methods: ['GET', 'POST'],
  },
  {
    id: 'keys',
    description: "The caller's key: tier, limits, usage",
    path: '/api/v1/keys/info',
    methods: ['GET'],
  },
];

/** Registers `/` and `/status`. */
export function serviceStatusRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { fleet, now, settings } = deps;
  const startedAt = now();

  app.get(
    '/',
    {
      prefixTrailingSlash: 'slash',
      schema: {
        operationId: 'getRoot',
        tags: ['service'],
        summary: 'Version and available services',
        response: { 200: successEnvelope(root) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, {
        name: 'Quantum Compute Service',
        version: settings.version,
        api_version: 'v1',
        documentation: '/docs',
        openapi: '/api/v1/openapi.json',
        services: SERVICES,
      } satisfies RootView),
  );

  app.get(
    '/status',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getStatus',
        tags: ['service'],
        summary: 'Health of the service and its processors',
        response: { 200: successEnvelope(status) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, {
        status: overallStatus(fleet.processors),
        uptime_s: (now() - startedAt) / 1000,
        processors: fleet.processors.map((each) => {
          const view = viewProcessor(each);
          const { id, available, reason, checked_at, queue_depth } = view;
          const { expected_wait_ms, expected_wide_wait_ms } = view;
          const why = reason === undefined ? {} : { reason };
          const waits = { expected_wait_ms, expected_wide_wait_ms };
          return { id, available, ...why, checked_at, queue_depth, ...waits };
        }),
      } satisfies StatusView),
  );
}

/** One word for all processors; hardware does not count, being offline until it is configured. */
export function overallStatus(processors: readonly Processor[]): StatusView['status'] {
  const available = processors.filter((processor) => processor.availability().available);
  if (available.length === 0) return 'outage';
  const simulators = processors.filter(({ spec }) => spec.family !== 'superconducting');
  return simulators.every((processor) => available.includes(processor))
    ? 'operational'
    : 'degraded';
}
