/**
 * The WebGPU engine: WGSL kernels on one device, in single precision.
 *
 * A state larger than what a kernel may bind lies in chunks. The engine runs one program at a time;
 * work is given to the device ahead and waited for where something is read.
 */
import type { Program, TargetProfile } from '../../compiler/program.ts';
import type { Engine, Executable, RunResult } from '../engine.ts';
import { ClosedError, ProgramTooWideError } from '../errors.ts';
import type { Pacer } from '../pacer.ts';
import { planRun } from '../run-plan.ts';
import { runProgram } from '../run-program.ts';
import { stateBudget } from '../state-budget.ts';
import { Turns } from '../turns.ts';
import { GpuContext, type ShaderSource } from './gpu-context.ts';
import { type GpuProgram, placeProgram } from './gpu-program.ts';
import { AMPLITUDE_BYTES } from './gpu-state.ts';
import { type GpuHost, GpuStates } from './gpu-states.ts';
import { StateChunks } from './state-chunks.ts';
import { exchangeParts } from './sweep/exchange-sweeps.ts';
import { maxTileChunkQubits, maxTileQubits, SweepKernels } from './sweep/sweep-kernel.ts';
import { WorkWindow } from './work-window.ts';

/** Basis indices are told apart up to here; 2^34 amplitudes are 128 GiB. */
export const MAX_GPU_QUBITS = 34;
const DEFAULT_TILE_QUBITS = 10;
/** Memory is read in runs of 128 bytes. */
const CONTIGUOUS_QUBITS = 4;
/** A block on more qubits than a thread has registers for goes through workgroup memory. */
const MAX_DENSE_QUBITS = 6;
/** A smaller tile takes narrower blocks. */
const MIN_TILE_QUBITS = 8;
/** Amplitudes of one dispatch, as a power of two: a dispatch of them stays well under a second. */
const DISPATCH_QUBITS = 24;

/** How the engine is opened. */
export interface WebGpuEngineOptions {
  /** The engine's own from then on: closing the engine destroys it. */
  readonly device: GPUDevice;
  readonly shaders: ShaderSource;
  /** For the states that a run holds at once; one that fits in one chunk is always allowed. */
  readonly memoryBytes?: number;
  /** As wide as the memory allows unless told otherwise, or one chunk; n qubits take 8·2^n bytes. */
  readonly maxQubits?: number;
  /** Qubits of a tile, from 8 to what the device's workgroups hold; 10, or the most below it. */
  readonly tileQubits?: number;
  /** Qubits of a chunk, from a tile's to what the device binds; that by default. */
  readonly chunkQubits?: number;
}

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
 * What programs for the engine are compiled for. Costs are those of a GPU, where arithmetic on
 * registers is nearly free against a trip through memory.
 */
function gpuTarget(
  sizes: Pick<TargetProfile, 'maxQubits' | 'tileQubits' | 'chunkQubits' | 'tileChunkQubits'>,
): TargetProfile {
  return {
    ...sizes,
    contiguousQubits: CONTIGUOUS_QUBITS,
    maxDenseQubits: Math.min(MAX_DENSE_QUBITS, sizes.tileQubits - CONTIGUOUS_QUBITS),
    precision: 'f32',
    costs: { dense: [0.1, 1, 10, 30], diagonal: 1, permutation: 1, kernel: 0.1 },
  };
}

/**
 * Opens the engine and compiles its kernels.
 *
 * @throws {RangeError} if it is to hold more qubits, or larger tiles, than the device can.
 * @throws {GpuFaultError} if the device does not take the kernels.
 */
export async function openWebGpuEngine(options: WebGpuEngineOptions): Promise<Engine> {
  const { device, shaders, memoryBytes } = options;
  const { tileQubits, chunkQubits } = sizesFor(device.limits, options);
  const widest = memoryBytes === undefined ? MAX_GPU_QUBITS : maxGpuQubits(memoryBytes);
  const { maxQubits = memoryBytes === undefined ? chunkQubits : widest } = options;
  if (maxQubits > Math.max(widest, chunkQubits)) {
    throw new RangeError(`This device's memory holds at most ${widest} qubits.`);
  }
  const context = new GpuContext(device, shaders);
  const one = await context.allocate(
    'one',
    AMPLITUDE_BYTES,
    GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  );
  device.queue.writeBuffer(one, 0, Float32Array.of(1, 0));
  const kernels = new SweepKernels(context, tileQubits);
  const host: GpuHost = {
    context,
    kernels,
    chunks: new StateChunks(context),
    window: new WorkWindow(),
    one,
  };
  // Those for more chunks wait for a program that has them.
  await kernels.kernel(0);
  const tileChunkQubits = maxTileChunkQubits(device.limits);
  const target = gpuTarget({ maxQubits, tileQubits, chunkQubits, tileChunkQubits });
  return new WebGpuEngine(host, target, memoryBytes);
}

