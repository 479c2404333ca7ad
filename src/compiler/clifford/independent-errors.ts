/**
 * Errors of which one at most happens, as errors that happen independently of each other.
 *
 * Errors are the elements of a group in which each is its own inverse, so that an element is a number and two errors
 * together are its XOR: Pauli strings without their phases, or what they flip. An eigenvalue of the channel is the sum of
 * the probabilities, negative where an element has an odd number of bits in common with the eigenvalue's index. Those of
 * channels that act one after the other are multiplied, and that of an error of probability q is 1 − 2q where it is
 * negative. So a Walsh–Hadamard transform of their logarithms gives the q.
 */
import { walshHadamard } from '../../math/walsh-hadamard.ts';

/** Largest error of an eigenvalue, by element: the rounding of sums and logarithms. */
const ROUNDING = 1e-15;

/**
 * Probabilities of independent errors that together are the channel; undefined if there are none.
 *
 * @param disjoint - Probability of each element that it happens and no other; as many as a power of two. That of 0, the
 *   identity, is what is left and not read.
 * @returns By element; 0 for the identity.
 */
export function independentErrors(disjoint: Float64Array): Float64Array | undefined {
  const size = disjoint.length;
  const tolerance = ROUNDING * size;
  let total = 0;
  for (let i = 1; i < size; i++) total += disjoint[i]!;
  const likeliest = likeliestOf(disjoint, 1 - total - tolerance);
  // An error that happens more often than not is one that always happens, and is undone by one that does not.
  const deviations = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    if (i !== likeliest) deviations[i ^ likeliest] = i === 0 ? 1 - total : disjoint[i]!;
  }
  for (let i = 1; i < size; i++) deviations[0]! -= deviations[i]!;
  // Differences of the eigenvalues from 1, so that small probabilities keep their digits.
  walshHadamard(deviations);
  const [logarithms, zeros] = [new Float64Array(size), new Float64Array(size)];
  for (const [i, deviation] of deviations.entries()) {
    if (1 + deviation < -tolerance) return undefined;
    if (1 + deviation > tolerance) logarithms[i] = Math.log1p(deviation);
    else zeros[i] = 1;
  }
  const found = solved(logarithms, zeros, ROUNDING * total);
  if (!haveEigenvalues(found, deviations, tolerance)) return undefined;
  if (likeliest > 0) found[likeliest] = 1 - found[likeliest]!;
  return found;
}

/** The element of the greatest probability; the identity unless another exceeds this. */
function likeliestOf(disjoint: Float64Array, ofIdentity: number): number {
  let [likeliest, most] = [0, ofIdentity + 2 * ROUNDING * disjoint.length];
  for (let i = 1; i < disjoint.length; i++) {
    if (disjoint[i]! > most) [likeliest, most] = [i, disjoint[i]!];
  }
  return likeliest;
}

/**
 * The probabilities for eigenvalues.
 *
 * @param zeros - 1 for each eigenvalue that is 0, whose logarithm is left out. The result is the limit of one small value for
 *   all of them: fully depolarizing noise is that of each error with probability 1/2.
 * @param least - Probabilities below this are rounding.
 */
function solved(logarithms: Float64Array, zeros: Float64Array, least: number): Float64Array {
  const size = logarithms.length;
  walshHadamard(logarithms);
  walshHadamard(zeros);
  const found = new Float64Array(size);
  for (let i = 1; i < size; i++) {
    const q = zeros[i]! < 0 ? 0.5 : -Math.expm1((-2 * logarithms[i]!) / size) / 2;
    if (zeros[i]! <= 0 && q > least) found[i] = q;
  }
  return found;
}

/** Whether independent errors have the eigenvalues that differ from 1 by these. */
function haveEigenvalues(
  probabilities: Float64Array,
  deviations: Float64Array,
  tolerance: number,
): boolean {
  const size = probabilities.length;
  const [logarithms, halves] = [new Float64Array(size), new Float64Array(size)];
  for (const [i, q] of probabilities.entries()) {
    if (q === 0.5) halves[i] = 1;
    else logarithms[i] = Math.log1p(-2 * q);
  }
  walshHadamard(logarithms);
  walshHadamard(halves);
  return deviations.every((deviation, i) => {
    const isZero = halves[i]! < halves[0]!;
    const found = isZero ? -1 : Math.expm1((logarithms[0]! - logarithms[i]!) / 2);
    return Math.abs(found - deviation) <= tolerance;
  });
}
