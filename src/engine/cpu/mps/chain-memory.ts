/** The memory of an engine for matrix product states, which its runs share. */
import type { KernelHost } from '../kernel-host.ts';
import { TensorMemory } from './tensor-memory.ts';

/** Bytes beyond which the memory is given up after a run, because it cannot shrink. */
const KEPT_BYTES = 2 ** 26;

/** Opens the memory when a run first needs it. */
export class ChainMemory {
  readonly #host: KernelHost;
  readonly #maxBytes: number;
  #memory: TensorMemory | undefined;

  /** @param maxBytes - Most bytes of all states of a run; unlimited by default. */
  constructor(host: KernelHost, maxBytes: number = Number.POSITIVE_INFINITY) {
    this.#host = host;
    this.#maxBytes = maxBytes;
  }

  /** Lets a run use the memory, which no other one may use meanwhile. It frees what it allocates. */
  async use<T>(run: (memory: TensorMemory) => Promise<T>): Promise<T> {
    this.#memory ??= new TensorMemory(
      this.#host.module('mps'),
      this.#maxBytes,
      this.#host.maxMemoryBytes,
    );
    try {
      return await run(this.#memory);
    } finally {
      if (this.#memory.byteLength > KEPT_BYTES) {
        this.#memory = undefined;
        this.#host.collectGarbage();
      }
    }
  }
}
