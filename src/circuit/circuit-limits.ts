/** Bounds a circuit must keep before anything is compiled or run. */
export interface CircuitLimits {
  readonly maxQubits: number;
  /** Operations, barriers not counted. */
  readonly maxGates: number;
}

/** Classical bits a circuit may have, whatever runs it: outcomes stay short enough to list. */
export const MAX_CLASSICAL_BITS = 1024;
