/** A margin in plain words. */
import { capitalized, grouped } from './numbers.ts';

/**
 * From here on another run would hardly say otherwise: at this margin 1 in 59 would by shot noise
 * alone, Φ(−3 / √2) because both runs have it, and at larger margins fewer.
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

/**
 * Says how clear a call is.
 *
 * @param margin - Distance from the threshold in shot noises.
 */
export function verdict(label: string, margin: number, shots: number): Verdict {
  const name = capitalized(label);
  const distance = `${margin.toFixed(1)} shot noises from the threshold`;
  if (margin >= CLEAR) {
    return { certainty: 'clear', title: name, sentence: `${distance}: a clear call.` };
  }
  if (margin >= OPEN) {
    const sentence = `${distance}: a close call. Another run may say otherwise.`;
    return { certainty: 'close', title: name, sentence };
  }
  return {
    certainty: 'open',
    title: `${name}?`,
    sentence: `${distance}: too close to call at ${grouped(shots)} shots.`,
  };
}
