/**
 * State vectors in the memory of a GPU, and the allocator of that memory: it reuses chunks of the same size, and caches
 * their bind groups.
 */
import { StateMemoryError } from '../errors.ts';
import type { GpuContext } from './gpu-context.ts';
import type { ChunkShape } from './sweep/index-bits.ts';

/** 2^numQubits amplitudes, each two 32-bit floats, re then im. */
export interface GpuState {
  /**
   * Buffers of 2^chunkQubits amplitudes each. Chunk i holds the amplitudes whose index is i above
   * its lowest `chunkQubits` bits. An operation may only reorder the chunks.
   */
  readonly chunks: GPUBuffer[];
  /** Qubits inside one chunk. */
  readonly chunkQubits: number;
  /** Qubits of all chunks; at least a tile's. Those beyond the program's own are always 0. */
  readonly numQubits: number;
}

/** Bytes of one amplitude. */
export const AMPLITUDE_BYTES = 8;

/** Idle bytes that stay allocated however long no run comes. */
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

/** Limits of idle memory. */
export interface IdleLimits {
  /** Bytes of all chunks, lent or idle, beyond which idle ones are destroyed; unlimited by default. */
  readonly memoryBytes?: number | undefined;
  /** Milliseconds for which idle memory is kept after the last run of a wide state; 200 by default. */
  readonly idleMs?: number | undefined;
}

/**
 * Lends chunks for states. Allocating takes far longer than clearing: an NVIDIA H100 needs 45 ms a
 * GiB. So idle chunks are kept, also while runs need others, until the memory or the time is up.
 */
export class StateChunks {
  readonly #context: GpuContext;
  readonly #memoryBytes: number;
  readonly #idleMs: number;
  /** Those given back first are first. */
  readonly #idle: GPUBuffer[] = [];
  #heldBytes = 0;
  /** Cached bind groups by their first chunk. */
  readonly #groups = new WeakMap<GPUBuffer, KnownGroup[]>();
  /** The device may still be working on chunks given back in a run. */
  #isInRun = false;
  #release: ReturnType<typeof setTimeout> | undefined;
  /** Whether the time of the idle chunks is up. */
  #isDue = false;

  constructor(
    context: GpuContext,
    { memoryBytes = Number.POSITIVE_INFINITY, idleMs = DEFAULT_IDLE_MS }: IdleLimits = {},
  ) {
    this.#context = context;
    this.#memoryBytes = memoryBytes;
    this.#idleMs = idleMs;
  }

  /**
   * Allocates a state with unspecified contents.
   *
   * @throws {StateMemoryError} if the device has no memory for it; nothing stays allocated then.
   */
  async take({ numQubits, chunkQubits }: ChunkShape): Promise<GpuState> {
    this.#isInRun = true;
    if (AMPLITUDE_BYTES * 2 ** numQubits > MAX_IDLE_BYTES) this.#keepOn();
    const bytes = AMPLITUDE_BYTES * 2 ** chunkQubits;
    const state: GpuState = { chunks: [], chunkQubits, numQubits };
    try {
      while (state.chunks.length < 2 ** (numQubits - chunkQubits)) {
        state.chunks.push(this.#takeIdle(bytes) ?? (await this.#allocate(bytes)));
      }
    } catch (error) {
      for (const chunk of state.chunks) this.#destroy(chunk);
      throw error;
    }
    return state;
  }

  /** Takes a state back; the device may still be working on it. */
  give({ chunks }: GpuState): void {
    this.#idle.push(...chunks);
  }

  /** Called after a run, when the device is done with all chunks given back. */
  endRun(): void {
    this.#isInRun = false;
    if (this.#isDue) this.#timeIsUp();
    else this.#release ??= this.#later();
  }

  #later(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#timeIsUp(), this.#idleMs);
    // The timer does not keep a Node process alive; in a browser it is a number.
    if (typeof timer === 'object') timer.unref();
    return timer;
  }

  /** The time of idle chunks begins anew after this run. */
  #keepOn(): void {
    clearTimeout(this.#release);
    this.#release = undefined;
    this.#isDue = false;
  }

  #timeIsUp(): void {
    this.#isDue = this.#isInRun;
    if (this.#isInRun) return;
    this.#release = undefined;
    const bytes = this.#idle.reduce((sum, { size }) => sum + size, 0);
    if (bytes > MAX_IDLE_BYTES) void this.#trim(0).catch(() => undefined);
  }

  /** Destroys idle chunks until at most `heldBytes` are held; resolves when they are free. */
  async #trim(heldBytes: number): Promise<void> {
    const before = this.#heldBytes;
    while (this.#heldBytes > heldBytes && this.#idle.length > 0) this.#destroy(this.#idle.shift()!);
    if (this.#heldBytes < before) await this.#context.freeDestroyed();
  }

  #destroy(chunk: GPUBuffer): void {
    this.#heldBytes -= chunk.size;
    chunk.destroy();
  }

  /** Destroys all idle chunks. */
  close(): void {
    clearTimeout(this.#release);
    for (const chunk of this.#idle.splice(0)) this.#destroy(chunk);
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
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const allocate = () => this.#context.allocate('state', bytes, STORAGE | COPY_SRC | COPY_DST);
    const otherwise = async (again: () => Promise<GPUBuffer>, error: unknown) => {
      if (!(error instanceof StateMemoryError)) throw error;
      return await again();
    };
    await this.#trim(this.#memoryBytes - bytes);
    const chunk = await allocate()
      .catch((error) => otherwise(() => this.#trim(0).then(allocate), error))
      .catch((error) => otherwise(() => waited(RETRY_MS).then(allocate), error));
    this.#heldBytes += bytes;
    return chunk;
  }
}

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
