/** What reads, clears or copies states needs of an engine: memory, kernels, and threads to do tasks. */
import type { MaybePromise } from '../state-operations.ts';
import type { KernelExports } from './wasm-kernels.ts';

/** The threads of an engine as one run sees them. */
export interface TaskRunner {
  /** As it is now: another one once the memory has grown. */
  readonly memory: SharedArrayBuffer;
  /** The calling thread's. */
  readonly kernels: KernelExports;
  /** Lends a block of memory, a multiple of 64, until what `use` returns has settled. */
  withScratch<T>(bytes: number, use: (at: number) => MaybePromise<T>): MaybePromise<T>;
  /**
   * Does all items of the task at that address; its header's counters are set here.
   *
   * @throws the signal's reason, if the run was aborted.
   */
  runTask(task: number, numItems: number): MaybePromise<void>;
}
