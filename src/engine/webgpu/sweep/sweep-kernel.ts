/**
 * The kernels that run every sweep of every program: shaders/sweep.wgsl, compiled for one size of
 * tiles.
 */
import type { GpuContext } from '../gpu-context.ts';
import { REGISTER_QUBITS } from './sweep-code.ts';

/** Bytes of the struct Params of shaders/sweep.wgsl. */
export const PARAMS_BYTES = 32;
/**
 * Bytes of the longest program that lies in uniform memory, as every device binds it. Kernels read
 * it faster than storage.
 */
export const UNIFORM_BYTES = 2 ** 16;

/**
 * Threads of a workgroup on a device that has not been tuned; a workgroup takes several small
 * tiles.
 */
const DEFAULT_WORKGROUP_SIZE = 64;
const BYTES_PER_AMPLITUDE = 8;
/** log2 of the most chunks of a tile: there are kernels for 1, 2, 4 and 8. */
const MAX_TILE_CHUNK_QUBITS = 3;

/** Properties of a sweep that need a kernel of their own. */
export interface SweepKind {
  readonly tileChunkQubits: number;
  /** Whether the program may be longer than `UNIFORM_BYTES`. */
  readonly isLong: boolean;
}

/** Sweeps of a state in one chunk, with a program that fits uniform memory: most of them. */
export const ONE_CHUNK: SweepKind = { tileChunkQubits: 0, isLong: false };

/** The kernel for sweeps of one kind. */
export interface SweepKernel extends SweepKind {
  readonly pipeline: GPUComputePipeline;
  /** Layout of bind group 0, the chunks. */
  readonly chunks: GPUBindGroupLayout;
  /** Layout of bind group 1: a program and parameters, each at a dynamic offset. */
  readonly program: GPUBindGroupLayout;
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
  readonly #context: GpuContext;
  /** Layouts of a short program and of a long one. */
  readonly #programs: readonly [GPUBindGroupLayout, GPUBindGroupLayout];
  readonly #chunks: readonly GPUBindGroupLayout[];

  constructor(context: GpuContext, { tileQubits, tilesPerGroup }: TileShape) {
    this.tileQubits = tileQubits;
    this.tilesPerGroup = tilesPerGroup;
    this.#context = context;
    const { device } = context;
    const visibility = GPUShaderStage.COMPUTE;
    const programIn = (type: GPUBufferBindingType) =>
      device.createBindGroupLayout({
        label: 'sweep program',
        entries: [
          { binding: 0, visibility, buffer: { type, hasDynamicOffset: true } },
          { binding: 1, visibility, buffer: { type: 'uniform', hasDynamicOffset: true } },
        ],
      });
    this.#programs = [programIn('uniform'), programIn('read-only-storage')];
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
   * Compiles the kernel for sweeps of a kind.
   *
   * @throws {GpuFaultError} if the device rejects it.
   */
  async kernel({ tileChunkQubits, isLong }: SweepKind): Promise<SweepKernel> {
    const chunks = this.#chunks[tileChunkQubits];
    if (chunks === undefined) throw new Error('unreachable: more chunks than a kernel binds');
    const threadQubits = this.tileQubits - REGISTER_QUBITS;
    const constants = {
      THREAD_QUBITS: threadQubits,
      TILES: this.tilesPerGroup,
      WORKGROUP_SIZE: this.tilesPerGroup << threadQubits,
    };
    const program = this.#programs[isLong ? 1 : 0];
    const bindGroupLayouts = [chunks, program];
    const layout = this.#context.device.createPipelineLayout({ bindGroupLayouts });
    const texts = [
      'lib/complex',
      isLong ? 'lib/program_in_storage' : 'lib/program_in_uniforms',
      `lib/state_${2 ** tileChunkQubits}`,
      'sweep',
    ];
    const pipeline = await this.#context.pipeline(texts, constants, layout);
    return { tileChunkQubits, isLong, pipeline, chunks, program };
  }
}
