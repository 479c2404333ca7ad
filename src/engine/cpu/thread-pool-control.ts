/** The words by which the threads of a thread pool find each other. */

/** Positions in the control block. */
export const CONTROL = {
  /** Counts commands; helpers wait for it to change. */
  epoch: 0,
  /** Address of the command. */
  command: 1,
  /** How many helpers have joined, and `IS_OPEN` while more may. */
  joined: 2,
} as const;

/** Set while helpers may join. */
export const IS_OPEN = 1 << 30;

/** Size of the control block: a line of cache for each word would be wasted on so few. */
export const CONTROL_BYTES = 64;

/** A helper's `workerData`. */
export interface HelperSetup {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly controlAt: number;
  readonly scratchAt: number;
}
