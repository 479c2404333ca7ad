/** Buffers that a readout needs while it runs. */
import type { GpuContext } from '../gpu-context.ts';
import type { BufferView } from './dispatch.ts';

/** Of those that wait for the next readout: together a few MiB. */
const MAX_KEPT_BYTES = 2 ** 20;
const MAX_KEPT = 16;
/** Where one uniform after another may begin, on any device. */
const UNIFORM_STRIDE = 256;

/**
 * Small buffers of each device that wait for the next readout: allocating one takes two answers of
 * the device, and a circuit may read thousands of measured qubits one by one. They end with the
 * device.
 */
const kept = new WeakMap<GpuContext, GPUBuffer[]>();

/** Buffers that are given back together, when a block ends. */
export class ScratchBuffers implements Disposable {
  readonly #context: GpuContext;
  /** Made for one readout alone. */
  readonly #uploads: GPUBuffer[] = [];
  readonly #rooms: GPUBuffer[] = [];
  readonly #kept: GPUBuffer[];

  constructor(context: GpuContext) {
    this.#context = context;
    const known = kept.get(context);
    this.#kept = known ?? [];
    if (known === undefined) kept.set(context, this.#kept);
  }

  /** Words for kernels to read. */
  words(label: string, words: Uint32Array<ArrayBuffer>): GPUBuffer {
    return this.#upload(label, words, GPUBufferUsage.STORAGE);
  }

  /** The words of a kernel's `Params`, for one dispatch after the other. */
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
   * Room that kernels write, with whatever is in it.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  room(label: string, bytes: number): Promise<GPUBuffer> {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return this.#take(label, bytes, STORAGE | COPY_SRC | COPY_DST);
  }

  /**
   * Room that the host reads: what is copied there is mapped.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  staging(bytes: number): Promise<GPUBuffer> {
    return this.#take('staging', bytes, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
  }

  [Symbol.dispose](): void {
    for (const buffer of this.#uploads) buffer.destroy();
    for (const buffer of this.#rooms) {
      // A failed readout may leave a mapping behind.
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
