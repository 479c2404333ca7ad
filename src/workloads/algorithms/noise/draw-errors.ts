/**
 * Draws patterns of errors, with at least one error each.
 *
 * The probability of no error is a product, so that part of the average needs no draws; the rarer errors
 * are, the more this saves. The first error's site is drawn from its exact distribution; the sites after
 * it fail independently.
 */
import { uniformDraw } from '../../../math/philox.ts';
import type { NoiseLevel } from './noise-levels.ts';
import type { ErrorSite, PauliError } from './pauli-slots.ts';

/** Distribution of error patterns. */
export interface ErrorModel {
  /** Error rate of each site. */
  readonly rates: readonly number[];
  readonly numPaulis: readonly number[];
  /** Natural logarithm of the probability that no site up to and including each one fails. */
  readonly logSurvival: readonly number[];
  /** Probability of at least one error. */
  readonly anyError: number;
}

/** Error model of a noise level. */
export function errorModel(sites: readonly ErrorSite[], level: NoiseLevel): ErrorModel {
  const rates = sites.map(({ qubits }) =>
    qubits.length === 1 ? level.oneQubitError : level.twoQubitError,
  );
  let sum = 0;
  const logSurvival = rates.map((rate) => {
    sum += Math.log1p(-rate);
    return sum;
  });
  return {
    rates,
    numPaulis: sites.map(({ qubits }) => 4 ** qubits.length - 1),
    logSurvival,
    anyError: -Math.expm1(sum),
  };
}

/**
 * Draws a pattern.
 *
 * @param stream - Separates the draws of one level from those of another; below 2^31.
 * @returns At least one error, ascending by site; call only if `anyError` is not 0.
 */
export function drawErrors(
  { rates, numPaulis, logSurvival, anyError }: ErrorModel,
  seed: number,
  trajectory: number,
  stream: number,
): readonly PauliError[] {
  const numSites = rates.length;
  const draw = (place: number) => uniformDraw(seed, trajectory, stream, place);
  // The first site at which the cumulative probability of an error reaches the draw.
  const target = Math.log1p(-draw(0) * anyError);
  let first = 0;
  while (first < numSites - 1 && (rates[first] === 0 || logSurvival[first]! > target)) first++;
  // Rounding may lead past the last site that can fail.
  while (rates[first] === 0) first--;
  const errors: PauliError[] = [];
  for (let site = first; site < numSites; site++) {
    const hasFailed = site === first || draw(2 * site + 1) < rates[site]!;
    if (!hasFailed) continue;
    const pauli = 1 + Math.floor(draw(2 * site + 2) * numPaulis[site]!);
    errors.push({ site, pauli });
  }
  return errors;
}
