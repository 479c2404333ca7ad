/**
 * Buffers that are kept for reuse: the small temporary ones of readouts and programs, and those of a batch until its
 * next run. Allocating one means waiting for the device, and a small circuit takes less time than a few such waits.
 */
import type { GpuContext } from './gpu-context.ts';

/** A buffer, or a part of one. */
export type BufferView = GPUBuffer | GPUBufferBinding;

/** Largest buffer that is kept. */
const MAX_KEPT_BYTES = 2 ** 22;
/** Most bytes that are kept for a device. */
const MAX_IDLE_BYTES = 2 ** 25;
/** Smallest buffer. */
const MIN_BYTES = 256;
/** Alignment of uniform bindings that every device accepts. */
export const UNIFORM_STRIDE = 256;

/** Idle small buffers of each device, which frees them when it is destroyed. */
const idleBuffers = new WeakMap<GpuContext, GPUBuffer[]>();

/** Temporary buffers that are released together, for example at the end of a block. */
export class ScratchBuffers implements Disposable {
  readonly #context: GpuContext;
  readonly #idle: GPUBuffer[];
  readonly #taken: GPUBuffer[] = [];

  constructor(context: GpuContext) {
    this.#context = context;
    const known = idleBuffers.get(context);
    this.#idle = known ?? [];
    if (known === undefined) idleBuffers.set(context, this.#idle);
  }

  /**
   * Uploads words for kernels to read, also as uniforms.
   *
   * @param bytes - Size of the buffer if it is larger than the words.
   * @throws {StateMemoryError} if the device has no memory for them.
   */
  async words(
    label: string,
    words: Uint32Array<ArrayBuffer>,
    bytes: number = words.byteLength,
  ): Promise<GPUBuffer> {
    const { STORAGE, UNIFORM, COPY_DST } = GPUBufferUsage;
    const buffer = await this.#take(label, bytes, STORAGE | UNIFORM | COPY_DST);
    this.#context.device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }

  /**
   * Uploads the `Params` of several dispatches of a kernel.
   *
   * @throws {StateMemoryError} if the device has no memory for them.
   */
  async params(
    label: string,
    dispatches: readonly (readonly number[])[],
  ): Promise<readonly BufferView[]> {
    const stride = UNIFORM_STRIDE / 4;
    const words = new Uint32Array(stride * dispatches.length);
    for (const [i, fields] of dispatches.entries()) words.set(fields, stride * i);
    const buffer = await this.words(label, words);
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

  /** Releases the buffers. Work that uses them must have been submitted. */
  [Symbol.dispose](): void {
    let idleBytes = this.#idle.reduce((sum, { size }) => sum + size, 0);
    for (const buffer of this.#taken.splice(0)) {
      // A failed readout may leave a buffer mapped.
      const isReusable = buffer.size <= MAX_KEPT_BYTES && buffer.mapState === 'unmapped';
      if (isReusable && idleBytes + buffer.size <= MAX_IDLE_BYTES) {
        idleBytes += buffer.size;
        this.#idle.push(buffer);
      } else {
        buffer.destroy();
      }
    }
  }

  async #take(label: string, bytes: number, usage: GPUBufferUsageFlags): Promise<GPUBuffer> {
    this.#context.assertPresent();
    const rounded = 2 ** Math.ceil(Math.log2(Math.max(MIN_BYTES, bytes)));
    const size = rounded > MAX_KEPT_BYTES ? bytes : rounded;
    const at = this.#idle.findIndex((buffer) => buffer.size === size && buffer.usage === usage);
    const [known] = at < 0 ? [] : this.#idle.splice(at, 1);
    const buffer = known ?? (await this.#context.allocate(label, size, usage));
    this.#taken.push(buffer);
    return buffer;
  }
}

/** Idle bytes that may stay allocated between runs. */
const MAX_IDLE_BATCH_BYTES = 2 ** 26;
/** Smallest buffer: a binding must not be empty. */
const MIN_BINDING_BYTES = 16;

/** Device buffers of one batch by label, kept for its next run. */
export class BatchBuffers {
  readonly #context: GpuContext;
  readonly #buffers = new Map<string, GPUBuffer>();

  constructor(context: GpuContext) {
    this.#context = context;
  }

  /**
   * Returns a buffer of at least this size, with unspecified contents; destroys a smaller one of
   * the same label.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async take(label: string, bytes: number, usage: GPUBufferUsageFlags): Promise<GPUBuffer> {
    const known = this.#buffers.get(label);
    if (known !== undefined && known.size >= bytes) return known;
    this.#buffers.delete(label);
    known?.destroy();
    const size = Math.max(MIN_BINDING_BYTES, bytes);
    const buffer = await this.#context.allocate(`batch ${label}`, size, usage);
    this.#buffers.set(label, buffer);
    return buffer;
  }

  /** Destroys all buffers if they are large. */
  trim(): void {
    const bytes = [...this.#buffers.values()].reduce((sum, { size }) => sum + size, 0);
    if (bytes > MAX_IDLE_BATCH_BYTES) this.destroy();
  }

  /** Destroys all buffers; the device may still be working on them. */
  destroy(): void {
    for (const buffer of this.#buffers.values()) buffer.destroy();
    this.#buffers.clear();
  }
}
