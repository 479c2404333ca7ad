/** The memory of states: buffers that are kept for the next state of their size. */
import type { GpuContext } from './gpu-context.ts';

/** What may stay idle between runs beside one buffer. */
const MAX_IDLE_BYTES = 2 ** 26;

/** Hands out buffers; allocating one takes the device longer than clearing it. */
export class StateBuffers {
  readonly #context: GpuContext;
  readonly #idle: GPUBuffer[] = [];

  constructor(context: GpuContext) {
    this.#context = context;
  }

  /**
   * A buffer of that size, with whatever is in it. What is idle in other sizes gives way to it.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async take(bytes: number): Promise<GPUBuffer> {
    const at = this.#idle.findIndex((buffer) => buffer.size === bytes);
    const [known] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (known !== undefined) return known;
    this.trim(0);
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return await this.#context.allocate('state', bytes, STORAGE | COPY_SRC | COPY_DST);
  }

  /** Takes a buffer back, also while the device still works on it. */
  give(buffer: GPUBuffer): void {
    this.#idle.push(buffer);
  }

  /** Destroys what is idle, but for the first `kept` buffers, where it is much. */
  trim(kept: number): void {
    const bytes = this.#idle.reduce((sum, { size }) => sum + size, 0);
    if (bytes <= MAX_IDLE_BYTES) return;
    for (const buffer of this.#idle.splice(kept)) buffer.destroy();
  }

  /** Destroys everything that is idle. */
  close(): void {
    for (const buffer of this.#idle.splice(0)) buffer.destroy();
  }
}
