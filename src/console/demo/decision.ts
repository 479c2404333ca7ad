/**
 * Turns counts into a decision: each outcome counts +1 or −1, their mean is the measured
 * expectation, and its side of the threshold is the class. The page recomputes the decision from
 * the returned counts, so that the drawing shows the exact counts, and says how clear the decision is.
 */
import { basisLabel, capitalized, grouped } from '../numbers.ts';
import type { DemoAnswer } from './demo-state.ts';

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
  return Array.from({ length: 2 ** qubits }, (_, index) => basisLabel(index, qubits));
}

/**
 * Margin of a clear decision, in shot noises. At this margin another run decides otherwise with
 * probability 1/59, Φ(−3 / √2) because both runs have shot noise; at larger margins less often.
 */
const CLEAR = 3;
/** Margin below which the threshold is within the shot noise of the measured value. */
const OPEN = 1;

/** Text about a result. */
interface Verdict {
  readonly certainty: 'clear' | 'close' | 'open';
  readonly title: string;
  readonly sentence: string;
}

/** Describes how clear a decision is, by the distance from the threshold in shot noises. */
export function verdict(
  answer: Pick<DemoAnswer, 'label' | 'expectation' | 'threshold' | 'margin' | 'shots'>,
): Verdict {
  const { label, margin, shots } = answer;
  const name = capitalized(label);
  const measured = distanceInWords(answer);
  if (margin >= CLEAR) {
    return { certainty: 'clear', title: name, sentence: `${measured}: a clear call.` };
  }
  if (margin >= OPEN) {
    const sentence = `${measured}: a close call. Another run may say otherwise.`;
    return { certainty: 'close', title: name, sentence };
  }
  const sentence = `${measured}: too close to call at ${grouped(shots)} shots.`;
  return { certainty: 'open', title: `${name}?`, sentence };
}

/**
 * The service's margin is distance divided by shot noise; dividing the distance by it gives the
 * shot noise.
 */
function distanceInWords({
  expectation,
  threshold,
  margin,
}: Pick<DemoAnswer, 'expectation' | 'threshold' | 'margin'>): string {
  const distance = Math.abs(expectation - threshold);
  if (margin === 0) return 'On the threshold';
  return `${distance.toFixed(3)} ± ${(distance / margin).toFixed(3)} from the threshold`;
}
