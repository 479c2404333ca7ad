/**
 * A device's staging buffers for transfers to other devices. The host maps them: WebGPU transfers
 * data between two devices only through the host.
 */
import type { GpuContext } from '../gpu-context.ts';
import type { Run } from './state-runs.ts';

/** Bytes of a mapped staging buffer, until `done`. */
export interface MappedBytes {
  readonly bytes: Uint8Array;
  /** Unmaps the buffer; where bytes were written, enqueues their copy into device memory. */
  done(): void;
}

/** Lends staging buffers. Buffers lent to failed work are destroyed by `reset`. */
export class StagingBuffers {
  readonly context: GpuContext;
  readonly #idle: GPUBuffer[] = [];
  readonly #lent = new Set<GPUBuffer>();

  constructor(context: GpuContext) {
    this.context = context;
  }

  /**
   * Copies runs of device memory into a mapped buffer, after all work enqueued before.
   *
   * @throws {StateMemoryError} if there is no memory for a staging buffer.
   * @throws {DeviceLostError} if the device is lost.
   */
  async fetch(runs: readonly Run[]): Promise<MappedBytes> {
    const size = sizeOf(runs);
    const staging = await this.#take(size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    this.context.enqueue((encoder) => {
      let at = 0;
      for (const run of runs) {
        encoder.copyBufferToBuffer(run.buffer, run.offset, staging, at, run.size);
        at += run.size;
      }
    });
    this.context.flush();
    const bytes = new Uint8Array(await this.context.map(staging, size));
    return {
      bytes,
      done: () => {
        staging.unmap();
        this.#give(staging);
      },
    };
  }

  /**
   * Maps a buffer for bytes that `done` copies to runs of device memory.
   *
   * @throws {StateMemoryError} if there is no memory for a staging buffer.
   * @throws {DeviceLostError} if the device is lost.
   */
  async room(runs: readonly Run[]): Promise<MappedBytes> {
    const size = sizeOf(runs);
    const staging = await this.#take(size, GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC);
    const bytes = new Uint8Array(await this.context.map(staging, size, GPUMapMode.WRITE));
    return {
      bytes,
      done: () => {
        staging.unmap();
        this.context.enqueue((encoder) => {
          let at = 0;
          for (const run of runs) {
            encoder.copyBufferToBuffer(staging, at, run.buffer, run.offset, run.size);
            at += run.size;
          }
        });
        this.context.flush();
        this.#give(staging);
      },
    };
  }

  /** Destroys the buffers lent to work that has failed. */
  reset(): void {
    for (const buffer of this.#lent) buffer.destroy();
    this.#lent.clear();
  }

  /** Destroys all buffers. */
  close(): void {
    this.reset();
    for (const buffer of this.#idle.splice(0)) buffer.destroy();
  }

  async #take(size: number, usage: GPUBufferUsageFlags): Promise<GPUBuffer> {
    const at = this.#idle.findIndex((buffer) => buffer.size === size && buffer.usage === usage);
    const [known] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (known === undefined) this.#dropOthers(size);
    const buffer = known ?? (await this.context.allocate('staging between devices', size, usage));
    this.#lent.add(buffer);
    return buffer;
  }

  /** Destroys idle buffers of other sizes: they belonged to a state with another window size. */
  #dropOthers(size: number): void {
    const others = this.#idle.filter((buffer) => buffer.size !== size);
    for (const buffer of others) {
      buffer.destroy();
      this.#idle.splice(this.#idle.indexOf(buffer), 1);
    }
  }

  #give(buffer: GPUBuffer): void {
    // `reset` has destroyed the buffers of failed work.
    if (this.#lent.delete(buffer)) this.#idle.push(buffer);
  }
}

function sizeOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { size }) => sum + size, 0);
}
