/** Pauli channels as errors that happen independently of each other. */

import type { PauliChannel, PauliError } from '../../circuit/noise/channel.ts';
import { hasOddParity } from '../../math/basis-index.ts';

/** Probabilities that rounding leaves. */
const NEGLIGIBLE = 1e-15;

/**
 * Errors whose independent occurrence is the channel, of which at most one error happens.
 *
 * With λ(a) for what the channel leaves of the Pauli string a, and q(b) for the probability of an independent error b,
 * λ(a) is the product of 1 − 2·q(b) over all b that anticommute with a. The logarithm of this is inverted by a
 * Walsh–Hadamard transform. Some channels are no such product; their own errors are then taken, which is right to first
 * order.
 */
export function independentErrors({ numQubits, errors }: PauliChannel): readonly PauliError[] {
  const size = 2 ** numQubits;
  const logs = Array.from({ length: size * size }, (_, a) => {
    const lost = errors.reduce(
      (sum, error) => (anticommute(a, error, size) ? sum + 2 * error.probability : sum),
      0,
    );
    return lost < 1 ? Math.log1p(-lost) : Number.NaN;
  });
  const independent: PauliError[] = [];
  for (let b = 1; b < size * size; b++) {
    const error = { flips: b % size, signs: Math.floor(b / size) };
    const sum = logs.reduce((s, log, a) => (anticommute(a, error, size) ? s - log : s + log), 0);
    const probability = -Math.expm1((-2 * sum) / size ** 2) / 2;
    if (!(probability > -NEGLIGIBLE)) return errors;
    if (probability > NEGLIGIBLE) independent.push({ ...error, probability });
  }
  return independent;
}

function anticommute(a: number, { flips, signs }: Omit<PauliError, 'probability'>, size: number) {
  return hasOddParity((a % size) & signs) !== hasOddParity(Math.floor(a / size) & flips);
}
