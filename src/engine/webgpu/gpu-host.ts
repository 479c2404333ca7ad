/**
 * The device, kernels and state memory that all programs of an engine share, and the part of a run's states that lies
 * on the device: a whole state, or a share of one that is spread over several devices.
 */
import { GpuContext, type ShaderSource, type WaitHook } from './gpu-context.ts';
import type { GpuProgram, PlacedDispatch, PlacedStep } from './gpu-program.ts';
import { AMPLITUDE_BYTES, type GpuState, type IdleLimits, StateChunks } from './gpu-state.ts';
import type { ChunkShape } from './sweep/index-bits.ts';
import type { SweepPlacing } from './sweep/place-sweep.ts';
import { ONE_CHUNK, SweepKernels, type TileShape } from './sweep/sweep-kernel.ts';

/** A device that is ready to run programs. */
export interface GpuHost {
  readonly context: GpuContext;
  readonly kernels: SweepKernels;
  readonly chunks: StateChunks;
  /** Buffer with the first amplitude of a new state on this device, to copy from. */
  readonly origin: GPUBuffer;
}

/** Options of `openGpuHost`. */
export interface GpuHostOptions {
  readonly device: GPUDevice;
  readonly shaders: ShaderSource;
  readonly onWait?: WaitHook | undefined;
  readonly tiles: TileShape;
  /** First amplitude of a new state on this device: 1, or 0 if another device holds |0…0⟩. */
  readonly origin: 0 | 1;
  /** Limits of the memory of states that no run uses. */
  readonly idle?: IdleLimits;
}

/**
 * Opens a host and compiles the kernel that most sweeps need. Others are compiled for the first
 * program that needs them.
 *
 * @throws {GpuFaultError} if the device rejects a kernel.
 */
export async function openGpuHost({
  device,
  shaders,
  onWait,
  tiles,
  origin,
  idle,
}: GpuHostOptions): Promise<GpuHost> {
  const context = new GpuContext(device, shaders, onWait);
  const { COPY_SRC, COPY_DST } = GPUBufferUsage;
  const first = await context.allocate('origin', AMPLITUDE_BYTES, COPY_SRC | COPY_DST);
  device.queue.writeBuffer(first, 0, Float32Array.of(origin, 0));
  const kernels = new SweepKernels(context, tiles);
  await kernels.kernel(ONE_CHUNK);
  return { context, kernels, chunks: new StateChunks(context, idle), origin: first };
}

/** One device's part of the states of a run: allocates and copies them, and enqueues the dispatches of sweeps. */
export class StatePart {
  readonly #host: GpuHost;
  readonly #program: GpuProgram;

  constructor(host: GpuHost, program: GpuProgram) {
    this.#host = host;
    this.#program = program;
  }

  get context(): GpuContext {
    return this.#host.context;
  }

  /** The work of a step; undefined if the device has none. */
  step(stepIndex: number): PlacedStep | undefined {
    return this.#program.steps[stepIndex];
  }

  /**
   * Creates a state. Its memory is valid as far as the next sweeps read it.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async create(): Promise<GpuState> {
    const { chunks, context, origin } = this.#host;
    const { shape, needsClearing } = this.#program;
    const state = await chunks.take(shape);
    context.enqueue((encoder) => {
      if (needsClearing) for (const chunk of state.chunks) encoder.clearBuffer(chunk);
      encoder.copyBufferToBuffer(origin, 0, state.chunks[0]!, 0, AMPLITUDE_BYTES);
    });
    return state;
  }

  /**
   * Creates a state with the same amplitudes.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async copy(state: GpuState): Promise<GpuState> {
    const copy = await this.#host.chunks.take(this.#program.shape);
    this.#host.context.enqueue((encoder) => {
      for (const [i, chunk] of state.chunks.entries()) {
        encoder.copyBufferToBuffer(chunk, 0, copy.chunks[i]!, 0, chunk.size);
      }
    });
    return copy;
  }

  /** Frees a state; the device may still be working on it. */
  release(state: GpuState): void {
    this.#host.chunks.give(state);
  }

  /** Begins a step by reordering the chunks. */
  begin({ chunks }: GpuState, { chunkOrder }: PlacedStep): void {
    if (chunkOrder === undefined) return;
    chunks.splice(0, chunks.length, ...chunkOrder.map((i) => chunks[i]!));
  }

  /** Encodes a dispatch of a step that has begun. */
  enqueue({ chunks }: GpuState, dispatch: PlacedDispatch): void {
    const { kernel, bindings, offsets, row, numRows } = dispatch;
    const bound = dispatch.chunks.map((chunk) => chunks[chunk]!);
    const group = this.#host.chunks.group(bound, kernel.chunks);
    this.#host.context.enqueueKernels((pass) => {
      pass.setPipeline(kernel.pipeline);
      pass.setBindGroup(0, group);
      pass.setBindGroup(1, bindings, offsets);
      pass.dispatchWorkgroups(row, numRows);
    });
  }
}

/**
 * The sizes that a host's sweeps are compiled for.
 *
 * @param dispatchQubits - log2 of the most amplitudes of a dispatch.
 */
export function placingOn(
  { kernels: { tileQubits, tilesPerGroup } }: GpuHost,
  shape: ChunkShape,
  dispatchQubits: number,
  indexBits: number,
): SweepPlacing {
  const maxTiles = 2 ** Math.max(0, dispatchQubits - tileQubits);
  return { shape, tileQubits, tilesPerGroup, maxTiles, indexBits };
}

/** Ends all work and destroys the device. */
export async function closeGpuHost({ context, chunks }: GpuHost): Promise<void> {
  await context.abandon();
  chunks.close();
  context.device.destroy();
}
