/**
 * The WebGPU engine: WGSL kernels on one device, in single precision.
 *
 * A state lies in one buffer, so it is as wide as a kernel may bind. The engine runs one program at
 * a time; work is given to the device ahead and waited for where something is read.
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
import { placeProgram } from './gpu-program.ts';
import { type GpuHost, GpuStates } from './gpu-states.ts';
import { StateBuffers } from './state-buffers.ts';
import { maxTileQubits, openSweepKernel } from './sweep-kernel.ts';
import { WorkWindow } from './work-window.ts';

/** Masks of qubits are signed 32-bit numbers. */
const MAX_GPU_QUBITS = 30;
const BYTES_PER_AMPLITUDE = 8;
const DEFAULT_TILE_QUBITS = 10;
/** Memory is read in runs of 128 bytes. */
const CONTIGUOUS_QUBITS = 4;
/** What a thread holds in registers. */
const MAX_DENSE_QUBITS = 4;
/** Room for a dense block and the contiguous qubits. */
const MIN_TILE_QUBITS = CONTIGUOUS_QUBITS + MAX_DENSE_QUBITS;

/** How the engine is opened. */
export interface WebGpuEngineOptions {
  /** The engine's own from then on: closing the engine destroys it. */
  readonly device: GPUDevice;
  readonly shaders: ShaderSource;
  /** As wide as the device binds unless told otherwise; n qubits take 8·2^n bytes. */
  readonly maxQubits?: number;
  /** For the states that a run holds at once; one is always allowed. Unlimited by default. */
  readonly memoryBytes?: number;
  /** Qubits of a tile, from 8 to what the device's workgroups hold; 10, or the most below it. */
  readonly tileQubits?: number;
}

/** The widest state that a device binds as one buffer. */
export function maxGpuQubits({
  maxBufferSize,
  maxStorageBufferBindingSize,
}: GPUSupportedLimits): number {
  const bytes = Math.min(maxBufferSize, maxStorageBufferBindingSize);
  return Math.min(MAX_GPU_QUBITS, Math.floor(Math.log2(bytes / BYTES_PER_AMPLITUDE)));
}

/**
 * What programs for the engine are compiled for. Costs are those of a GPU, where arithmetic on
 * registers is nearly free against a trip through memory.
 */
function gpuTarget(maxQubits: number, tileQubits: number): TargetProfile {
  return {
    maxQubits,
    tileQubits,
    contiguousQubits: CONTIGUOUS_QUBITS,
    maxDenseQubits: MAX_DENSE_QUBITS,
    chunkQubits: maxQubits,
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
  const { device, shaders } = options;
  const widest = maxGpuQubits(device.limits);
  const { maxQubits = widest } = options;
  if (maxQubits > widest) {
    throw new RangeError(`This device holds at most ${widest} qubits in one buffer.`);
  }
  const largest = maxTileQubits(device.limits);
  const { tileQubits = Math.min(DEFAULT_TILE_QUBITS, largest) } = options;
  if (!Number.isInteger(tileQubits) || tileQubits < MIN_TILE_QUBITS || tileQubits > largest) {
    throw new RangeError(`On this device a tile has ${MIN_TILE_QUBITS} to ${largest} qubits.`);
  }
  const context = new GpuContext(device, shaders);
  const one = await context.allocate(
    'one',
    BYTES_PER_AMPLITUDE,
    GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  );
  device.queue.writeBuffer(one, 0, Float32Array.of(1, 0));
  const host: GpuHost = {
    context,
    kernel: await openSweepKernel(context, tileQubits),
    buffers: new StateBuffers(context),
    window: new WorkWindow(),
    one,
  };
  return new WebGpuEngine(host, gpuTarget(maxQubits, tileQubits), options.memoryBytes);
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
    const plan = planRun(program, () => 1);
    const placed = await placeProgram(host.context, host.kernel, program);
    const budget = stateBudget(placed.numQubits, BYTES_PER_AMPLITUDE, this.#memoryBytes);
    const operations = (pacer: Pacer) => new GpuStates(host, placed, program.finalLayout, pacer);
    let isDisposed = false;
    return {
      run: (request, signal) =>
        this.#turns.take(() => {
          if (isDisposed) throw new ClosedError();
          return this.#run(() => runProgram({ plan, budget, operations }, request, signal));
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
      const { context, buffers } = this.#host;
      await context.abandon();
      buffers.close();
      context.device.destroy();
    });
  }

  /** Nothing that a run computed is given out before the device says that all of it was done. */
  async #run(run: () => Promise<RunResult>): Promise<RunResult> {
    const { context, buffers } = this.#host;
    try {
      const result = await run();
      await context.settle();
      return result;
    } catch (error) {
      await context.abandon();
      throw error;
    } finally {
      buffers.trim(1);
    }
  }
}
