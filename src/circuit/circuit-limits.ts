/** Bounds a circuit must keep before anything is compiled or run. */
export interface CircuitLimits {
  readonly maxQubits: number;
  /** Operations, barriers not counted. */
  readonly maxGates: number;
}

/** Classical bits a circuit may have, whatever runs it: outcomes stay short enough to list. */
export const MAX_CLASSICAL_BITS = 1024;

/** Bits one condition may read: its value stays an exact 32-bit number on every engine. */
export const MAX_CONDITION_BITS = 32;

/** Targets of an explicit unitary: 4^6 entries fit every engine's fast memory. */
export const MAX_UNITARY_QUBITS = 6;

/** How far U†U of an explicit unitary may be from the identity, in its worst entry. */
export const UNITARITY_TOLERANCE = 1e-6;
