/** Distributions over the values of a classical register: readout errors, and how far two are apart. */

/**
 * The distribution that is read when each of `bits` is flipped with that probability; exact.
 *
 * @param probabilities - Length a power of two.
 */
export function misread(
  probabilities: Float64Array,
  bits: readonly number[],
  flip: number,
): Float64Array {
  let before = probabilities;
  for (const bit of bits) {
    const after = new Float64Array(before.length);
    for (let value = 0; value < before.length; value++) {
      after[value] = (1 - flip) * before[value]! + flip * before[value ^ (1 << bit)]!;
    }
    before = after;
  }
  return before;
}

/** Half the sum of the differences: 0 alike, 1 without common outcomes. */
export function totalVariationDistance(p: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += Math.abs(p[i]! - q[i]!);
  return sum / 2;
}

/** (Σ √(p·q))²: 1 alike, 0 without common outcomes. */
export function classicalFidelity(p: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += Math.sqrt(Math.max(0, p[i]! * q[i]!));
  // Rounding must not lead past 1.
  return Math.min(1, sum ** 2);
}
