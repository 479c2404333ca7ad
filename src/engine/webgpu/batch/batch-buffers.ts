/** The device memory of one batch: a buffer for each purpose, kept for the next run. */
import type { GpuContext } from '../gpu-context.ts';

/** What may stay idle between runs. */
const MAX_IDLE_BYTES = 2 ** 26;
/** Bindings are not empty, and copies are of whole words. */
const MIN_BYTES = 16;

/** Buffers by what they are for. */
export class BatchBuffers {
  readonly #context: GpuContext;
  readonly #buffers = new Map<string, GPUBuffer>();

  constructor(context: GpuContext) {
    this.#context = context;
  }

  /**
   * A buffer with at least so many bytes, and whatever is in it. A smaller one before it is destroyed.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async take(label: string, bytes: number, usage: GPUBufferUsageFlags): Promise<GPUBuffer> {
    const known = this.#buffers.get(label);
    if (known !== undefined && known.size >= bytes) return known;
    this.#buffers.delete(label);
    known?.destroy();
    const size = Math.max(MIN_BYTES, bytes);
    const buffer = await this.#context.allocate(`batch ${label}`, size, usage);
    this.#buffers.set(label, buffer);
    return buffer;
  }

  /** Destroys everything where it is much. */
  trim(): void {
    const bytes = [...this.#buffers.values()].reduce((sum, { size }) => sum + size, 0);
    if (bytes > MAX_IDLE_BYTES) this.destroy();
  }

  /** Destroys everything, also while the device still works on it. */
  destroy(): void {
    for (const buffer of this.#buffers.values()) buffer.destroy();
    this.#buffers.clear();
  }
}
