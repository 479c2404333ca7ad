/** Capabilities, benchmarks and statistics of agents and the TPU fleet, in the form that callers see. */
import { z } from 'zod';
import type { Benchmark, MonitoredProcedures } from '../../workloads/monitored-procedures.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import type { Procedure } from '../../workloads/procedures/procedure.ts';
import type { ExecutedOn, ProcedureOutcome } from '../../workloads/procedures/procedure-call.ts';
import { milliseconds, viewBackend } from '../circuits/backend-view.ts';
import { isoTime } from '../http/envelope.ts';
import type {
  CapabilityView,
  ExecutedOnView,
  RateBasisView,
  WorkStatsView,
} from './procedure-schema.ts';

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
