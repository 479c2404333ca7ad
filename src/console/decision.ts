/**
 * How counts become a decision: each outcome counts +1 or −1, their mean is the measured expectation,
 * and the side of the threshold that it lies on is the class. The page computes it again from the
 * counts that the service answers with, so that what is drawn is what was counted.
 */

/** What a set of counts says of a ±1 observable. */
export interface Tally {
  readonly plus: number;
  readonly minus: number;
  readonly shots: number;
  /** Mean of the outcomes' signs. */
  readonly expectation: number;
  /** Of the mean: √((1 − mean²) / shots), the shot noise. */
  readonly standardError: number;
}

/**
 * What an outcome counts.
 *
 * @param outcome - A bit string, qubit 0 rightmost.
 * @param qubits - Of the observable, a product of Z on them.
 */
export function signOf(outcome: string, qubits: readonly number[]): 1 | -1 {
  const ones = qubits.filter((qubit) => outcome.at(-1 - qubit) === '1');
  return ones.length % 2 === 0 ? 1 : -1;
}

/** Sums up counts by bit string; outcomes that never came may be left out. */
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

/** All outcomes of so many qubits, in the order of their basis index. */
export function outcomesOf(qubits: number): readonly string[] {
  return Array.from({ length: 2 ** qubits }, (_, index) => index.toString(2).padStart(qubits, '0'));
}
