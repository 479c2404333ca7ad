/**
 * Divides the shots of a run with noise among engines.
 *
 * A range of shots is a run of its own in the queue, so ranges wait, are scheduled, tried again and cancelled as any
 * run is. All of them together give the counts of one run, because draws are numbered by shot. Work that all shots
 * share is repeated for each range, so a run is divided only as far as that costs little.
 */
import { askedFields, givesMeans } from '../circuit/outputs.ts';
import type { ShotRange } from '../engine/engine.ts';
import { joinedShots } from '../engine/run-trajectories.ts';
import { BatchChunks } from './batch-chunks.ts';
import type { CircuitResult, CircuitRun, RunHooks } from './processor.ts';
import { outputsOf, runResultOf } from './run-outputs.ts';
import { modelMs } from './schedule/run-estimates.ts';
import {
  type CircuitRequest,
  type CircuitWork,
  isBatch,
  methodOf,
  runWork,
} from './schedule/scheduled-run.ts';

/** A range has at least this much work, in milliseconds of the cost model. */
const MIN_RANGE_MS = 50;
/** Fewer ranges are tried in steps of this factor. */
const STEP = 0.75;
/** All ranges together may have this many times the work of the whole run. */
const MAX_MORE_WORK = 1.25;

/**
 * The ranges in which the shots of a run are to be drawn; one where dividing does not pay. They depend on nothing that
 * was measured: in single precision, rounding makes counts depend on them.
 */
export function shotRangesOf(
  circuit: CircuitWork,
  request: CircuitRequest,
  numEngines: number,
): readonly ShotRange[] {
  const { shots = 0 } = request;
  const whole = request.shotRange ?? { from: 0, to: shots };
  const isWhole = request.shotRange === undefined;
  if (!isWhole || !isDivided(circuit, request)) return [whole];
  const wholeMs = modelMs(runWork(circuit, request));
  let count = Math.min(numEngines, shots, Math.floor(wholeMs / MIN_RANGE_MS));
  for (; count > 1; count = Math.floor(STEP * count)) {
    const ranges = Array.from({ length: count }, (_, i) => ({
      from: Math.floor((i * shots) / count),
      to: Math.floor(((i + 1) * shots) / count),
    }));
    const rangeMs = modelMs(runWork(circuit, { ...request, shotRange: ranges[0]! }));
    if (rangeMs >= MIN_RANGE_MS && count * rangeMs <= MAX_MORE_WORK * wholeMs) return ranges;
  }
  return [whole];
}

/** Whether ranges of shots give the result of the whole run. Exact values do not depend on shots. */
function isDivided(circuit: CircuitWork, request: CircuitRequest): boolean {
  if (isBatch(request)) return false;
  const method = methodOf(circuit, request);
  if (givesMeans(method)) return true;
  if (method === 'sparse') return circuit.noise !== undefined;
  return method === 'stabilizer' && circuit.hasSaves !== true && askedFields(request).length === 0;
}

/** Runs a range as `Processor.run` does. */
type RunRange = (run: CircuitRun, hooks: RunHooks, signal: AbortSignal) => Promise<CircuitResult>;

/**
 * Runs a circuit in ranges of its shots. The first range has the id of the run, and so its place in the queue.
 *
 * @throws what `runRange` throws for the first range that fails, once the others have stopped; the signal's reason.
 */
export async function runShotRanges(
  run: CircuitRun,
  ranges: readonly ShotRange[],
  hooks: RunHooks,
  signal: AbortSignal,
  runRange: RunRange,
): Promise<CircuitResult> {
  const submittedAt = performance.now();
  const following = new RangesFollowed(ranges, hooks);
  const results: CircuitResult[] = [];
  const chunks = new BatchChunks();
  await chunks.run(
    ranges.keys(),
    async (k) => {
      const part = {
        ...run,
        ...(k > 0 && { id: `${run.id}/shots-${k}`, partOf: run.id }),
        request: { ...run.request, shotRange: ranges[k]! },
      };
      results[k] = await runRange(part, following.hooksOf(k), chunks.signal);
    },
    signal,
  );
  const [first] = results.toSorted((a, b) => a.timing.queueMs - b.timing.queueMs);
  if (first === undefined) throw new Error('unreachable: a run without ranges');
  const joined = results.map((result, k) => {
    const { from, to } = ranges[k]!;
    const { numBits } = run.circuit;
    return { numShots: to - from, result: runResultOf(result, { numBits, numCircuits: 1 }) };
  });
  const result = await joinedShots(joined, run.request.seed ?? 0, signal);
  const { queueMs, compileMs } = first.timing;
  const executionMs = performance.now() - submittedAt - queueMs - compileMs;
  return {
    ...first,
    outputs: outputsOf(result),
    backend: { ...first.backend, ...devicesOf(results) },
    timing: {
      queueMs,
      compileMs,
      executionMs: Math.max(0, executionMs),
      samplingMs: result.timing.samplingMs,
    },
  };
}

/** Devices of all ranges, on a fleet. */
function devicesOf(results: readonly CircuitResult[]): { readonly devices?: readonly string[] } {
  const devices = results.flatMap(({ backend }) => backend.devices ?? []);
  return results[0]?.backend.devices === undefined ? {} : { devices: [...new Set(devices)] };
}

/** Follows ranges as one run: it has started when one of them has, and is as far as all of them together. */
class RangesFollowed {
  readonly #hooks: RunHooks;
  readonly #shares: readonly number[];
  readonly #fractions: number[];
  #hasStarted = false;

  constructor(ranges: readonly ShotRange[], hooks: RunHooks) {
    this.#hooks = hooks;
    const shots = ranges.at(-1)!.to;
    this.#shares = ranges.map(({ from, to }) => (to - from) / shots);
    this.#fractions = ranges.map(() => 0);
  }

  hooksOf(k: number): RunHooks {
    const { readmitted } = this.#hooks;
    return {
      onStarted: () => {
        if (!this.#hasStarted) this.#hooks.onStarted?.();
        this.#hasStarted = true;
      },
      onProgress: (fraction) => this.#progress(k, fraction),
      onStartedOver: () => {
        this.#hooks.onStartedOver?.();
        this.#progress(k, 0);
      },
      ...(readmitted !== undefined && { readmitted }),
    };
  }

  #progress(k: number, fraction: number): void {
    this.#fractions[k] = fraction;
    const all = this.#fractions.reduce((sum, each, i) => sum + each * this.#shares[i]!, 0);
    this.#hooks.onProgress?.(all);
  }
}
