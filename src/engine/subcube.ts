/** Subcubes of basis states, on which the operations of a batch act. */

/** The basis states whose bits under `mask` are `value`. */
export interface Subcube {
  readonly mask: number;
  readonly value: number;
}

/**
 * The basis states in which the targets read `row` and the controls are 1.
 *
 * @param controls - Mask of qubits.
 * @param targets - Bit i of a row is targets[i].
 */
export function rowSubcube(controls: number, targets: readonly number[], row: number): Subcube {
  const mask = targets.reduce((all, qubit) => all | (1 << qubit), controls);
  const value = targets.reduce((all, qubit, i) => all | (((row >> i) & 1) << qubit), controls);
  return { mask, value };
}
