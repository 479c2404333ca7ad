/** The memory that a state may take. */
export interface StateMemory {
  readonly bytes: number;
  readonly bytesPerAmplitude: number;
}

/** Bounds a circuit must keep before anything is compiled or run. */
export interface CircuitLimits {
  readonly maxQubits: number;
  /** What decides `maxQubits`; absent where it is something else. */
  readonly stateMemory?: StateMemory;
  /** Operations, barriers not counted. */
  readonly maxGates: number;
  /** Steps after which the reading of a program is given up with a StepsSpentError. */
  readonly maxSteps?: number;
}

/** The limit on qubits as the end of a sentence about a circuit of more than that. */
export function qubitLimit(
  numQubits: number,
  { maxQubits, stateMemory }: Pick<CircuitLimits, 'maxQubits' | 'stateMemory'>,
): string {
  const limit = `the limit max_qubits is ${maxQubits}`;
  if (stateMemory === undefined || numQubits > MAX_EXPLAINED_QUBITS) return `${limit}.`;
  const needed = Math.ceil((stateMemory.bytesPerAmplitude * 2 ** numQubits) / MIB);
  const given = Math.floor(stateMemory.bytes / MIB);
  // A limit may be set lower than memory asks for.
  if (needed <= given) return `${limit}.`;
  return `${limit}: the amplitudes need ${needed} MiB, and there are ${given} MiB for them.`;
}

const MIB = 2 ** 20;
/** Beyond this the figure means nothing to anybody. */
const MAX_EXPLAINED_QUBITS = 64;

/** Classical bits a circuit may have, whatever runs it: outcomes stay short enough to list. */
export const MAX_CLASSICAL_BITS = 1024;

/** Bits one condition may read: its value stays an exact 32-bit number on every engine. */
export const MAX_CONDITION_BITS = 32;

/** Targets of an explicit unitary: 4^6 entries fit every engine's fast memory. */
export const MAX_UNITARY_QUBITS = 6;

/** How far U†U of an explicit unitary may be from the identity, in its worst entry. */
export const UNITARITY_TOLERANCE = 1e-6;
