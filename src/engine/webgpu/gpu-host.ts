/** The device, kernels and state memory that all programs of an engine share. */
import { GpuContext, type ShaderSource, type WaitHook } from './gpu-context.ts';
import { AMPLITUDE_BYTES } from './gpu-state.ts';
import { type IdleLimits, StateChunks } from './state-chunks.ts';
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
