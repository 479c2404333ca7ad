/**
 * The measured sizes of an adapter's kernels, the interface of their store, and the choice of the fastest measured
 * shape by arithmetic on measured times.
 */
import type { ShaderSource } from '../gpu-context.ts';
import { AMPLITUDE_BYTES } from '../gpu-state.ts';
import { DEFAULT_TILE_QUBITS, MIN_TILE_QUBITS } from '../gpu-target.ts';
import { REGISTER_QUBITS } from '../sweep/sweep-code.ts';
import { maxTileQubits, type TileShape, tileShape } from '../sweep/sweep-kernel.ts';

/** Sizes for one adapter, and the measured rates that led to them. */
export interface Tuning extends TileShape {
  /** log2 of the most amplitudes of a dispatch. */
  readonly dispatchQubits: number;
  /** Bytes read plus written per second when one buffer is copied to another. */
  readonly copyBytesPerSecond: number;
  /** Bytes read plus written per second by sweeps with one gate, on tiles of this shape. */
  readonly sweepBytesPerSecond: number;
  /** Number of measured shapes, the default one included. */
  readonly numMeasured: number;
  /** Number of shapes that fit the device; more than measured if time ran out. */
  readonly numCandidates: number;
  /** Milliseconds that tuning took. */
  readonly tookMs: number;
}

/** Stores tunings as plain JSON by key. Values may come from other versions. */
export interface TuningStore {
  get(key: string): unknown;
  set(key: string, tuning: Tuning): void;
}

/** log2 of the smallest worthwhile dispatch. */
const MIN_DISPATCH_QUBITS = 20;
/** log2 of an upper bound of a chunk's amplitudes. */
const MAX_DISPATCH_QUBITS = 30;

/** Shaders whose text affects the duration of a sweep. */
const TUNED_SHADERS: readonly string[] = ['lib/complex', 'lib/state_1', 'sweep'];

/** Key of a tuning: adapter, driver version, and text of the kernels. */
export function tuningKey({ adapterInfo, limits }: GPUDevice, shaders: ShaderSource): string {
  const { vendor, architecture, device, description } = adapterInfo;
  const texts = TUNED_SHADERS.map(shaders).join('\n');
  const parts = [vendor, architecture, device, description, maxTileQubits(limits), hashOf(texts)];
  return parts.join(' | ');
}

/** FNV-1a hash over UTF-16 units; avoids a library in browsers. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** Validates a stored value; undefined if it is no tuning that the device can use. */
export function readTuning(value: unknown, limits: GPUSupportedLimits): Tuning | undefined {
  const tileQubits = numberIn(value, 'tileQubits');
  const tuning: Tuning = {
    tileQubits,
    tilesPerGroup: numberIn(value, 'tilesPerGroup'),
    dispatchQubits: numberIn(value, 'dispatchQubits'),
    copyBytesPerSecond: numberIn(value, 'copyBytesPerSecond'),
    sweepBytesPerSecond: numberIn(value, 'sweepBytesPerSecond'),
    numMeasured: numberIn(value, 'numMeasured'),
    numCandidates: numberIn(value, 'numCandidates'),
    tookMs: numberIn(value, 'tookMs'),
  };
  const isWhole = [tuning.tileQubits, tuning.tilesPerGroup, tuning.dispatchQubits].every(
    Number.isInteger,
  );
  const hasRates = Object.values(tuning).every((number) => Number.isFinite(number) && number > 0);
  if (!isWhole || !hasRates) return undefined;
  const { dispatchQubits } = tuning;
  if (dispatchQubits < MIN_DISPATCH_QUBITS || dispatchQubits > MAX_DISPATCH_QUBITS)
    return undefined;
  const isTile = tileQubits >= MIN_TILE_QUBITS && fits(tuning, limits);
  return isTile ? tuning : undefined;
}

function numberIn(value: unknown, key: keyof Tuning): number {
  if (typeof value !== 'object' || value === null) return Number.NaN;
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'number' ? found : Number.NaN;
}

/**
 * Tile qubits and threads of a workgroup, most promising first: time may end before the last is
 * measured. Larger tiles save sweeps. Larger workgroups hide memory latency; smaller ones let more
 * of them run. A tile of fewer than 10 qubits would read memory in shorter runs.
 */
const SHAPES: readonly (readonly [tileQubits: number, workgroupSize: number])[] = [
  [11, 128],
  [12, 256],
  [10, 128],
  [11, 256],
  [13, 512],
  [10, 256],
];

/** The shape of a device that has not been tuned. */
function defaultShape(limits: GPUSupportedLimits): TileShape {
  return tileShape(Math.min(DEFAULT_TILE_QUBITS, maxTileQubits(limits)));
}

/** The shapes that a device's workgroups hold, the default one first. */
export function candidatesFor(limits: GPUSupportedLimits): readonly TileShape[] {
  const first = defaultShape(limits);
  const others = SHAPES.map((sizes) => tileShape(...sizes)).filter(
    (shape) =>
      fits(shape, limits) &&
      (shape.tileQubits !== first.tileQubits || shape.tilesPerGroup !== first.tilesPerGroup),
  );
  return [first, ...others];
}

