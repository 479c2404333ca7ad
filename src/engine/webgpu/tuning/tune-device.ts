/**
 * Measures a device within a time limit, and chooses the sizes that suit it. Times are taken by the
 * host's clock around repeated work, so devices without timestamp queries are measured alike.
 *
 * Drivers take milliseconds or seconds for a kernel, some when it is compiled and some when it
 * first runs, which cannot be cancelled. Therefore shapes are tried in order of promise, and the
 * next only if one as slow as the slowest so far would still finish in time. The default shape does
 * not count, because an engine needs it anyway.
 */
import { GpuFaultError } from '../../errors.ts';
import { GpuContext, type ShaderSource } from '../gpu-context.ts';
import { AMPLITUDE_BYTES } from '../gpu-state.ts';
import { maxChunkQubits } from '../gpu-target.ts';
import type { SweepKernels, TileShape } from '../sweep/sweep-kernel.ts';
import {
  bestShape,
  candidatesFor,
  dispatchQubits,
  meanMs,
  readTuning,
  type ShapeTimes,
  type Tuning,
  type TuningStore,
  tuningKey,
} from './tuning.ts';
import { type CheckedShape, copyRate, TuningBench } from './tuning-bench.ts';

/** Limits of a tuning. */
export interface TuningLimits {
  /** Bytes for a state of up to 512 MiB and two copies as large; unlimited by default. */
  readonly memoryBytes?: number;
  /**
   * Milliseconds after which no measurement is started, counted from when the default shape has
   * been compiled. A measurement in progress may take one kernel longer. Default: 2,000, and 0 on
   * software, which measures the default shape alone.
   */
  readonly limitMs?: number;
}

/** An NVIDIA H100 needs 0.1 s to compile a kernel; the result is stored. */
const GPU_LIMIT_MS = 2000;
/** Software drivers take seconds for a kernel's first run, which cannot be cancelled. */
const SOFTWARE_LIMIT_MS = 0;
/** Fraction of the time for compiling and checking. */
const CHECKING_PART = 0.6;
/** Kernels compiled at the same time. */
const WAVE = 4;
const MAX_ROUNDS = 5;
/** Shapes slower than the best by this factor are not timed again. */
const HOPELESS = 1.25;
const MIN_QUBITS = 14;
const MAX_QUBITS = 26;
/** Smaller copies would stay within the caches of a CPU. */
const MIN_COPY_QUBITS = 22;
/**
 * The measured state grows by this many qubits until a sweep takes `ENOUGH_MS`. It then exceeds the
 * caches of a GPU, without keeping software busy for seconds.
 */
const STEP_QUBITS = 3;
const ENOUGH_MS = 1;

/**
 * Returns the tuning of a device; measures it only if none is stored.
 *
 * @param shaders - The engine's shaders: a tuning is valid for one text of them.
 * @throws {StateMemoryError} if the device has no memory for the measurement.
 * @throws {GpuFaultError} if kernels fail or give wrong results.
 */
export async function deviceTuning(
  device: GPUDevice,
  shaders: ShaderSource,
  store: TuningStore,
  limits: TuningLimits = {},
): Promise<Tuning> {
  const key = tuningKey(device, shaders);
  const known = readTuning(store.get(key), device.limits);
  if (known !== undefined) return known;
  const tuning = await tuneDevice(new GpuContext(device, shaders), limits);
  store.set(key, tuning);
  return tuning;
}

/**
 * Measures copies and sweeps, and chooses the sizes.
 *
 * @throws {StateMemoryError} if the device has no memory for the states.
 * @throws {GpuFaultError} if kernels fail or give wrong results.
 */
export async function tuneDevice(
  context: GpuContext,
  { memoryBytes = Number.POSITIVE_INFINITY, limitMs }: TuningLimits = {},
): Promise<Tuning> {
  const { adapterInfo, limits } = context.device;
  const began = performance.now();
  const candidates = candidatesFor(limits);
  const largest = Math.floor(Math.log2(memoryBytes / 4 / AMPLITUDE_BYTES));
  const most = Math.max(MIN_QUBITS, Math.min(MAX_QUBITS, maxChunkQubits(limits), largest));
  const opened = await openBench(context, candidates[0]!, most);
  using bench = opened.bench;

  const started = performance.now();
  const allowed = limitMs ?? (adapterInfo.isFallbackAdapter ? SOFTWARE_LIMIT_MS : GPU_LIMIT_MS);
  const others = candidates.slice(1).filter((shape) => bench.holds(shape));
  const deadline = started + CHECKING_PART * allowed;
  const checked = await checkedShapes(bench, others, deadline, opened.slowestMs);
  const times = await timeInRounds(bench, opened, checked, started + allowed);
  const best = bestShape(times);
  const copyQubits = Math.min(most, Math.max(MIN_COPY_QUBITS, bench.numQubits));
  const copied = await copyRate(context, AMPLITUDE_BYTES * 2 ** copyQubits);
  const bytes = 2 * AMPLITUDE_BYTES * 2 ** bench.numQubits;
  return {
    ...best.shape,
    dispatchQubits: dispatchQubits(best, bench.numQubits),
    copyBytesPerSecond: Math.round(copied),
    sweepBytesPerSecond: Math.round((1000 * bytes) / best.oneGateMs),
    numMeasured: times.length,
    numCandidates: candidates.length,
    tookMs: Math.round(performance.now() - began),
  };
}

