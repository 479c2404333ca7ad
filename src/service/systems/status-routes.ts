/** Routes that describe the service: GET / and GET /status. */
import { isSimulator } from '../../fleet/processor.ts';
import { callerOf } from '../http/authentication.ts';
import { successEnvelope } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { viewModel } from '../models/model-view.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { viewAgent } from '../work/agent-schema.ts';
import { viewTpuFleet } from '../work/tpu-routes.ts';
import type { TpuFleetView } from '../work/tpu-schema.ts';
import type { ProcessorView } from './processor-schema.ts';
import { viewProcessor } from './processor-view.ts';
import { type RootView, root, type StatusView, status } from './status-schema.ts';
import { viewSystems } from './system-view.ts';

const SERVICES: RootView['services'] = [
  {
    id: 'status',
    description: 'Health of the service and its parts',
    path: '/api/v1/status',
    methods: ['GET'],
  },
  {
    id: 'processors',
    description: 'Processors that run circuits, and their availability now',
    path: '/api/v1/quantum/processors',
    methods: ['GET'],
  },
  {
    id: 'devices',
    description: 'The devices of the fleet, and what runs behind each',
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
    id: 'systems',
    description: 'The systems, and plans that chain tasks of agents',
    path: '/api/v1/systems',
    methods: ['GET'],
  },
  {
    id: 'agents',
    description: 'Agents with their tasks, limits, examples and measured speed',
    path: '/api/v1/agents',
    methods: ['GET'],
  },
  {
    id: 'tasks',
    description: "Records of agents' tasks and of plans",
    path: '/api/v1/tasks',
    methods: ['GET'],
  },
  {
    id: 'tpu-fleet',
    description: 'The modelled TPU fleet',
    path: '/api/v1/tpu/fleet',
    methods: ['GET'],
  },
  {
    id: 'tpu-jobs',
    description: 'Submit TPU jobs and read their results',
    path: '/api/v1/tpu/jobs',
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
  const { fleet, devices, models, agents, tpu, cpuModel, elapsedMs, settings } = deps;
  const startedAt = elapsedMs();

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
        summary: 'Health of the service: systems, agents, processors, models, the TPU fleet',
        response: { 200: successEnvelope(status) },
      },
    },
    async (request, reply) => {
      const { readers } = deps;
      const { waiting, running, bytes } = readers.load();
      const readingWaitMs = readers.expectedWaitMs(callerOf(request).key.id);
      return envelopes.send(request, reply, {
        status: overallStatus(deps),
        uptime_s: (elapsedMs() - startedAt) / 1000,
        systems: viewSystems({ ...deps, startedAt }).map(howIs),
        agents: agents.agents.map((each) => {
          const view = viewAgent(each, cpuModel);
          return { ...howIs(view), tasks_per_sec: view.tasks_per_sec };
        }),
        processors: fleet.processors.map((each) =>
          statusOf(viewProcessor(each, devices, readingWaitMs)),
        ),
        reading: { waiting, running, bytes, expected_wait_ms: Math.round(readingWaitMs) },
        models: models.models.map((model) => howIs(viewModel(model))),
        tpu: statusOfTpu(viewTpuFleet(tpu, cpuModel)),
      } satisfies StatusView);
    },
  );
}

/** Fields of a processor that describe its state. */
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

/** Fields of the TPU fleet that describe its state. */
function statusOfTpu(view: TpuFleetView): StatusView['tpu'] {
  const { available, reason, checked_at, chips, available_chips, jobs_placed, jobs_waiting } = view;
  return {
    available,
    ...(reason !== undefined && { reason }),
    checked_at,
    chips,
    available_chips,
    jobs_placed,
    jobs_waiting,
  };
}

/** State fields that everything has. */
function howIs<Id extends string>({
  id,
  available,
  reason,
  checked_at,
}: {
  readonly id: Id;
  readonly available: boolean;
  readonly reason?: string | undefined;
  readonly checked_at: string;
}) {
  return { id, available, ...(reason !== undefined && { reason }), checked_at };
}

/** Sources of the overall status. */
type StatusSources = Pick<
  ServiceDeps,
  'fleet' | 'devices' | 'models' | 'agents' | 'planner' | 'tpu' | 'readers' | 'storageFault'
>;

/** Wait of bodies above which the service is degraded, milliseconds, for a key that sends nothing else. */
const LATE_READING_MS = 5000;

/**
 * `down` if no simulator is available, because nothing runs then. `degraded` if anything else that the
 * service promises is unavailable, new work cannot be stored, or bodies are read late. Otherwise
 * `operational`. Hardware and a text upstream that are not configured are no promise.
 */
function overallStatus(sources: StatusSources): StatusView['status'] {
  const { fleet, devices, models, agents, planner, tpu, readers, storageFault } = sources;
  const simulators = fleet.processors.filter(isSimulator);
  const areWell = simulators.map((processor) => processor.availability().available);
  if (!areWell.includes(true)) return 'down';
  const promised = [
    models.classifier,
    ...(models.text.isConfigured ? [models.text] : []),
    ...agents.agents,
    planner,
    tpu.work,
  ];
  const isWell =
    areWell.every((isAvailable) => isAvailable) &&
    promised.every((part) => part.availability().available) &&
    devices.summary().quarantined === 0 &&
    readers.expectedWaitMs('') <= LATE_READING_MS &&
    storageFault() === undefined;
  return isWell ? 'operational' : 'degraded';
}
