/** The measured sizes of an adapter's kernels, and the interface of their store. */
import type { ShaderSource } from '../gpu-context.ts';
import { AMPLITUDE_BYTES } from '../gpu-state.ts';
import { DEFAULT_TILE_QUBITS, MIN_TILE_QUBITS } from '../gpu-target.ts';
import { REGISTER_QUBITS } from '../sweep/sweep-code.ts';
import { maxTileQubits, type TileShape, tileShape } from '../sweep/sweep-kernel.ts';

/** Sizes for one adapter, and the rates by which they were chosen. */
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
export const MIN_DISPATCH_QUBITS = 20;
/** log2 of an upper bound of a chunk's amplitudes. */
export const MAX_DISPATCH_QUBITS = 30;

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

/** Whether a device's workgroups hold so many tiles of that size. */
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
