/** How wide a device's states are, how they are cut, and what programs are compiled for. */
import type { KernelCosts, TargetProfile } from '../../compiler/program.ts';
import { AMPLITUDE_BYTES } from './gpu-state.ts';
import {
  maxTileChunkQubits,
  maxTileQubits,
  type TileShape,
  tileShape,
} from './sweep/sweep-kernel.ts';

/** Basis indices are told apart up to here; 2^34 amplitudes are 128 GiB. */
export const MAX_GPU_QUBITS = 34;
/** Of a tile where nothing was measured. */
export const DEFAULT_TILE_QUBITS = 10;
/** Memory is read in runs of 128 bytes. */
const CONTIGUOUS_QUBITS = 4;
/** A block on more qubits than a thread has registers for goes through workgroup memory. */
const MAX_DENSE_QUBITS = 6;
/** A smaller tile takes narrower blocks. */
export const MIN_TILE_QUBITS = 8;

/**
 * In units of a rotation, as bench/webgpu-kernel-costs.ts finds them on a software driver; no GPU has been
 * measured. A block on two or three qubits is always a matrix on all four that are in registers.
 */
const COSTS: KernelCosts = {
  dense: [0.1, 1, 20, 20],
  diagonal: 1.4,
  permutation: 1.2,
  kernel: 0.1,
};

/** Sizes to choose; each has a default. */
export interface GpuSizes {
  /** For the states that a run holds at once; one that fits in one chunk is always allowed. */
  readonly memoryBytes?: number;
  /** As wide as the memory allows unless told otherwise, or one chunk; n qubits take 8·2^n bytes. */
  readonly maxQubits?: number;
  /** Qubits of a tile, from 8 to what the device's workgroups hold; as tuned, or 10. */
  readonly tileQubits?: number;
  /** Qubits of a chunk, from a tile's to what the device binds; that by default. */
  readonly chunkQubits?: number;
  /** What was measured on the device; sizes that are set win over it. */
  readonly tuning?: MeasuredSizes;
}

/** Sizes that suit a device, as its tuning finds them. */
export interface MeasuredSizes extends TileShape {
  /** Amplitudes of one dispatch at most, as a power of two. */
  readonly dispatchQubits: number;
}

/** Without a tuning. A sweep of a random circuit over so many takes lavapipe some 0.3 s. */
const DEFAULT_DISPATCH_QUBITS = 22;

/**
 * The largest chunk that a device binds. Drivers are not to be believed for a buffer as large as
 * they say: SwiftShader's fails.
 */
export function maxChunkQubits({
  maxBufferSize,
  maxStorageBufferBindingSize,
}: GPUSupportedLimits): number {
  const bytes = Math.min(maxBufferSize - 1, maxStorageBufferBindingSize);
  return Math.floor(Math.log2(bytes / AMPLITUDE_BYTES));
}

/** The widest state in so much memory. */
export function maxGpuQubits(memoryBytes: number): number {
  return Math.min(MAX_GPU_QUBITS, Math.floor(Math.log2(memoryBytes / AMPLITUDE_BYTES)));
}

/**
 * The tiles and dispatches of a device's kernels.
 *
 * @throws {RangeError} if the device's workgroups do not hold such tiles.
 */
export function kernelSizes(limits: GPUSupportedLimits, sizes: GpuSizes): MeasuredSizes {
  const largest = maxTileQubits(limits);
  const { tuning } = sizes;
  const { tileQubits = tuning?.tileQubits ?? Math.min(DEFAULT_TILE_QUBITS, largest) } = sizes;
  assertWithin('a tile', tileQubits, MIN_TILE_QUBITS, largest);
  const dispatchQubits = tuning?.dispatchQubits ?? DEFAULT_DISPATCH_QUBITS;
  const shape = tuning?.tileQubits === tileQubits ? tuning : tileShape(tileQubits);
  return { tileQubits, tilesPerGroup: shape.tilesPerGroup, dispatchQubits };
}

/**
 * What programs for a device are compiled for.
 *
 * @throws {RangeError} if it is to hold more qubits, or larger tiles or chunks, than the device can.
 */
export function gpuTarget(limits: GPUSupportedLimits, sizes: GpuSizes): TargetProfile {
  const { tileQubits } = kernelSizes(limits, sizes);
  const largestChunk = maxChunkQubits(limits);
  const { chunkQubits = largestChunk } = sizes;
  assertWithin('a chunk', chunkQubits, tileQubits, largestChunk);
  const { memoryBytes } = sizes;
  const inMemory = memoryBytes === undefined ? chunkQubits : maxGpuQubits(memoryBytes);
  const { maxQubits = inMemory } = sizes;
  assertWithin('a state', maxQubits, 1, Math.max(inMemory, chunkQubits));
  return {
    maxQubits,
    tileQubits,
    contiguousQubits: CONTIGUOUS_QUBITS,
    maxDenseQubits: Math.min(MAX_DENSE_QUBITS, tileQubits - CONTIGUOUS_QUBITS),
    chunkQubits,
    tileChunkQubits: maxTileChunkQubits(limits),
    precision: 'f32',
    costs: COSTS,
  };
}

function assertWithin(what: string, qubits: number, least: number, most: number): void {
  if (Number.isInteger(qubits) && qubits >= least && qubits <= most) return;
  throw new RangeError(`On this device ${what} has ${least} to ${most} qubits, not ${qubits}.`);
}
