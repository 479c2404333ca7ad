/** Temporary buffers of a readout. */
import type { GpuContext } from '../gpu-context.ts';
import type { BufferView } from './dispatch.ts';

/** Largest buffer that is kept for the next readout; all kept ones take a few MiB. */
const MAX_KEPT_BYTES = 2 ** 20;
const MAX_KEPT = 16;
/** Alignment of uniform bindings that every device accepts. */
const UNIFORM_STRIDE = 256;

/**
 * Small idle buffers of each device. Reuse saves two round trips to the device for each allocation,
 * and a circuit may read thousands of measured qubits one by one. They are freed with the device.
 */
const kept = new WeakMap<GpuContext, GPUBuffer[]>();

/** Temporary buffers that are released together at the end of a block. */
export class ScratchBuffers implements Disposable {
  readonly #context: GpuContext;
  /** Buffers that are not reused. */
  readonly #uploads: GPUBuffer[] = [];
  readonly #rooms: GPUBuffer[] = [];
  readonly #kept: GPUBuffer[];

  constructor(context: GpuContext) {
    this.#context = context;
    const known = kept.get(context);
    this.#kept = known ?? [];
    if (known === undefined) kept.set(context, this.#kept);
  }

  /** Uploads words for kernels to read. */
  words(label: string, words: Uint32Array<ArrayBuffer>): GPUBuffer {
    return this.#upload(label, words, GPUBufferUsage.STORAGE);
  }

  /** Uploads the `Params` of several dispatches of a kernel. */
  params(label: string, dispatches: readonly (readonly number[])[]): readonly BufferView[] {
    const stride = UNIFORM_STRIDE / 4;
    const words = new Uint32Array(stride * dispatches.length);
    for (const [i, fields] of dispatches.entries()) words.set(fields, stride * i);
    const buffer = this.#upload(label, words, GPUBufferUsage.UNIFORM);
    return dispatches.map((_, i) => {
      return { buffer, offset: UNIFORM_STRIDE * i, size: UNIFORM_STRIDE };
    });
  }

  /**
   * Allocates a buffer that kernels write, with unspecified contents.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  room(label: string, bytes: number): Promise<GPUBuffer> {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return this.#take(label, bytes, STORAGE | COPY_SRC | COPY_DST);
  }

  /**
   * Allocates a buffer that work is copied to and the host maps.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  staging(bytes: number): Promise<GPUBuffer> {
    return this.#take('staging', bytes, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
  }

  [Symbol.dispose](): void {
    for (const buffer of this.#uploads) buffer.destroy();
    for (const buffer of this.#rooms) {
      // A failed readout may leave a buffer mapped.
      const isIdle = buffer.size <= MAX_KEPT_BYTES && buffer.mapState === 'unmapped';
      if (isIdle && this.#kept.length < MAX_KEPT) this.#kept.push(buffer);
      else buffer.destroy();
    }
  }

  async #take(label: string, bytes: number, usage: GPUBufferUsageFlags): Promise<GPUBuffer> {
    const size = bytes > MAX_KEPT_BYTES ? bytes : 2 ** Math.ceil(Math.log2(Math.max(16, bytes)));
    const at = this.#kept.findIndex((buffer) => buffer.size === size && buffer.usage === usage);
    const [known] = at < 0 ? [] : this.#kept.splice(at, 1);
    const buffer = known ?? (await this.#context.allocate(label, size, usage));
    this.#rooms.push(buffer);
    return buffer;
  }

  #upload(label: string, words: Uint32Array<ArrayBuffer>, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.#context.upload(label, words, usage);
    this.#uploads.push(buffer);
    return buffer;
  }
}
