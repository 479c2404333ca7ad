/**
 * Interface of the CPU engine to its host, Node (cpu-engine.ts) or a browser, and the setup of helper threads: kernels,
 * memory, and a control block through which the threads of a pool synchronise.
 */
import type { KernelName } from './wasm-kernels.ts';

/** A helper thread. */
export interface HelperThread {
  terminate(): Promise<unknown>;
}

/** Gives an engine its WebAssembly modules and its helper threads. */
export interface KernelHost {
  /**
   * Most bytes of an engine's memory: a multiple of 64 KiB, at most WIDE_MEMORY_BYTES. Some browsers reserve all at
   * once. States that 32-bit addresses do not reach need a memory and a module of their own.
   */
  readonly maxMemoryBytes: number;
  /** Bytes of the states of a run beyond which they lie in a memory with 64-bit addresses, if there may be one. */
  readonly narrowStateBytes: number;
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
   * Frees memories that nothing refers to, where the host can. They lie outside the heap, so the collector sees no
   * reason to run by itself: without this, gigabytes pile up.
   */
  collectGarbage(): void;
}

/** Positions in the control block. */
export const CONTROL = {
  /** Counts commands; helpers wait for it to change. */
  epoch: 0,
  /** Address of the command. */
  command: 1,
  /** Number of helpers that have joined, plus `IS_OPEN` while more may join. */
  joined: 2,
} as const;

/** Set while helpers may join. */
export const IS_OPEN = 1 << 30;

/** Bytes of the control block, one cache line. */
export const CONTROL_BYTES = 64;

/** A helper's `workerData`. */
export interface HelperSetup {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly controlAt: number;
  readonly scratchAt: number;
}