/** @throws {RangeError} */
function sizesFor(
  limits: GPUSupportedLimits,
  options: WebGpuEngineOptions,
): Pick<TargetProfile, 'tileQubits' | 'chunkQubits'> {
  const largestTile = maxTileQubits(limits);
  const { tileQubits = Math.min(DEFAULT_TILE_QUBITS, largestTile) } = options;
  if (!isWithin(tileQubits, MIN_TILE_QUBITS, largestTile)) {
    throw new RangeError(`On this device a tile has ${MIN_TILE_QUBITS} to ${largestTile} qubits.`);
  }
  const largestChunk = maxChunkQubits(limits);
  const { chunkQubits = largestChunk } = options;
  if (!isWithin(chunkQubits, tileQubits, largestChunk)) {
    throw new RangeError(`On this device a chunk has ${tileQubits} to ${largestChunk} qubits.`);
  }
  return { tileQubits, chunkQubits };
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

class WebGpuEngine implements Engine {
  readonly name = 'webgpu';
  readonly target: TargetProfile;
  readonly #host: GpuHost;
  readonly #memoryBytes: number;
  readonly #turns = new Turns();
  #isClosed = false;

  constructor(host: GpuHost, target: TargetProfile, memoryBytes = Number.POSITIVE_INFINITY) {
    this.#host = host;
    this.target = target;
    this.#memoryBytes = memoryBytes;
  }

  async prepare(program: Program): Promise<Executable> {
    if (this.#isClosed) throw new ClosedError();
    if (program.numQubits > this.target.maxQubits) {
      throw new ProgramTooWideError(program.numQubits, this.target.maxQubits, 'webgpu');
    }
    const host = this.#host;
    const { tileQubits, tilesPerGroup } = host.kernels;
    const numQubits = Math.max(program.numQubits, tileQubits);
    const shape = { numQubits, chunkQubits: Math.min(numQubits, this.target.chunkQubits) };
    const maxTiles = 2 ** Math.max(0, DISPATCH_QUBITS - tileQubits);
    const placing = { shape, tileQubits, tilesPerGroup, maxTiles };
    const { tileChunkQubits = 0 } = this.target;
    const plan = planRun(program, (step) =>
      step.kind === 'sweep' ? 1 : exchangeParts(step, shape, tileChunkQubits).sweeps.length,
    );
    const placed = await placeProgram(host.context, host.kernels, program, placing);
    const budget = stateBudget(numQubits, AMPLITUDE_BYTES, this.#memoryBytes);
    const operations = (pacer: Pacer) => new GpuStates(host, placed, program.finalLayout, pacer);
    let isDisposed = false;
    return {
      run: (request, signal) =>
        this.#turns.take(() => {
          if (isDisposed) throw new ClosedError();
          return this.#run(placed, () => runProgram({ plan, budget, operations }, request, signal));
        }, signal),
      [Symbol.asyncDispose]: () =>
        this.#turns.takeLast(() => {
          if (!isDisposed) placed.destroy();
          isDisposed = true;
        }),
    };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#turns.close(async () => {
      const { context, chunks } = this.#host;
      await context.abandon();
      chunks.close();
      context.device.destroy();
    });
  }

  /** Nothing that a run computed is given out before the device says that all of it was done. */
  async #run({ shape }: GpuProgram, run: () => Promise<RunResult>): Promise<RunResult> {
    const { context, chunks } = this.#host;
    try {
      const result = await run();
      await context.settle();
      return result;
    } catch (error) {
      await context.abandon();
      throw error;
    } finally {
      chunks.trim(2 ** (shape.numQubits - shape.chunkQubits));
    }
  }
}