/** A state of sufficient size, and the default shape measured on it. */
interface OpenedBench {
  readonly bench: TuningBench;
  readonly first: CheckedShape;
  readonly firstTimes: ShapeTimes;
  /** Milliseconds of checking the shape when its kernel was new to the driver. */
  readonly slowestMs: number;
}

async function openBench(
  context: GpuContext,
  shape: TileShape,
  maxQubits: number,
): Promise<OpenedBench> {
  let slowestMs = 0;
  for (let numQubits = MIN_QUBITS; ; numQubits = Math.min(maxQubits, numQubits + STEP_QUBITS)) {
    const bench = await TuningBench.open(context, numQubits);
    try {
      const kernels = await bench.compile(shape);
      const checking = performance.now();
      const first = await bench.check(kernels);
      slowestMs = Math.max(slowestMs, performance.now() - checking);
      if (first === undefined) throw new GpuFaultError('a sweep computes what it should not');
      const firstTimes = await bench.time(first);
      if (firstTimes.oneGateMs >= ENOUGH_MS || numQubits === maxQubits) {
        return { bench, first, firstTimes, slowestMs };
      }
    } catch (error) {
      bench[Symbol.dispose]();
      throw error;
    }
    bench[Symbol.dispose]();
  }
}

/**
 * Checks shapes as long as there is time; returns the correct ones.
 *
 * @param slowestMs - Milliseconds that checking one may take, as far as is known.
 */
async function checkedShapes(
  bench: TuningBench,
  shapes: readonly TileShape[],
  deadline: number,
  slowestMs: number,
): Promise<readonly CheckedShape[]> {
  const checked: CheckedShape[] = [];
  let longestMs = slowestMs;
  const isTime = () => performance.now() + longestMs < deadline;
  for (let from = 0; from < shapes.length && isTime(); from += WAVE) {
    const wave = shapes.slice(from, from + WAVE);
    const compiling = wave.map((shape) => compiledBefore(deadline, bench.compile(shape)));
    for (const kernels of compiling) {
      const ready = await kernels;
      if (ready === undefined || !isTime()) continue;
      const checking = performance.now();
      const shape = await bench.check(ready);
      longestMs = Math.max(longestMs, performance.now() - checking);
      if (shape !== undefined) checked.push(shape);
    }
  }
  return checked;
}

/** Times all shapes, then the promising ones again while there is time. */
async function timeInRounds(
  bench: TuningBench,
  { first, firstTimes }: OpenedBench,
  others: readonly CheckedShape[],
  deadline: number,
): Promise<readonly [ShapeTimes, ...ShapeTimes[]]> {
  const shapes = [first, ...others];
  const times: [ShapeTimes, ...ShapeTimes[]] = [firstTimes];
  for (const shape of others) times.push(await bench.time(shape));
  for (let round = 1; round < MAX_ROUNDS && performance.now() < deadline; round++) {
    const hopeless = HOPELESS * Math.min(...times.map(meanMs));
    for (const [i, shape] of shapes.entries()) {
      const known = times[i]!;
      if (performance.now() >= deadline) break;
      if (meanMs(known) < hopeless) times[i] = leastOf(known, await bench.time(shape));
    }
  }
  return times;
}

/** Waits for kernels until a deadline; undefined if they are late or rejected. */
async function compiledBefore(
  deadline: number,
  compiling: Promise<SweepKernels>,
): Promise<SweepKernels | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([compiling, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The shorter of each pair of times, which was least disturbed by other load. */
function leastOf(a: ShapeTimes, b: ShapeTimes): ShapeTimes {
  return {
    ...a,
    oneGateMs: Math.min(a.oneGateMs, b.oneGateMs),
    manyGatesMs: Math.min(a.manyGatesMs, b.manyGatesMs),
  };
}
