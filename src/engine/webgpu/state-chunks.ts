/**
 * Allocator of state memory on a device: reuses chunks of the same size, and caches their bind
 * groups.
 */
import { StateMemoryError } from '../errors.ts';
import type { GpuContext } from './gpu-context.ts';
import { AMPLITUDE_BYTES, type GpuState } from './gpu-state.ts';
import type { ChunkShape } from './sweep/index-bits.ts';

/** Idle bytes that may stay allocated between runs. */
const MAX_IDLE_BYTES = 2 ** 26;

/**
 * Milliseconds for which more idle memory is kept by default: the next run most often comes at
 * once, and later another engine on the same adapter may need the memory.
 */
const DEFAULT_IDLE_MS = 200;
/** Milliseconds after which another engine on the adapter has freed its idle memory. */
const RETRY_MS = 2 * DEFAULT_IDLE_MS;

/**
 * Most cached bind groups that begin with one chunk: collapses reorder chunks, and so change the
 * groups.
 */
const MAX_GROUPS = 32;

interface KnownGroup {
  readonly chunks: readonly GPUBuffer[];
  readonly group: GPUBindGroup;
}

/**
 * Lends chunks for states. Allocating takes far longer than clearing: an NVIDIA H100 needs 45 ms a
 * GiB.
 */
export class StateChunks {
  readonly #context: GpuContext;
  readonly #idle: GPUBuffer[] = [];
  /** Cached bind groups by their first chunk. */
  readonly #groups = new WeakMap<GPUBuffer, KnownGroup[]>();
  readonly #idleMs: number;
  #release: ReturnType<typeof setTimeout> | undefined;

  /** @param idleMs - Milliseconds for which idle memory is kept after a run. */
  constructor(context: GpuContext, idleMs = DEFAULT_IDLE_MS) {
    this.#context = context;
    this.#idleMs = idleMs;
  }

  /**
   * Allocates a state with unspecified contents. Destroys idle chunks of other sizes if needed.
   *
   * @throws {StateMemoryError} if the device has no memory for it; nothing stays allocated then.
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

  /** Takes a state back; the device may still be working on it. */
  give({ chunks }: GpuState): void {
    this.#idle.push(...chunks);
  }

  /**
   * Called after a run. If much memory is idle, destroys all chunks but the last `kept` that were
   * given back, which the next run most often needs, and those after a delay.
   */
  trimAfterRun(kept: number): void {
    const trim = (left: number) => void this.#trim(left).catch(() => undefined);
    trim(kept);
    clearTimeout(this.#release);
    this.#release = setTimeout(() => trim(0), this.#idleMs);
    // The timer does not keep a Node process alive; in a browser it is a number.
    if (typeof this.#release === 'object') this.#release.unref();
  }

  /** Destroys idle chunks, those given back first, and resolves when their memory is free. */
  async #trim(kept: number): Promise<void> {
    const bytes = this.#idle.reduce((sum, { size }) => sum + size, 0);
    if (bytes <= MAX_IDLE_BYTES || this.#idle.length <= kept) return;
    const surplus = this.#idle.splice(0, this.#idle.length - kept);
    for (const chunk of surplus) chunk.destroy();
    await this.#context.freeDestroyed();
  }

  /** Destroys all idle chunks. */
  close(): void {
    clearTimeout(this.#release);
    for (const chunk of this.#idle.splice(0)) chunk.destroy();
  }

  /** Returns the bind group of chunks in this order, from binding 0 on. */
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
    await this.#trim(0);
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
