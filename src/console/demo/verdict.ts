/** Describes a decision and its margin in plain words. */

import { capitalized, grouped } from '../numbers.ts';
import type { DemoAnswer } from './demo-answer.ts';

/**
 * Margin of a clear decision, in shot noises. At this margin another run decides otherwise with
 * probability 1/59, Φ(−3 / √2) because both runs have shot noise; at larger margins less often.
 */
const CLEAR = 3;
/** Margin below which the threshold is within the shot noise of the measured value. */
const OPEN = 1;

/** Text about a result. */
export interface Verdict {
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
