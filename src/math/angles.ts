/**
 * Angles of any size, taken as the exact numbers that they are.
 *
 * The sum of two large doubles has lost what matters of both: 1e15 + 0.3 is 1e15 + 0.25. So angles are
 * reduced before they are added. Gates turn by half angles, so that whole periods of 4π are left out;
 * that is right for those of period 2π, too.
 */

/** Whole turns beyond this size are left out. */
const LARGEST = 2 * Math.PI;

/**
 * The angle itself within [−2π, 2π], else the one there that differs by a multiple of 4π, within two
 * roundings. By sine and cosine, which `Math` reduces exactly, where a remainder would be of a
 * rounded π.
 */
export function reducedAngle(angle: number): number {
  if (Math.abs(angle) <= LARGEST) return angle;
  return 2 * Math.atan2(Math.sin(angle / 2), Math.cos(angle / 2));
}

/** The sum, up to a multiple of 4π; within [−4π, 4π]. */
export function sumOfAngles(a: number, b: number): number {
  return reducedAngle(a) + reducedAngle(b);
}

/**
 * `times` an angle, up to a multiple of 4π; not finite where the product is not.
 *
 * A product that is large is not rounded: factors of 26 bits are multiplied exactly.
 *
 * @param times - A whole number.
 * @see Dekker, "A floating-point technique for extending the available precision" (1971).
 */
export function multipleOfAngle(angle: number, times: number): number {
  const product = angle * times;
  if (!(Math.abs(product) > LARGEST) || !Number.isFinite(product)) return product;
  const [high, low] = halves(angle);
  let sum = 0;
  for (const part of halves(times)) {
    sum = sumOfAngles(sum, sumOfAngles(high * part, low * part));
  }
  return reducedAngle(sum);
}

/** Two numbers of at most 26 bits with that sum. */
function halves(value: number): readonly [number, number] {
  // Scaled by a power of 2, so that nothing overflows.
  const scale = Math.abs(value) > 2 ** 900 ? 2 ** -100 : 1;
  const scaled = value * scale;
  const shifted = scaled * (2 ** 27 + 1);
  const high = shifted - (shifted - scaled);
  return [high / scale, (scaled - high) / scale];
}
