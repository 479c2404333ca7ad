/**
 * Limit on the states that a run holds at once; each branch of a mid-circuit measurement has its
 * own.
 */

/** Bytes of a state, and how many states are allowed. */
export interface StateBudget {
  readonly stateBytes: number;
  /** At least 1: a program that fits the engine always runs as long as its shots do not split. */
  readonly maxStates: number;
}

/**
 * Computes the budget of a program.
 *
 * @param bytesPerAmplitude - 16 in double precision, 8 in single.
 * @param memoryBytes - Memory for all states of one run; may be infinite.
 */
export function stateBudget(
  numQubits: number,
  bytesPerAmplitude: number,
  memoryBytes: number,
): StateBudget {
  const stateBytes = bytesPerAmplitude * 2 ** numQubits;
  return { stateBytes, maxStates: Math.max(1, Math.floor(memoryBytes / stateBytes)) };
}
