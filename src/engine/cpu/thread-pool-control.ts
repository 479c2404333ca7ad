/** The control block through which the threads of a pool synchronise. */

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
