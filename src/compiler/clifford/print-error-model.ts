/**
 * Prints a detector error model in Stim's format.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, for the format.
 */
import { type IndependentErrors, SEPARATOR, type Symptoms } from './symptoms.ts';

/** Digits of a probability; rounding spoils the ones after them. */
const DIGITS = 15;

/**
 * The errors, a line each, then what has to be declared.
 *
 * @param coordinates - Of each detector; a list may be empty.
 */
export function printErrorModel(
  { numDetectors, numObservables, errors }: IndependentErrors,
  coordinates: readonly (readonly number[])[] = [],
): string {
  const seen = new Uint8Array(numDetectors + numObservables);
  const lines = errors.map(({ symptoms, probability }) => {
    for (const each of symptoms) if (each !== SEPARATOR) seen[each] = 1;
    return `error(${Number(probability.toPrecision(DIGITS))}) ${symptomNames(symptoms, numDetectors)}`;
  });
  // Parities that no error flips are declared, so that the model has as many of each as the request; detectors also to
  // state their coordinates.
  for (const [i, isSeen] of seen.entries()) {
    const place = coordinates[i] ?? [];
    if (isSeen === 1 && place.length === 0) continue;
    const at = place.length === 0 ? '' : `(${place.join(', ')})`;
    lines.push(
      i < numDetectors ? `detector${at} D${i}` : `logical_observable L${i - numDetectors}`,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** `D0 D3 L0`, or `D0 D3 ^ D5 L0` for an error of two parts. */
export function symptomNames(symptoms: Symptoms, numDetectors: number): string {
  return symptoms
    .map((each) => {
      if (each === SEPARATOR) return '^';
      return each < numDetectors ? `D${each}` : `L${each - numDetectors}`;
    })
    .join(' ');
}
