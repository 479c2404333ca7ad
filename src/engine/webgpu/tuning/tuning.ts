/** What an adapter's kernels are sized by, as it was measured, and where that is kept. */
import type { ShaderSource } from '../gpu-context.ts';
import { MIN_TILE_QUBITS } from '../gpu-target.ts';
import { maxTileQubits, type TileShape } from '../sweep/sweep-kernel.ts';
import { fits } from './candidates.ts';

/** Sizes for one adapter, and the rates by which they were chosen. */
export interface Tuning extends TileShape {
  /** A dispatch has so many amplitudes at most, as a power of two. */
  readonly dispatchQubits: number;
  /** Read plus written a second when one buffer is copied to another, bytes. */
  readonly copyBytesPerSecond: number;
  /** The same of sweeps with one gate, on tiles of this shape. */
  readonly sweepBytesPerSecond: number;
  /** Shapes that were measured; the first is the one that is used without a tuning. */
  readonly numMeasured: number;
  /** Shapes that the device's workgroups hold: more than measured where time ran out. */
  readonly numCandidates: number;
  /** What measuring took, milliseconds. */
  readonly tookMs: number;
}

/** Keeps tunings as plain JSON values by key; a value may be anything that was ever written there. */
export interface TuningStore {
  get(key: string): unknown;
  set(key: string, tuning: Tuning): void;
}

/** The least amplitudes of a dispatch that are worth one. */
export const MIN_DISPATCH_QUBITS = 20;
/** More than any chunk has. */
export const MAX_DISPATCH_QUBITS = 30;

/** Shaders whose text decides how long a sweep takes. */
const TUNED_SHADERS: readonly string[] = ['lib/complex', 'lib/state_1', 'sweep'];

/** What a tuning holds for: one adapter, one version of its driver, one text of the kernels. */
export function tuningKey({ adapterInfo, limits }: GPUDevice, shaders: ShaderSource): string {
  const { vendor, architecture, device, description } = adapterInfo;
  const texts = TUNED_SHADERS.map(shaders).join('\n');
  const parts = [vendor, architecture, device, description, maxTileQubits(limits), hashOf(texts)];
  return parts.join(' | ');
}

/** FNV-1a over UTF-16 units, which a browser has no need of a library for. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** A stored value as a tuning; undefined if it is none, or not one that the device can use. */
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
