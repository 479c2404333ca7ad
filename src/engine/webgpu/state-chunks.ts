/** The memory of states: chunks that are kept for the next state of their size, and bound in groups. */
import { StateMemoryError } from '../errors.ts';
import type { GpuContext } from './gpu-context.ts';
import { AMPLITUDE_BYTES, type GpuState } from './gpu-state.ts';
import type { ChunkShape } from './sweep/index-bits.ts';

/** What may stay idle between runs beside one state. */
const MAX_IDLE_BYTES = 2 ** 26;

/**
 * More is kept so long for the next run, which most often comes at once. The adapter's memory may then
 * be another engine's: one over several devices holds states beside those of each device's own.
 */
const KEPT_MS = 200;
/** By then any other engine whose last run is over has given its memory back. */
const RETRY_MS = 2 * KEPT_MS;

/** Groups that begin with one chunk: collapses change the order of chunks, and so the groups. */
const MAX_GROUPS = 32;

interface KnownGroup {
  readonly chunks: readonly GPUBuffer[];
  readonly group: GPUBindGroup;
}

/** Hands out chunks; allocating one takes the device longer than clearing it. */
export class StateChunks {
  readonly #context: GpuContext;
  readonly #idle: GPUBuffer[] = [];
  /** By first chunk. */
  readonly #groups = new WeakMap<GPUBuffer, KnownGroup[]>();
  #release: ReturnType<typeof setTimeout> | undefined;

  constructor(context: GpuContext) {
    this.#context = context;
  }

  /**
   * A state, with whatever is in its memory. What is idle in other sizes gives way to it.
   *
   * @throws {StateMemoryError} if the device has no memory for it; nothing is kept of it then.
   */
  async take({ numQubits, chunkQubits }: ChunkShape): Promise<GpuState> {
    clearTimeout(this.#release);
    const bytes = AMPLITUDE_BYTES * 2 ** chunkQubits;
    const state: GpuState = { chunks: [], chunkQubits, numQubits };
    try {
      while (state.chunks.length < 2 ** (numQubits - chunkQubits)) {
        state.chunks.push(this.#takeIdle(bytes) ?? (await this.#allocate(bytes)));
      }
    } catch (error) {
      for (const chunk of state.chunks) chunk.destroy();
      throw error;
    }
    return state;
  }

  /** Takes a state back, also while the device still works on it. */
  give({ chunks }: GpuState): void {
    this.#idle.push(...chunks);
  }

  /** After a run: destroys what is idle where it is much, all but so many chunks, and these soon. */
  rest(kept: number): void {
    this.#trim(kept);
    clearTimeout(this.#release);
    this.#release = setTimeout(() => this.#trim(0), KEPT_MS);
    // In Node, it holds no process; a browser's timer is a number.
    if (typeof this.#release === 'object') this.#release.unref();
  }

  #trim(kept: number): void {
    const bytes = this.#idle.reduce((sum, { size }) => sum + size, 0);
    if (bytes <= MAX_IDLE_BYTES) return;
    for (const chunk of this.#idle.splice(kept)) chunk.destroy();
  }

  /** Destroys everything that is idle. */
  close(): void {
    clearTimeout(this.#release);
    for (const chunk of this.#idle.splice(0)) chunk.destroy();
  }

  /** Binds chunks in this order, from binding 0 on. */
  group(chunks: readonly GPUBuffer[], layout: GPUBindGroupLayout): GPUBindGroup {
    const first = chunks[0]!;
    const known = this.#groups.get(first) ?? [];
    const found = known.find(
      (group) =>
        group.chunks.length === chunks.length && group.chunks.every((c, i) => c === chunks[i]),
    );
    if (found !== undefined) return found.group;
    const group = this.#context.device.createBindGroup({
      label: 'sweep chunks',
      layout,
      entries: chunks.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const kept = known.length < MAX_GROUPS ? known : [];
    this.#groups.set(first, [...kept, { chunks, group }]);
    return group;
  }

  #takeIdle(bytes: number): GPUBuffer | undefined {
    const at = this.#idle.findIndex((chunk) => chunk.size === bytes);
    return at < 0 ? undefined : this.#idle.splice(at, 1)[0];
  }

  async #allocate(bytes: number): Promise<GPUBuffer> {
    this.#trim(0);
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const allocate = () => this.#context.allocate('state', bytes, STORAGE | COPY_SRC | COPY_DST);
    try {
      return await allocate();
    } catch (error) {
      if (!(error instanceof StateMemoryError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return await allocate();
    }
  }
}
