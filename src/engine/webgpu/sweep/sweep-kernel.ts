/**
 * The kernels that run every sweep of every program: shaders/sweep.wgsl, compiled for one size of
 * tiles.
 */
import type { GpuContext } from '../gpu-context.ts';
import { REGISTER_QUBITS } from './sweep-code.ts';

/** Bytes of the struct Params of shaders/sweep.wgsl. */
export const PARAMS_BYTES = 32;

/**
 * Threads of a workgroup on a device that has not been tuned; a workgroup takes several small
 * tiles.
 */
const DEFAULT_WORKGROUP_SIZE = 64;
const BYTES_PER_AMPLITUDE = 8;
/** log2 of the most chunks of a tile: there are kernels for 1, 2, 4 and 8. */
const MAX_TILE_CHUNK_QUBITS = 3;

/** The kernel for tiles with a certain number of chunk qubits. */
export interface SweepKernel {
  readonly pipeline: GPUComputePipeline;
  /** Layout of bind group 0, the chunks. */
  readonly chunks: GPUBindGroupLayout;
}

/** The largest tile that a device's workgroups hold. */
export function maxTileQubits({
  maxComputeWorkgroupStorageSize,
  maxComputeInvocationsPerWorkgroup,
}: GPUSupportedLimits): number {
  return Math.min(
    Math.floor(Math.log2(maxComputeWorkgroupStorageSize / BYTES_PER_AMPLITUDE)),
    REGISTER_QUBITS + Math.floor(Math.log2(maxComputeInvocationsPerWorkgroup)),
  );
}

/** Most chunk qubits of a tile: a kernel binds their chunks, and a program. */
export function maxTileChunkQubits({
  maxStorageBuffersPerShaderStage,
}: GPUSupportedLimits): number {
  return Math.min(
    MAX_TILE_CHUNK_QUBITS,
    Math.floor(Math.log2(maxStorageBuffersPerShaderStage - 1)),
  );
}

/** Size of a tile, and number of tiles that a workgroup processes side by side. */
export interface TileShape {
  readonly tileQubits: number;
  /** A power of two. */
  readonly tilesPerGroup: number;
}

/** Shape in which tiles fill a workgroup of this many threads; one tile if a tile is larger. */
export function tileShape(
  tileQubits: number,
  workgroupSize: number = DEFAULT_WORKGROUP_SIZE,
): TileShape {
  const threadQubits = tileQubits - REGISTER_QUBITS;
  return { tileQubits, tilesPerGroup: Math.max(1, workgroupSize >> threadQubits) };
}

/** Kernels of one shape of tiles, each compiled at its first use. */
export class SweepKernels implements TileShape {
  readonly tileQubits: number;
  readonly tilesPerGroup: number;
  /** Layout of bind group 1: a program, and parameters at a dynamic offset. */
  readonly program: GPUBindGroupLayout;
  readonly #context: GpuContext;
  readonly #chunks: readonly GPUBindGroupLayout[];

  constructor(context: GpuContext, { tileQubits, tilesPerGroup }: TileShape) {
    this.tileQubits = tileQubits;
    this.tilesPerGroup = tilesPerGroup;
    this.#context = context;
    const { device } = context;
    const visibility = GPUShaderStage.COMPUTE;
    this.program = device.createBindGroupLayout({
      label: 'sweep program',
      entries: [
        { binding: 0, visibility, buffer: { type: 'read-only-storage' } },
        { binding: 1, visibility, buffer: { type: 'uniform', hasDynamicOffset: true } },
      ],
    });
    const numLayouts = 1 + maxTileChunkQubits(device.limits);
    this.#chunks = Array.from({ length: numLayouts }, (_, chunkQubits) =>
      device.createBindGroupLayout({
        label: 'sweep chunks',
        entries: Array.from({ length: 2 ** chunkQubits }, (_, binding) => ({
          binding,
          visibility,
          buffer: { type: 'storage' },
        })),
      }),
    );
  }

  /**
   * Compiles the kernel for tiles with this many chunk qubits.
   *
   * @throws {GpuFaultError} if the device rejects it.
   */
  async kernel(tileChunkQubits: number): Promise<SweepKernel> {
    const chunks = this.#chunks[tileChunkQubits];
    if (chunks === undefined) throw new Error('unreachable: more chunks than a kernel binds');
    const threadQubits = this.tileQubits - REGISTER_QUBITS;
    const constants = {
      THREAD_QUBITS: threadQubits,
      TILES: this.tilesPerGroup,
      WORKGROUP_SIZE: this.tilesPerGroup << threadQubits,
    };
    const bindGroupLayouts = [chunks, this.program];
    const layout = this.#context.device.createPipelineLayout({ bindGroupLayouts });
    const texts = ['lib/complex', `lib/state_${2 ** tileChunkQubits}`, 'sweep'];
    return { pipeline: await this.#context.pipeline(texts, constants, layout), chunks };
  }
}
