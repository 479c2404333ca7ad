/**
 * A device's end of the way to other devices: staging buffers that the host maps. WebGPU knows no way
 * between two devices but through the host.
 */
import type { GpuContext } from '../gpu-context.ts';
import type { Run } from './state-runs.ts';

/** Bytes in a mapped buffer, until it is let go. */
export interface MappedBytes {
  readonly bytes: Uint8Array;
  /** Goes on with the device's part, after which the bytes are gone. */
  done(): void;
}

/** Lends staging buffers and takes them back; those that nothing gave back go by `reset`. */
export class StagingBuffers {
  readonly context: GpuContext;
  readonly #idle: GPUBuffer[] = [];
  readonly #lent = new Set<GPUBuffer>();

  constructor(context: GpuContext) {
    this.context = context;
  }

  /**
   * Brings runs to where the host reads them, after all that was enqueued.
   *
   * @throws {StateMemoryError} if there is no memory to stage them in.
   * @throws {DeviceLostError} if the device is gone.
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
   * Room for bytes that go to runs, once they are there.
   *
   * @throws {StateMemoryError} if there is no memory to stage them in.
   * @throws {DeviceLostError} if the device is gone.
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

  /** Destroys what was lent to work that has failed. */
  reset(): void {
    for (const buffer of this.#lent) buffer.destroy();
    this.#lent.clear();
  }

  /** Destroys everything. */
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

  /** Windows of one state have one size: other sizes are another's. */
  #dropOthers(size: number): void {
    const others = this.#idle.filter((buffer) => buffer.size !== size);
    for (const buffer of others) {
      buffer.destroy();
      this.#idle.splice(this.#idle.indexOf(buffer), 1);
    }
  }

  #give(buffer: GPUBuffer): void {
    // What failed meanwhile was destroyed by `reset`.
    if (this.#lent.delete(buffer)) this.#idle.push(buffer);
  }
}

function sizeOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { size }) => sum + size, 0);
}
