/** What the CPU engine needs of where it runs: of Node (cpu-engine.ts) or of a browser. */
import type { HelperSetup } from './thread-pool-control.ts';
import type { KernelName } from './wasm-kernels.ts';

/** A helper thread. */
export interface HelperThread {
  terminate(): Promise<unknown>;
}

/** Gives an engine its WebAssembly modules and its helper threads. */
export interface KernelHost {
  /**
   * Most bytes of an engine's memory: a multiple of 64 KiB, at most MAX_MEMORY_BYTES. Some browsers reserve all of them at
   * once.
   */
  readonly maxMemoryBytes: number;
  /**
   * Returns a compiled module.
   *
   * @throws if the host does not have it.
   */
  module(name: KernelName): WebAssembly.Module;
  /**
   * Starts a helper thread. A host without threads throws; an engine with one thread never calls it.
   *
   * @param onExit - Called when the thread has ended, for whatever reason.
   */
  startHelper(setup: HelperSetup, onExit: () => void): HelperThread;
  /**
   * Frees memories that nothing refers to, where the host can. They lie outside the heap, so the collector sees no reason
   * to run by itself: without this, gigabytes pile up.
   */
  collectGarbage(): void;
}
