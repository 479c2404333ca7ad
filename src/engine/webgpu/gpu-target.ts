/**
 * Sizes of states, chunks and tiles on a device, the target profile of its programs, and how a device is opened: with
 * the adapter's full limits.
 */
import type { KernelCosts, TargetProfile } from '../../compiler/program.ts';
import { NoAdapterError } from '../errors.ts';
import { AMPLITUDE_BYTES } from './gpu-state.ts';
import {
  maxTileChunkQubits,
  maxTileQubits,
  type TileShape,
  tileShape,
} from './sweep/sweep-kernel.ts';

/** Largest state with distinct basis indices; 2^34 amplitudes are 128 GiB. */
export const MAX_GPU_QUBITS = 34;
/** Qubits of a tile on a device that has not been tuned. */
export const DEFAULT_TILE_QUBITS = 10;
/** Qubits of the shortest contiguous run of memory, 128 bytes; small tiles have shorter ones. */
const CONTIGUOUS_QUBITS = 4;
/** Width of the largest block. A block wider than a thread's registers uses workgroup memory. */
const MAX_DENSE_QUBITS = 6;
/** Smallest tile. */
export const MIN_TILE_QUBITS = 8;

/**
 * Costs of kernels for fusion, in units of a rotation. Of the sets that were tried on an NVIDIA
 * H100 none is the best for all circuits: random circuits and quantum volume take least with these,
 * `qaoa` with dearer blocks (docs/decisions/0008). bench/webgpu-kernel-costs.ts measures single
 * kernels, of which blocks cost more than here; but fewer kernels also need fewer stages.
 */
export const COSTS: KernelCosts = {
  dense: [0.1, 1, 1.7, 2.1, 8],
  pair: 1,
  diagonal: 0.5,
  permutation: 0.5,
  kernel: 0.1,
  // Wider ones take the detour through workgroup memory.
  permutationQubits: 4,
};

/** Optional sizes of states, tiles and chunks. */
export interface GpuSizes {
  /** Bytes for the states of a run together; a state that fits one chunk is always allowed. */
  readonly memoryBytes?: number;
  /**
   * Qubits of the largest state, which takes 8·2^n bytes; by default as `memoryBytes` allows, or
   * one chunk.
   */
  readonly maxQubits?: number;
  /**
   * Qubits of a tile, from 8 to the limit of the device's workgroups; by default as tuned, or 10.
   */
  readonly tileQubits?: number;
  /**
   * Qubits of a chunk, from a tile's to the limit of the device's bindings; the limit by default.
   */
  readonly chunkQubits?: number;
  /** Measured sizes of the device; sizes that are set take precedence. */
  readonly tuning?: MeasuredSizes;
}

/** Sizes that suit a device, as tuning measures them. */
export interface MeasuredSizes extends TileShape {
  /** log2 of the most amplitudes of one dispatch. */
  readonly dispatchQubits: number;
}

/** Dispatch size without a tuning: a sweep of a random circuit then takes lavapipe some 0.3 s. */
const DEFAULT_DISPATCH_QUBITS = 22;

/**
 * Qubits of the largest chunk that a device binds. One byte less than the reported buffer limit is
 * used, because a buffer of exactly that size fails on SwiftShader.
 */
export function maxChunkQubits({
  maxBufferSize,
  maxStorageBufferBindingSize,
}: GPUSupportedLimits): number {
  const bytes = Math.min(maxBufferSize - 1, maxStorageBufferBindingSize);
  return Math.floor(Math.log2(bytes / AMPLITUDE_BYTES));
}

/** Qubits of the widest state in this much memory. */
function maxGpuQubits(memoryBytes: number): number {
  return Math.min(MAX_GPU_QUBITS, Math.floor(Math.log2(memoryBytes / AMPLITUDE_BYTES)));
}

/**
 * Sizes of the tiles and dispatches of a device.
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
 * Target profile of programs for a device.
 *
 * @throws {RangeError} if the sizes exceed the device's limits.
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
    contiguousQubits: Math.min(CONTIGUOUS_QUBITS, tileQubits - MAX_DENSE_QUBITS),
    maxDenseQubits: MAX_DENSE_QUBITS,
    chunkQubits,
    tileChunkQubits: maxTileChunkQubits(limits),
    precision: 'f32',
    probesBetweenSweeps: true,
    costs: COSTS,
  };
}

function assertWithin(what: string, qubits: number, least: number, most: number): void {
  if (Number.isInteger(qubits) && qubits >= least && qubits <= most) return;
  throw new RangeError(`On this device ${what} has ${least} to ${most} qubits, not ${qubits}.`);
}

/** Limits that decide how large states and tiles may be. */
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
] as const;

/**
 * Opens the device of the adapter that `gpu` prefers.
 *
 * The caller must keep `gpu` as long as the device is used.
 *
 * @throws {NoAdapterError} if there is no adapter, or it provides no device.
 */
export async function openGpuDevice(gpu: GPU): Promise<GPUDevice> {
  try {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (adapter !== null) {
      const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
      return await adapter.requestDevice({ requiredLimits });
    }
  } catch (error) {
    throw new NoAdapterError({ cause: error });
  }
  throw new NoAdapterError();
}
