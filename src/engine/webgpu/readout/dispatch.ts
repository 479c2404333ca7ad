/** Runs a reading kernel and hands out what it wrote. */
import type { GpuContext } from '../gpu-context.ts';

/** A dispatch along one dimension is at most 65,535 workgroups long. */
const MAX_ROW_LENGTH = 2 ** 15;

/** Workgroups in rows; the last row may be longer than needed. */
export interface Grid {
  readonly rowLength: number;
  readonly rows: number;
}

/** At least as many workgroups as asked for. */
export function gridOf(numGroups: number): Grid {
  const rowLength = Math.min(numGroups, MAX_ROW_LENGTH);
  return { rowLength, rows: Math.ceil(numGroups / rowLength) };
}

/** Encodes one kernel; buffers by binding, absent ones left out. */
export function encodeKernel(
  { device }: GpuContext,
  encoder: GPUCommandEncoder,
  pipeline: GPUComputePipeline,
  buffers: readonly (GPUBuffer | undefined)[],
  { rowLength, rows }: Grid,
  layers = 1,
): void {
  const entries: GPUBindGroupEntry[] = [];
  for (const [binding, buffer] of buffers.entries()) {
    if (buffer !== undefined) entries.push({ binding, resource: { buffer } });
  }
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(rowLength, rows, layers);
  pass.end();
}

/** Buffers that are given back together, when a block ends. */
export class ScratchBuffers implements Disposable {
  readonly #context: GpuContext;
  readonly #buffers: GPUBuffer[] = [];

  constructor(context: GpuContext) {
    this.#context = context;
  }

  /** Words for kernels to read. */
  words(label: string, words: Uint32Array<ArrayBuffer>): GPUBuffer {
    return this.#keep(this.#context.upload(label, words, GPUBufferUsage.STORAGE));
  }

  /** The words of a kernel's `Params`. */
  params(label: string, words: Uint32Array<ArrayBuffer>): GPUBuffer {
    return this.#keep(this.#context.upload(label, words, GPUBufferUsage.UNIFORM));
  }

  /**
   * Room that kernels write and the host reads.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async room(label: string, bytes: number): Promise<GPUBuffer> {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return this.#keep(await this.#context.allocate(label, bytes, usage));
  }

  /**
   * Room that the host reads: what is copied there is mapped.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async staging(bytes: number): Promise<GPUBuffer> {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    return this.#keep(await this.#context.allocate('staging', bytes, usage));
  }

  [Symbol.dispose](): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }

  #keep(buffer: GPUBuffer): GPUBuffer {
    this.#buffers.push(buffer);
    return buffer;
  }
}

/**
 * Submits work that ends with a copy into `staging`, and lets `use` read it where it lies.
 *
 * @param use - Must not keep the bytes: they are gone when it returns.
 */
export async function readMapped(
  context: GpuContext,
  staging: GPUBuffer,
  bytes: number,
  encode: (encoder: GPUCommandEncoder) => void,
  use: (bytes: ArrayBuffer) => void,
): Promise<void> {
  await context.submit(encode);
  const mapped = await context.map(staging, bytes);
  try {
    use(mapped);
  } finally {
    staging.unmap();
  }
}
