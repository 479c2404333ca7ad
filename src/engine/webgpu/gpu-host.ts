/** What all programs of a device share. */
import { GpuContext, type Rest, type ShaderSource } from './gpu-context.ts';
import { AMPLITUDE_BYTES } from './gpu-state.ts';
import { StateChunks } from './state-chunks.ts';
import { SweepKernels, type TileShape } from './sweep/sweep-kernel.ts';

/** A device that is ready for programs. */
export interface GpuHost {
  readonly context: GpuContext;
  readonly kernels: SweepKernels;
  readonly chunks: StateChunks;
  /** The first amplitude of a new state on this device, to copy from. */
  readonly origin: GPUBuffer;
}

/** What a device is made ready for. */
export interface GpuHostOptions {
  readonly device: GPUDevice;
  readonly shaders: ShaderSource;
  readonly rest?: Rest | undefined;
  readonly tiles: TileShape;
  /** 1 where the device holds |0…0⟩ of a new state, 0 where another one does. */
  readonly origin: 0 | 1;
}

/**
 * Makes a device ready and has it compile the kernel for one chunk; those for more chunks wait for a
 * program that has them.
 *
 * @throws {GpuFaultError} if the device does not take the kernels.
 */
export async function openGpuHost({
  device,
  shaders,
  rest,
  tiles,
  origin,
}: GpuHostOptions): Promise<GpuHost> {
  const context = new GpuContext(device, shaders, rest);
  const { COPY_SRC, COPY_DST } = GPUBufferUsage;
  const first = await context.allocate('origin', AMPLITUDE_BYTES, COPY_SRC | COPY_DST);
  device.queue.writeBuffer(first, 0, Float32Array.of(origin, 0));
  const kernels = new SweepKernels(context, tiles);
  await kernels.kernel(0);
  return { context, kernels, chunks: new StateChunks(context), origin: first };
}
