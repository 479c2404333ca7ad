/** Pauli channels as errors that happen independently of each other. */
import type { PauliChannel, PauliError } from '../../circuit/noise/channel.ts';
import { walshHadamard } from './walsh-hadamard.ts';

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
  // Strings are numbers flips + size · signs. Flips anticommute with signs, so errors stand in the transform the other
  // way around.
  const values = new Float64Array(size * size);
  let happens = 0;
  for (const { flips, signs, probability } of errors) {
    values[signs + size * flips]! += probability;
    happens += probability;
  }
  walshHadamard(values);
  for (const [a, left] of values.entries()) values[a] = Math.log1p(left - happens);
  walshHadamard(values);
  const independent: PauliError[] = [];
  for (let b = 1; b < size * size; b++) {
    const [signs, flips] = [b % size, Math.floor(b / size)];
    const probability = -Math.expm1((-2 * values[b]!) / size ** 2) / 2;
    // Written so that NaN, the logarithm of a negative number, is refused, too.
    if (!(probability > -NEGLIGIBLE)) return errors;
    if (probability > NEGLIGIBLE) independent.push({ flips, signs, probability });
  }
  return independent;
}
