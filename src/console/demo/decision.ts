/**
 * Turns counts into a decision: each outcome counts +1 or −1, their mean is the measured
 * expectation, and its side of the threshold is the class. The page recomputes the decision from
 * the returned counts, so that the drawing shows exactly what was counted.
 */

/** Statistics of a ±1 observable. */
export interface Tally {
  readonly plus: number;
  readonly minus: number;
  readonly shots: number;
  /** Mean of the outcomes' signs. */
  readonly expectation: number;
  /** Standard error of the mean: √((1 − mean²) / shots), the shot noise. */
  readonly standardError: number;
}

/**
 * Sign of an outcome.
 *
 * @param outcome - A bit string, qubit 0 rightmost.
 * @param qubits - Qubits of the observable, a product of Z.
 */
export function signOf(outcome: string, qubits: readonly number[]): 1 | -1 {
  const ones = qubits.filter((qubit) => outcome.at(-1 - qubit) === '1');
  return ones.length % 2 === 0 ? 1 : -1;
}

/** Sums counts by bit string; outcomes that did not occur may be missing. */
export function tally(counts: ReadonlyMap<string, number>, qubits: readonly number[]): Tally {
  let plus = 0;
  let minus = 0;
  for (const [outcome, count] of counts) {
    if (signOf(outcome, qubits) === 1) plus += count;
    else minus += count;
  }
  const shots = plus + minus;
  const expectation = shots === 0 ? 0 : (plus - minus) / shots;
  const standardError = shots === 0 ? 1 : Math.sqrt((1 - expectation ** 2) / shots);
  return { plus, minus, shots, expectation, standardError };
}

/** All outcomes of this many qubits, in the order of basis indices. */
export function outcomesOf(qubits: number): readonly string[] {
  return Array.from({ length: 2 ** qubits }, (_, index) => index.toString(2).padStart(qubits, '0'));
}
