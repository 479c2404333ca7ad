/** The four systems: each name with the components behind it and their present state, with their schemas. */

import { z } from 'zod';
import { operationNames } from '../../circuit/gate-object.ts';
import { type Availability, isSimulator } from '../../fleet/processor.ts';
import { MAX_PLAN_TASKS } from '../../workloads/plans/plan.ts';
import { isoTime, isoTimestamp, jsonObject } from '../http/envelope.ts';
import { SystemNotFoundError } from '../http/errors.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { PLAN_EXAMPLE } from '../work/task-schema.ts';
import { deviceSummary, processor } from './processor-schema.ts';
import { viewProcessor, viewSummary } from './processor-view.ts';

/** The systems' ids. */
const SYSTEM_IDS = ['qvm', 'quantum-os', 'asi', 'llma'] as const;

const systemFields = {
  id: z.enum(SYSTEM_IDS),
  name: z.string(),
  description: z.string(),
  available: z.boolean(),
  reason: z.string().optional().describe('Reason, if it is not available'),
  checked_at: isoTimestamp,
  self_test: z.string().describe('Self-test that decides its availability'),
};

/** A system in the listing. */
export const systemSummary = z.strictObject(systemFields).meta({ id: 'SystemSummary' });
export type SystemSummaryView = z.output<typeof systemSummary>;

/** All systems. */
export const systemList = z.strictObject({ systems: z.array(systemSummary) });

const inHand = z.strictObject({ queued: z.int(), running: z.int() });

/** Abilities and state of the circuit runtime. */
const qvmDetail = z.strictObject({
  processors: z.array(
    processor.pick({
      id: true,
      available: true,
      reason: true,
      checked_at: true,
      qubits: true,
      max_qubits: true,
      precision: true,
      execution: true,
    }),
  ),
  operations: z.int().describe('Number of operations in the catalog at GET /quantum/operations'),
  languages: z.array(z.string()),
});

/** Present load of the scheduler. */
const quantumOsDetail = z.strictObject({
  uptime_s: z.number(),
  queue_depth: z.int().describe('Number of waiting circuits and batches'),
  running: z.int(),
  devices: deviceSummary,
  jobs_in_flight: z.strictObject({
    circuit: inHand,
    batch: inHand,
    experiment: inHand,
    task: inHand,
    tpu_job: inHand,
  }),
  work_processes: z
    .strictObject({
      processes: z.int(),
      running: z.int(),
      waiting: z.int(),
      expected_wait_ms: z.number(),
    })
    .describe('Processes that run the code of tasks and TPU jobs'),
});

/** Tasks that plans may use. */
const asiDetail = z.strictObject({
  claims: z.string(),
  path: z.string(),
  agents: z.array(z.strictObject({ id: z.string(), available: z.boolean(), tasks: z.int() })),
  max_tasks: z.int(),
  example: jsonObject.describe('Complete request body that runs'),
});

/** Models that generate text. */
const llmaDetail = z.strictObject({
  model: z.string(),
  configured: z.boolean().describe('Whether the operator has configured an upstream'),
  path: z.string(),
  limits: z.strictObject({
    input_characters: z.int(),
    max_tokens: z.int(),
    default_max_tokens: z.int(),
    temperature: z.number(),
  }),
});

/** One system with all that stands behind it. */
export const systemDetail = z
  .strictObject({
    ...systemFields,
    detail: z.union([qvmDetail, quantumOsDetail, asiDetail, llmaDetail]),
  })
  .meta({ id: 'System' });
export type SystemDetailView = z.output<typeof systemDetail>;

/** Path of one system. */
export const systemParams = z.strictObject({ system_id: z.string() });

/** Sources of the systems. */
export interface SystemSources
  extends Pick<
    ServiceDeps,
    'fleet' | 'devices' | 'models' | 'agents' | 'planner' | 'pool' | 'jobs' | 'elapsedMs'
  > {
  /** Start of the service on the clock of `elapsedMs`. */
  readonly startedAt: number;
}

interface System {
  readonly id: SystemSummaryView['id'];
  readonly name: string;
  readonly description: string;
  readonly selfTest: string;
  readonly availability: (sources: SystemSources) => Availability;
  readonly detail: (sources: SystemSources) => SystemDetailView['detail'];
}

