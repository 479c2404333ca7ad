/** What the service is (GET /), and how it is (GET /status). */
import type { DeviceSummary } from '../../fleet/fleet-device.ts';
import type { Processor } from '../../fleet/processor.ts';
import type { Model } from '../../workloads/models/model.ts';
import { viewModel } from '../models/model-view.ts';
import { viewProcessor } from '../processor-view.ts';
import { successEnvelope } from '../schemas/envelope.ts';
import { type ProcessorView, type StatusView, status } from '../schemas/processors.ts';
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
    id: 'devices',
    description: 'The devices of the fleet, and what backs each',
    path: '/api/v1/quantum/processors/gpu-fleet/devices',
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
    id: 'models',
    description: 'Models with their status now, their cards, and inference',
    path: '/api/v1/models',
    methods: ['GET'],
  },
  {
    id: 'demo',
    description: 'A trained quantum classifier to try without a key',
    path: '/api/v1/demo/qnn-hybrid',
    methods: ['POST'],
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
  const { fleet, devices, models, now, settings } = deps;
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
        summary: 'Health of the service, its processors and models',
        response: { 200: successEnvelope(status) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, {
        status: overallStatus(fleet.processors, devices.summary()),
        uptime_s: (now() - startedAt) / 1000,
        processors: fleet.processors.map((each) => statusOf(viewProcessor(each, devices))),
        models: models.models.map(statusOfModel),
      } satisfies StatusView),
  );
}

/** The fields of a processor that say how it is. */
function statusOf({
  id,
  available,
  reason,
  checked_at,
  qubits,
  execution,
  devices,
  queue_depth,
  expected_wait_ms,
  expected_wide_wait_ms,
}: ProcessorView): StatusView['processors'][number] {
  return {
    id,
    available,
    ...(reason === undefined ? {} : { reason }),
    checked_at,
    qubits,
    execution,
    ...(devices && { devices }),
    queue_depth,
    expected_wait_ms,
    expected_wide_wait_ms,
  };
}

/** The fields of a model that say how it is. */
function statusOfModel(model: Model): StatusView['models'][number] {
  const { id, available, reason, checked_at } = viewModel(model);
  return { id, available, ...(reason !== undefined && { reason }), checked_at };
}

/** One word for all processors; hardware does not count, being offline until it is configured. */
export function overallStatus(
  processors: readonly Processor[],
  { quarantined }: Pick<DeviceSummary, 'quarantined'>,
): StatusView['status'] {
  const available = processors.filter((processor) => processor.availability().available);
  if (available.length === 0) return 'outage';
  const simulators = processors.filter(({ spec }) => spec.family !== 'superconducting');
  const areWell = simulators.every((processor) => available.includes(processor));
  return areWell && quarantined === 0 ? 'operational' : 'degraded';
}
