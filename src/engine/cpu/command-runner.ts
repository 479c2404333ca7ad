/** The threads, memory and kernels of a CPU engine as one run of a program sees them. */
import type { MaybePromise } from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import type { ThreadPool } from './thread-pool.ts';
import type { KernelExports } from './wasm-kernels.ts';

/** The threads of an engine as one run sees them. */
export interface CommandRunner {
  /** The current memory; replaced when the memory grows. */
  readonly memory: SharedArrayBuffer;
  /** The calling thread's. */
  readonly kernels: KernelExports;
  /**
   * Allocates a block of scratch memory until the result of `use` has settled. Its address is a
   * multiple of 64.
   */
  withScratch<T>(bytes: number, use: (at: number) => MaybePromise<T>): MaybePromise<T>;
  /**
   * Does all items of the command at an address; resets the counters of its header.
   *
   * @throws the signal's reason, if the run was aborted.
   */
  runCommand(command: number, numItems: number): MaybePromise<void>;
}

/** The threads, the memory and the kernels of an engine, for the length of a run. */
export class ThreadPoolRunner implements CommandRunner {
  readonly #threadPool: ThreadPool;
  readonly #slicer: TimeSlicer;

  constructor(threadPool: ThreadPool, slicer: TimeSlicer) {
    this.#threadPool = threadPool;
    this.#slicer = slicer;
  }

  get memory(): SharedArrayBuffer {
    return this.#threadPool.memory;
  }

  get kernels(): KernelExports {
    return this.#threadPool.kernels;
  }

  withScratch<T>(bytes: number, use: (at: number) => MaybePromise<T>): MaybePromise<T> {
    const at = this.#threadPool.allocate(bytes);
    const giveBack = () => this.#threadPool.release(at);
    try {
      const result = use(at);
      if (result instanceof Promise) return result.finally(giveBack);
      giveBack();
      return result;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  runCommand(command: number, numItems: number): MaybePromise<void> {
    return this.#threadPool.runCommand(command, numItems, this.#slicer);
  }
}