/** Whether a device's workgroups hold the tiles of a shape. */
export function fits(
  { tileQubits, tilesPerGroup }: TileShape,
  limits: GPUSupportedLimits,
): boolean {
  const amplitudes = tilesPerGroup * 2 ** tileQubits;
  const threads = amplitudes / 2 ** REGISTER_QUBITS;
  return (
    Number.isInteger(Math.log2(tilesPerGroup)) &&
    amplitudes * AMPLITUDE_BYTES <= limits.maxComputeWorkgroupStorageSize &&
    threads <= limits.maxComputeInvocationsPerWorkgroup &&
    threads <= limits.maxComputeWorkgroupSizeX
  );
}

/** Durations of sweeps of one shape over the measured state, milliseconds. */
export interface ShapeTimes {
  readonly shape: TileShape;
  /** Sweep with one gate: little more than a trip through memory. */
  readonly oneGateMs: number;
  readonly manyGatesMs: number;
  /** Work of the sweep with many gates. */
  readonly manyGates: TileWork;
}

/** A shape must be this much faster than the default, beyond the noise of clocks. */
const WORTH_IT = 0.97;
/** Target duration of a dispatch: far below driver timeouts, far above its overhead. */
const DISPATCH_MS = 40;
/** Upper bound of the work of one sweep of the common circuits. */
const HEAVY: TileWork = { sweeps: 1, stages: 12, instructions: 110 };

/**
 * Estimated milliseconds of some work: its trips through memory, plus the measured time beyond a
 * trip, scaled half by stages and half by instructions.
 */
function workMs({ sweeps, stages, instructions }: TileWork, times: ShapeTimes): number {
  const { oneGateMs, manyGatesMs, manyGates } = times;
  const insideMs = Math.max(0, manyGatesMs - oneGateMs);
  const part =
    ((stages - sweeps) / (manyGates.stages - 1) + instructions / manyGates.instructions) / 2;
  return sweeps * oneGateMs + part * insideMs;
}

/** Geometric mean of the durations of the common circuits, milliseconds. */
export function meanMs(times: ShapeTimes): number {
  const logs = workOfTile(times.shape.tileQubits).map((work) => Math.log(workMs(work, times)));
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

/** The fastest shape; the first unless another is clearly faster. */
export function bestShape(measured: readonly [ShapeTimes, ...ShapeTimes[]]): ShapeTimes {
  const [first, ...others] = measured;
  let best = first;
  let leastMs = meanMs(first) * WORTH_IT;
  for (const times of others) {
    const ms = meanMs(times);
    if (ms >= leastMs) continue;
    best = times;
    leastMs = ms;
  }
  return best;
}

/**
 * log2 of the amplitudes of a dispatch whose heaviest sweeps take some tens of milliseconds.
 *
 * @param numQubits - Qubits of the measured state.
 */
export function dispatchQubits(times: ShapeTimes, numQubits: number): number {
  const qubits = numQubits + Math.floor(Math.log2(DISPATCH_MS / workMs(HEAVY, times)));
  return Math.min(MAX_DISPATCH_QUBITS, Math.max(MIN_DISPATCH_QUBITS, qubits));
}

// Work of the common circuits on tiles of each size. A larger tile may take longer for a sweep and
// still win, because circuits need fewer sweeps; which effect dominates depends on the device.

/** Work of one circuit. */
export interface TileWork {
  readonly sweeps: number;
  /** Stages of all sweeps. */
  readonly stages: number;
  /** Instructions of all stages. */
  readonly instructions: number;
}

/** Tile qubits of the first column. */
export const MIN_COUNTED_TILE = 8;

/**
 * Sweeps, stages and instructions at 30 qubits, for tiles of 8, 9, … 13 qubits, as the compiler and
 * `lowerSweep` make them of the circuits of bench/webgpu-circuits.ts. A sweep counts by the share of the state that
 * it works on: the first ones find most of it unwritten.
 */
export const COUNTED_WORK = {
  ghz: columns([1.3, 1.5, 1.3, 1, 1.3, 1], [4.1, 2, 1.8, 2.1, 1.8, 3], [3, 4, 4, 5, 4, 8]),
  qft: columns([1.3, 1.5, 1.3, 1, 1.3, 1], [1.5, 2, 1.5, 2.1, 1.5, 2], [4, 5, 5, 7, 6, 10]),
  qaoa: columns(
    [7.1, 6.1, 4.5, 5, 3, 3],
    [25.7, 26.9, 19.6, 27.3, 27.2, 36.1],
    [83, 96, 76, 105, 88, 98],
  ),
  adder: columns(
    [7.3, 6.5, 5.3, 4, 4.3, 3],
    [26.1, 21.1, 16.3, 17.2, 14.5, 18],
    [45, 47, 46, 45, 46, 51],
  ),
  rqc: columns(
    [9.1, 6.3, 5.1, 5, 3, 4],
    [38.3, 36.5, 27.4, 35.3, 26, 30.1],
    [129, 123, 109, 124, 90, 107],
  ),
} as const satisfies Record<string, readonly TileWork[]>;

/** Work of each common circuit on tiles of this size. */
function workOfTile(tileQubits: number): readonly TileWork[] {
  return Object.values(COUNTED_WORK).map((columns) => {
    const work = columns[tileQubits - MIN_COUNTED_TILE];
    if (work === undefined) throw new Error(`unreachable: no tile has ${tileQubits} qubits`);
    return work;
  });
}

function columns(
  sweeps: readonly number[],
  stages: readonly number[],
  instructions: readonly number[],
): readonly TileWork[] {
  return sweeps.map((count, i) => ({
    sweeps: count,
    stages: stages[i]!,
    instructions: instructions[i]!,
  }));
}
