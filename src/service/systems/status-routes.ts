/** Routes that describe the service: GET / and GET /status. */

import { z } from 'zod';
import { isSimulator } from '../../fleet/processor.ts';
import { callerOf } from '../http/authentication.ts';
import { successEnvelope } from '../http/envelope.ts';
import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { modelSummary } from '../models/model-schema.ts';
import { viewModel } from '../models/model-view.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { agent, viewAgent } from '../work/agent-schema.ts';
import { viewTpuFleet } from '../work/tpu-routes.ts';
import { tpuFleet } from '../work/tpu-schema.ts';
import { serviceLoad, viewLoad } from './load-view.ts';
import { processor } from './processor-schema.ts';
import { viewProcessor } from './processor-view.ts';
import { systemSummary, viewSystems } from './system-view.ts';

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
export function serviceStatusRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps, envelopes } = context;
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

  showRoute(app, context, {
    path: '/status',
    operationId: 'getStatus',
    tag: 'service',
    summary: 'Health of the service: systems, agents, processors, models, the TPU fleet',
    answer: status,
    view: (_, request) => {
      const { readers } = deps;
      const { waiting, running, bytes } = readers.load();
      const readingWaitMs = readers.expectedWaitMs(callerOf(request).key.id);
      return {
        status: overallStatus(deps),
        uptime_s: (elapsedMs() - startedAt) / 1000,
        systems: viewSystems({ ...deps, startedAt }).map((each) => only(each, HOW)),
        agents: agents.agents.map((each) => only(viewAgent(each, cpuModel), AGENT)),
        processors: fleet.processors.map((each) =>
          only(viewProcessor(each, devices, readingWaitMs), PROCESSOR),
        ),
        reading: { waiting, running, bytes, expected_wait_ms: Math.round(readingWaitMs) },
        models: models.models.map((model) => only(viewModel(model), HOW)),
        tpu: only(viewTpuFleet(tpu, cpuModel), TPU),
      } satisfies StatusView;
    },
  });

  showRoute(app, context, {
    path: '/status/load',
    operationId: 'getLoad',
    tag: 'service',
    summary: 'How busy the engines are, and were over the last hour',
    description:
      'Kept in memory, minute by minute, from the start of the process. In a cluster each node answers for itself, and says which it is.',
    answer: serviceLoad,
    view: () => viewLoad(deps),
  });
}

/** The named fields of a view, as far as it has them. */
function only<View extends object, Name extends keyof View>(
  view: View,
  fields: Readonly<Record<Name, true>>,
): Pick<View, Name> {
  // The casts are safe: the fields are named by `Name`.
  const names = (Object.keys(fields) as Name[]).filter((name) => view[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, view[name]])) as Pick<View, Name>;
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

/** Fields of views that describe a state; in the answer they have this order. */
const HOW = { id: true, available: true, reason: true, checked_at: true } as const;
const AGENT = { ...HOW, tasks_per_sec: true } as const;
const PROCESSOR = {
  ...HOW,
  qubits: true,
  execution: true,
  devices: true,
  queue_depth: true,
  expected_wait_ms: true,
  expected_wide_wait_ms: true,
} as const;
const TPU = {
  available: true,
  reason: true,
  checked_at: true,
  chips: true,
  available_chips: true,
  jobs_placed: true,
  jobs_waiting: true,
} as const;

/** State of the service and its parts. */
export const status = z.strictObject({
  status: z
    .enum(['operational', 'degraded', 'down'])
    .describe(
      'down: no simulator is available, so nothing runs. degraded: new bodies wait more than 5 s to be parsed; or a simulator, an agent, the planner, the TPU fleet or the trained classifier is not available; or a text upstream is configured and not available; or an adapter behind devices of the fleet is in quarantine. operational: otherwise. Hardware is offline until an operator configures a provider and does not count; neither does maintenance of single devices, nor text generation without an upstream',
    ),
  uptime_s: z.number(),
  systems: z.array(systemSummary.pick(HOW)),
  agents: z.array(agent.pick(AGENT)),
  processors: z.array(processor.pick(PROCESSOR)),
  reading: z
    .strictObject({
      waiting: z.int().describe('Request bodies that wait to be parsed'),
      running: z.int().describe('Request bodies that are being parsed'),
      bytes: z
        .int()
        .describe('Bytes of large request bodies that arrive, wait or are being parsed'),
      expected_wait_ms: z
        .number()
        .describe(
          'Milliseconds until a small body of this key would be parsed; keys take turns. Included in `expected_wait_ms` of the processors',
        ),
    })
    .describe('Queue of request bodies for parsing: large ones, and programs with long loops'),
  models: z.array(modelSummary.pick(HOW)),
  tpu: tpuFleet.pick(TPU),
});
export type StatusView = z.output<typeof status>;

/** Name, version and contents of the service. */
export const root = z.strictObject({
  name: z.string(),
  version: z.string(),
  api_version: z.literal('v1'),
  documentation: z.string(),
  openapi: z.string(),
  services: z.array(
    z.strictObject({
      id: z.string(),
      description: z.string(),
      path: z.string(),
      methods: z.array(z.string()),
    }),
  ),
});
export type RootView = z.output<typeof root>;
