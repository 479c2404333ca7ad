/** A decision and its margin in plain words. */
import type { DemoAnswer } from './demo-answer.ts';
import { capitalized, grouped } from './numbers.ts';

/**
 * In shot noises. From here on another run would hardly say otherwise: at this margin 1 in 59 would by
 * shot noise alone, Φ(−3 / √2) because both runs have it, and at larger margins fewer.
 */
const CLEAR = 3;
/** Below this the threshold lies within the shot noise of the measured value. */
const OPEN = 1;

/** What the page says of a result. */
export interface Verdict {
  readonly certainty: 'clear' | 'close' | 'open';
  readonly title: string;
  readonly sentence: string;
}

/** Says how clear a call is: the distance from the threshold, and the shot noise it was measured with. */
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

/** The service divides the distance by the shot noise; dividing by its answer gives the noise it took. */
function distanceInWords({
  expectation,
  threshold,
  margin,
}: Pick<DemoAnswer, 'expectation' | 'threshold' | 'margin'>): string {
  const distance = Math.abs(expectation - threshold);
  if (margin === 0) return 'On the threshold';
  return `${distance.toFixed(3)} ± ${(distance / margin).toFixed(3)} from the threshold`;
}
