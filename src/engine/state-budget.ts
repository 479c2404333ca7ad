/** How many states a run may hold at once; each branch of a mid-circuit measurement has its own. */

/** What a state takes, and how many are allowed. */
export interface StateBudget {
  readonly stateBytes: number;
  /** At least 1: a program that fits the engine always runs while its shots stay together. */
  readonly maxStates: number;
}

/**
 * The budget of a program.
 *
 * @param bytesPerAmplitude - 16 in double precision, 8 in single.
 * @param memoryBytes - For all the states of one run; may be infinite.
 */
export function stateBudget(
  numQubits: number,
  bytesPerAmplitude: number,
  memoryBytes: number,
): StateBudget {
  const stateBytes = bytesPerAmplitude * 2 ** numQubits;
  return { stateBytes, maxStates: Math.max(1, Math.floor(memoryBytes / stateBytes)) };
}
