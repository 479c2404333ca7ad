/** Device buffers of one batch, kept for its next run. */
import type { GpuContext } from '../gpu-context.ts';

/** Idle bytes that may stay allocated between runs. */
const MAX_IDLE_BYTES = 2 ** 26;
/** Smallest buffer: a binding must not be empty. */
const MIN_BYTES = 16;

/** Buffers by label. */
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
    const size = Math.max(MIN_BYTES, bytes);
    const buffer = await this.#context.allocate(`batch ${label}`, size, usage);
    this.#buffers.set(label, buffer);
    return buffer;
  }

  /** Destroys all buffers if they are large. */
  trim(): void {
    const bytes = [...this.#buffers.values()].reduce((sum, { size }) => sum + size, 0);
    if (bytes > MAX_IDLE_BYTES) this.destroy();
  }

  /** Destroys all buffers; the device may still be working on them. */
  destroy(): void {
    for (const buffer of this.#buffers.values()) buffer.destroy();
    this.#buffers.clear();
  }
}
