/** The pipeline: Circuit → Program for one target profile. */

/** What compiling changed, in the units users of circuit compilers know. */
export interface CompilationReport {
  readonly gatesBefore: number;
  readonly gatesAfter: number;
  readonly depthBefore: number;
  readonly depthAfter: number;
  /** Kernels that hold more than one gate of the caller's. */
  readonly fusedBlocks: number;
  /** Trips of the whole state through memory: the sweeps. */
  readonly statePasses: number;
}