const SYSTEMS: readonly System[] = [
  {
    id: 'qvm',
    name: 'QVM',
    description:
      'The circuit runtime: reads circuits, compiles them, and runs them on the engines that this node has.',
    selfTest: 'Available while the self-test of at least one simulator passes.',
    availability: simulatorAvailability,
    detail: ({ fleet, devices }) => ({
      processors: fleet.processors.map((each) => {
        const view = viewProcessor(each, devices, 0);
        const { id, available, reason, checked_at, qubits, max_qubits, precision, execution } =
          view;
        return {
          id,
          available,
          ...(reason !== undefined && { reason }),
          checked_at,
          qubits,
          max_qubits,
          precision,
          execution,
        };
      }),
      operations: operationNames().length,
      languages: ['gate objects (JSON)', 'OpenQASM 2.0', 'OpenQASM 3'],
    }),
  },
  {
    id: 'quantum-os',
    name: 'Quantum OS',
    description:
      'Scheduler, queues and devices: decides what runs when and where, over all processors and all kinds of jobs.',
    selfTest:
      'Available while a self-test comes through the scheduler to an engine and back: that of a simulator.',
    availability: simulatorAvailability,
    detail: ({ fleet, devices, pool, jobs, elapsedMs, startedAt }) => {
      const loads = fleet.processors.map((processor) => processor.load());
      const { processes, running, waiting, expectedWaitMs } = pool.load();
      return {
        uptime_s: (elapsedMs() - startedAt) / 1000,
        queue_depth: Math.max(0, ...loads.map(({ queueDepth }) => queueDepth)),
        running: loads.reduce((sum, load) => sum + load.running, 0),
        devices: viewSummary(devices),
        jobs_in_flight: jobsInFlight(jobs),
        work_processes: {
          processes,
          running,
          waiting,
          expected_wait_ms: Math.round(expectedWaitMs),
        },
      };
    },
  },
  {
    id: 'asi',
    name: 'ASI',
    description:
      "A planner: a goal of several tasks becomes a chain of agents' tasks whose results feed the next.",
    selfTest:
      'Available while a plan of two tasks, the second of which works on the result of the first, comes to its known answer.',
    availability: ({ planner }) => planner.availability(),
    detail: ({ agents }) => ({
      claims:
        'No intelligence: it follows references, fills in what earlier results are declared to fit, and runs tasks in the order that follows.',
      path: '/api/v1/systems/asi/plans',
      agents: agents.agents.map((agent) => ({
        id: agent.owner.id,
        available: agent.availability().available,
        tasks: agent.owner.procedures.length,
      })),
      max_tasks: MAX_PLAN_TASKS,
      example: PLAN_EXAMPLE,
    }),
  },
  {
    id: 'llma',
    name: 'L.L.M.A.',
    description:
      'Text generation by an OpenAI-compatible upstream that the operator names; this service has no language model of its own.',
    selfTest:
      'Available while the upstream answers a completion of a few tokens; without an upstream, never.',
    availability: ({ models }) => models.text.availability(),
    detail: ({ models: { text } }) => ({
      model: text.id,
      configured: text.isConfigured,
      path: `/api/v1/models/${text.id}/inference`,
      limits: {
        input_characters: text.limits.maxInputLength,
        max_tokens: text.limits.maxTokens,
        default_max_tokens: text.limits.defaultMaxTokens,
        temperature: text.limits.maxTemperature,
      },
    }),
  },
];

/** Lists all systems with their present state. */
export function viewSystems(sources: SystemSources): SystemSummaryView[] {
  return SYSTEMS.map((system) => viewSystem(system, sources));
}

/**
 * One system with the components behind it.
 *
 * @throws {SystemNotFoundError}
 */
export function viewSystemDetail(sources: SystemSources, id: string): SystemDetailView {
  const system = SYSTEMS.find((each) => each.id === id);
  if (system === undefined) throw new SystemNotFoundError(id, SYSTEM_IDS);
  return { ...viewSystem(system, sources), detail: system.detail(sources) };
}

function viewSystem(system: System, sources: SystemSources): SystemSummaryView {
  const { id, name, description, selfTest } = system;
  const { available, reason, checkedAt } = system.availability(sources);
  return {
    id,
    name,
    description,
    available,
    ...(reason !== undefined && { reason }),
    checked_at: isoTime(checkedAt),
    self_test: selfTest,
  };
}

/** Availability of the first available simulator; if there is none, the reason. */
function simulatorAvailability({ fleet }: SystemSources): Availability {
  const simulators = fleet.processors.filter(isSimulator);
  const states = simulators.map((processor) => processor.availability());
  const well = states.find(({ available }) => available);
  if (well !== undefined) return { available: true, checkedAt: well.checkedAt };
  const reasons = simulators.map(({ spec }, i) => `${spec.id}: ${states[i]?.reason ?? ''}`);
  return {
    available: false,
    reason: `No simulator is available. ${reasons.join(' ')}`.trim(),
    checkedAt: Math.max(0, ...states.map(({ checkedAt }) => checkedAt)),
  };
}

function jobsInFlight(jobs: SystemSources['jobs']) {
  const counts = {
    circuit: { queued: 0, running: 0 },
    batch: { queued: 0, running: 0 },
    experiment: { queued: 0, running: 0 },
    task: { queued: 0, running: 0 },
    tpu_job: { queued: 0, running: 0 },
  };
  for (const { job, hasBegun } of jobs.inHand())
    counts[job.kind][hasBegun ? 'running' : 'queued']++;
  return counts;
}
