/** The memory of an engine for matrix product states, which its programs share. */
import type { KernelHost } from '../kernel-host.ts';
import { TensorMemory } from './tensor-memory.ts';

/** Bytes beyond which the memory is given up once no program uses it, because it cannot shrink. */
const KEPT_BYTES = 2 ** 26;

/** Opens the memory when a program first needs it. */
export class ChainMemory {
  readonly #host: KernelHost;
  readonly #maxBytes: number;
  #memory: TensorMemory | undefined;
  #numPrograms = 0;

  /** @param maxBytes - Most bytes of all states of a run; unlimited by default. */
  constructor(host: KernelHost, maxBytes: number = Number.POSITIVE_INFINITY) {
    this.#host = host;
    this.#maxBytes = maxBytes;
  }

  /** The memory, for one more program. */
  take(): TensorMemory {
    this.#numPrograms++;
    this.#memory ??= new TensorMemory(
      this.#host.module('mps'),
      this.#maxBytes,
      this.#host.maxMemoryBytes,
    );
    return this.#memory;
  }

  /** Says that a program is done with it. */
  giveBack(): void {
    this.#numPrograms--;
    if (this.#numPrograms > 0 || this.#memory === undefined) return;
    if (this.#memory.byteLength <= KEPT_BYTES) return;
    this.#memory = undefined;
    this.#host.collectGarbage();
  }
}
