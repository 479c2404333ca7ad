/** `GET /status/load`: how busy this process is, and was over the last hour. */
import { z } from 'zod';
import { isSimulator } from '../../fleet/processor.ts';
import { isoTimestamp } from '../http/envelope.ts';
import type { Load, LoadSample } from '../metrics/load-history.ts';
import type { ServiceDeps } from '../service-deps.ts';

const figures = {
  waiting: z
    .strictObject({ mean: z.number(), most: z.int() })
    .optional()
    .describe('Circuits that waited for an engine, on average and at most, sampled every 5 s'),
  expected_wait_ms: z
    .number()
    .optional()
    .describe('Greatest expected wait of a circuit of up to 17 qubits, milliseconds'),
  busy: z
    .record(z.string(), z.number())
    .describe('Engines that had circuits on average, by the `id` of their lane'),
  jobs: z
    .strictObject({ completed: z.int(), failed: z.int(), cancelled: z.int() })
    .describe('Jobs of all kinds that ended here'),
  latency_ms: z
    .strictObject({ p50: z.number(), p95: z.number(), p99: z.number() })
    .optional()
    .describe(
      'From submission to result of completed circuits, milliseconds, within 5 %; 0.5 means less than 1. Absent without one',
    ),
  requests: z
    .strictObject({ answered: z.int(), failed: z.int() })
    .describe('Requests that were answered, and those of them with a status of 500 or above'),
};

/** Load of the process. */
export const serviceLoad = z
  .strictObject({
    node: z
      .string()
      .optional()
      .describe(
        'In a cluster, the node that answered. Everything is of this node: its engines, the jobs that it ran, the requests that it answered. Each node keeps its own',
      ),
    nodes: z.int().optional().describe('Nodes of the cluster that are up, in a cluster'),
    since: isoTimestamp.describe(
      'Beginning of the history: the start of the process, or an hour ago',
    ),
    engines: z
      .array(
        z.strictObject({
          id: z.string(),
          kind: z
            .enum(['small', 'wide', 'adapter', 'spread'])
            .describe(
              '`small`: threads with a circuit of up to 17 qubits each. `wide`: all threads on one circuit. `adapter`: a GPU. `spread`: several GPUs that hold a state together',
            ),
          engines: z.int().describe('Circuits or lists of circuits that may run at a time'),
          busy: z.int().describe('Those that have one now'),
        }),
      )
      .describe('Lanes of engines, empty on a node that runs no circuits'),
    now: z.strictObject({
      waiting: z.int().describe('Circuits that wait for an engine now'),
      expected_wait_ms: z
        .number()
        .optional()
        .describe('Until a circuit of up to 17 qubits would start; absent if none would'),
    }),
    hour: z.strictObject(figures).describe('The last hour'),
    minutes: z
      .array(
        z.strictObject({
          at: isoTimestamp.describe('Beginning of the minute'),
          sampled_s: z
            .number()
            .describe('Seconds of the minute for which queue and engines were sampled'),
          ...figures,
        }),
      )
      .describe('Minutes of the last hour in which something was seen, oldest first'),
  })
  .meta({ id: 'ServiceLoad' });
type LoadView = z.output<typeof serviceLoad>;

type Sources = Pick<ServiceDeps, 'own' | 'fleet' | 'engines'>;

/** State of this process now. Of processors, those whose circuits run here count, which share a queue. */
export function sampleOf({ own, fleet, engines = () => [] }: Sources): LoadSample {
  const simulators = (own?.fleet ?? fleet).processors.filter(isSimulator);
  const loads = simulators.map((each) => ({
    ...each.load(),
    isAvailable: each.availability().available,
  }));
  const waits = loads.flatMap(({ isAvailable, expectedWaitMs }) =>
    isAvailable && expectedWaitMs !== undefined && Number.isFinite(expectedWaitMs)
      ? [expectedWaitMs]
      : [],
  );
  return {
    waiting: Math.max(0, ...loads.map(({ queueDepth }) => queueDepth)),
    expectedWaitMs: waits.length === 0 ? undefined : Math.min(...waits),
    engines: engines(),
  };
}

/** The load as it is shown. */
export function viewLoad(deps: Sources & Pick<ServiceDeps, 'metrics'>): LoadView {
  const { metrics } = deps;
  const { waiting, expectedWaitMs, engines } = sampleOf(deps);
  const { history, cluster } = metrics;
  const minutes = history.minutes();
  return {
    ...(cluster !== undefined && {
      node: cluster.node,
      nodes: cluster.figures().nodes.filter((state) => state === 'up').length,
    }),
    since: timeOf(history.since),
    engines: engines.map(({ id, kind, slots, busy }) => ({ id, kind, engines: slots, busy })),
    now: {
      waiting,
      ...(expectedWaitMs !== undefined && { expected_wait_ms: rounded(expectedWaitMs) }),
    },
    hour: figuresOf(history.hour()),
    minutes: minutes.map(({ at, sampledMs, ...load }) => ({
      at: timeOf(at),
      sampled_s: rounded(sampledMs / 1000),
      ...figuresOf({ sampledMs, ...load }),
    })),
  };
}

function figuresOf({ waiting, expectedWaitMs, busy, jobs, latency, requests }: Load) {
  return {
    ...(waiting !== undefined && {
      waiting: { mean: rounded(waiting.mean), most: waiting.most },
    }),
    ...(expectedWaitMs !== undefined && { expected_wait_ms: rounded(expectedWaitMs) }),
    busy: Object.fromEntries([...busy].map(([id, mean]) => [id, rounded(mean)])),
    jobs,
    ...(latency !== undefined && {
      latency_ms: {
        p50: rounded(latency.p50),
        p95: rounded(latency.p95),
        p99: rounded(latency.p99),
      },
    }),
    requests,
  };
}

const timeOf = (at: number): string => new Date(at).toISOString();
const rounded = (value: number): number => Number(value.toPrecision(3));
