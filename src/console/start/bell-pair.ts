/** The circuit of the first page: a Bell pair, with its state after each gate. */

/** A gate on one of two qubits; `cx` has a control, too. */
export type BellGate =
  | { readonly gate: 'h'; readonly qubit: 0 | 1 }
  | { readonly gate: 'cx'; readonly control: 0 | 1; readonly qubit: 0 | 1 };

/** Gates that make a Bell pair of two qubits in state 0. */
export const BELL_GATES: readonly BellGate[] = [
  { gate: 'h', qubit: 0 },
  { gate: 'cx', control: 0, qubit: 1 },
];

/** Labels of the outcomes in the order of the probabilities; qubit 0 is the right one. */
export const OUTCOMES = ['00', '01', '10', '11'] as const;

/** Explanation of the state after 0, 1 and 2 gates. */
export const STEP_WORDS: readonly string[] = [
  'Both qubits are 0.',
  'H puts qubit 0 in a superposition: measured, it is 0 or 1, each half of the time.',
  'CX ties qubit 1 to it: measured, both are 0 or both are 1. Neither had a value before.',
];

/**
 * Probabilities of the four outcomes after some gates on two qubits in state 0. Amplitudes are real, since both
 * gates are.
 */
export function probabilitiesAfter(gates: readonly BellGate[]): readonly number[] {
  let amplitudes: readonly number[] = [1, 0, 0, 0];
  for (const gate of gates) {
    const from = amplitudes;
    const bit = 1 << gate.qubit;
    const at = (index: number) => from[index] ?? 0;
    amplitudes = from.map((amplitude, index) => {
      const isOne = (index & bit) !== 0;
      if (gate.gate === 'cx') return index & (1 << gate.control) ? at(index ^ bit) : amplitude;
      return ((isOne ? -amplitude : amplitude) + at(index ^ bit)) * Math.SQRT1_2;
    });
  }
  return amplitudes.map((amplitude) => amplitude ** 2);
}
