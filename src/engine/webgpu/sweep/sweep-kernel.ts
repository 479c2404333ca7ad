/** The kernels that every sweep of every program runs on: shaders/sweep.wgsl for one size of tile. */
import type { GpuContext } from '../gpu-context.ts';
import { REGISTER_QUBITS } from './sweep-code.ts';

/** Of the struct Params of shaders/sweep.wgsl. */
export const PARAMS_BYTES = 32;

/** With fewer threads to a tile, a workgroup takes several tiles; where nothing was measured. */
const DEFAULT_WORKGROUP_SIZE = 64;
const BYTES_PER_AMPLITUDE = 8;
/** There are kernels for 1, 2, 4 and 8 chunks. */
const MAX_TILE_CHUNK_QUBITS = 3;

/** The kernel for tiles that hold some chunk qubits. */
export interface SweepKernel {
  readonly pipeline: GPUComputePipeline;
  /** Of group 0: the chunks. */
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

/** The most chunk qubits that a tile holds: a kernel binds their chunks, and a program. */
export function maxTileChunkQubits({
  maxStorageBuffersPerShaderStage,
}: GPUSupportedLimits): number {
  return Math.min(
    MAX_TILE_CHUNK_QUBITS,
    Math.floor(Math.log2(maxStorageBuffersPerShaderStage - 1)),
  );
}

/** A tile, and how many of them a workgroup works on side by side. */
export interface TileShape {
  readonly tileQubits: number;
  /** A power of two. */
  readonly tilesPerGroup: number;
}

/** Tiles that fill a workgroup of so many threads; one where a tile alone is more. */
export function tileShape(
  tileQubits: number,
  workgroupSize: number = DEFAULT_WORKGROUP_SIZE,
): TileShape {
  const threadQubits = tileQubits - REGISTER_QUBITS;
  return { tileQubits, tilesPerGroup: Math.max(1, workgroupSize >> threadQubits) };
}

/** The kernels of one shape of tiles; each is compiled when the first program asks for it. */
export class SweepKernels implements TileShape {
  readonly tileQubits: number;
  readonly tilesPerGroup: number;
  /** Of group 1: a program, and parameters whose position each dispatch sets. */
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
   * The kernel for tiles with so many chunk qubits.
   *
   * @throws {GpuFaultError} if the device does not take it.
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
