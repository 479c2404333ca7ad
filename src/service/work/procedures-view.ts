/**
 * Views and schemas that agents and the TPU fleet share: capabilities, results, benchmarks and statistics.
 */
import { z } from 'zod';
import type { Benchmark, MonitoredProcedures } from '../../workloads/monitored-procedures.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import type { Procedure } from '../../workloads/procedures/procedure.ts';
import type { ExecutedOn, ProcedureOutcome } from '../../workloads/procedures/procedure-call.ts';
import { milliseconds, viewBackend } from '../circuits/backend-view.ts';
import { backend } from '../circuits/circuit-schema.ts';
import { isoTime, isoTimestamp, jsonObject } from '../http/envelope.ts';

/** Processors and process that did the work. */
export const executedOn = z.strictObject({
  process: z
    .strictObject({ runtime: z.string(), hardware: z.string() })
    .describe('Process that ran the code of the work'),
  processors: z
    .array(
      z.strictObject({
        processor: z.string(),
        backend: backend.describe('Engine and device that ran the circuits'),
        circuits: z.int(),
        execution_ms: z.number(),
      }),
    )
    .describe('The hardware that ran the circuits of the work; empty if it has none'),
});
export type ExecutedOnView = z.output<typeof executedOn>;

/** Fields that only a completed record has. */
export const procedureResult = {
  result: jsonObject.describe('Result of the work; its fields depend on the task'),
  seed: z
    .int()
    .describe('Seed of all random numbers of the work: that of the input, or one that was drawn'),
  executed_on: executedOn,
  timing: z.strictObject({
    queue_ms: z.number(),
    execution_ms: z.number().describe('Wall-clock time from start to end, milliseconds'),
  }),
};

/** Procedure that callers may use. */
export const capability = z.strictObject({
  task: z.string(),
  description: z.string(),
  input_schema: jsonObject.describe('JSON Schema of `input`'),
  limits: z.record(z.string(), z.number()),
  feeds: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'In plans: for each field of the result, the input field of later tasks that it fills',
    ),
  example: jsonObject.describe('Complete request body that runs'),
});
export type CapabilityView = z.output<typeof capability>;

/** Basis of a measured rate. */
export const rateBasis = z.strictObject({
  basis: z.literal('measured'),
  method: z.string().describe('Description of the measurement, for people'),
  measured_at: isoTimestamp,
  task: z.string().describe('Name of the task that was measured'),
  tasks: z.int().describe('Number of tasks that ran at the same time'),
  duration_ms: z.number().describe('Time that they took together, milliseconds'),
  executed_on: executedOn,
});
export type RateBasisView = z.output<typeof rateBasis>;

/** Statistics of callers' runs, since the start and recent. */
export const workStats = z.strictObject({
  queued: z.int(),
  running: z.int(),
  completed: z
    .int()
    .describe(
      'Tasks completed since the start of the service; `failed` and `cancelled` count since then, too',
    ),
  failed: z.int(),
  cancelled: z.int(),
  tasks_per_sec: z.number().describe('Tasks completed per second, within the window'),
  units_per_sec: z
    .number()
    .describe('Units of work (circuits, rows, steps) completed per second, within the window'),
  window_s: z.number(),
  duration_ms_p50: z
    .number()
    .nullable()
    .describe('Median over the last 256 completed tasks; null before the first'),
  duration_ms_p95: z.number().nullable(),
  basis: z.literal('measured'),
  measured_at: isoTimestamp,
});
export type WorkStatsView = z.output<typeof workStats>;

/** Significant digits of rates. */
const SIGNIFICANT_DIGITS = 4;

/** Processors that ran a procedure's circuits, and the process that ran its code. */
function viewExecutedOn(executedOn: readonly ExecutedOn[], cpuModel: string): ExecutedOnView {
  return {
    process: { runtime: `Node.js ${process.versions.node}`, hardware: cpuModel },
    processors: executedOn.map(({ processor, backend, circuits, executionMs }) => ({
      processor,
      backend: viewBackend(backend),
      circuits,
      execution_ms: milliseconds(executionMs),
    })),
  };
}

/**
 * Result fields of a record as one JSON object; the result itself is inserted as text.
 *
 * @param seed - Seed drawn for the run; a seed in the input takes precedence.
 * @param more - Further fields.
 */
export function outcomeJson(
  outcome: ProcedureOutcome,
  { input, seed }: { readonly input: JsonObject; readonly seed: number },
  cpuModel: string,
  more: object = {},
): string {
  const rest = {
    seed: usedSeed(input, seed),
    executed_on: viewExecutedOn(outcome.executedOn, cpuModel),
    timing: {
      queue_ms: milliseconds(outcome.timing.queueMs),
      execution_ms: milliseconds(outcome.timing.executionMs),
    },
    ...more,
  };
  return `{"result":${outcome.resultJson},${JSON.stringify(rest).slice(1)}`;
}

/** Seed that the run used. */
function usedSeed({ seed: own }: JsonObject, drawn: number): number {
  return typeof own === 'number' ? own : drawn;
}

const views = new WeakMap<Procedure, Omit<CapabilityView, 'example'>>();

/** Procedure that callers may use, with an example of a whole body. */
export function viewCapability(procedure: Procedure, example: JsonObject): CapabilityView {
  let view = views.get(procedure);
  if (view === undefined) {
    const { $schema: _, ...schema } = z.toJSONSchema(procedure.input, { io: 'input' });
    view = {
      task: procedure.name,
      description: procedure.description,
      input_schema: schema,
      limits: { ...procedure.limits },
      ...(Object.keys(procedure.feeds).length > 0 && { feeds: { ...procedure.feeds } }),
    };
    views.set(procedure, view);
  }
  return { ...view, example };
}

/** Basis of a measured rate. */
export function viewBenchmark(benchmark: Benchmark, cpuModel: string): RateBasisView {
  return {
    basis: 'measured',
    method: `${benchmark.tasks} tasks submitted at once, the way that requests take, after one whose answer was checked; repeated once a minute`,
    measured_at: isoTime(benchmark.measuredAt),
    task: benchmark.task,
    tasks: benchmark.tasks,
    duration_ms: milliseconds(benchmark.durationMs),
    executed_on: viewExecutedOn(benchmark.executedOn, cpuModel),
  };
}

/** Statistics of callers' runs. */
export function viewStats(
  procedures: Pick<MonitoredProcedures, 'statistics' | 'load'>,
): WorkStatsView {
  const { queued, running } = procedures.load;
  const figures = procedures.statistics();
  return {
    queued,
    running,
    completed: figures.completed,
    failed: figures.failed,
    cancelled: figures.cancelled,
    tasks_per_sec: rate(figures.completedPerS),
    units_per_sec: rate(figures.unitsPerS),
    window_s: milliseconds(figures.windowS),
    duration_ms_p50: figures.p50Ms && milliseconds(figures.p50Ms),
    duration_ms_p95: figures.p95Ms && milliseconds(figures.p95Ms),
    basis: 'measured',
    measured_at: isoTime(figures.measuredAt),
  };
}

/** Rounds a rate to its significant digits. */
export function rate(perSecond: number): number {
  return Number(perSecond.toPrecision(SIGNIFICANT_DIGITS));
}
