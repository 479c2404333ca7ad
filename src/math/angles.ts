/**
 * Sums and multiples of angles of any size, exact to a few roundings.
 *
 * A sum of two large doubles loses their low digits: 1e15 + 0.3 is 1e15 + 0.25. So angles are reduced before
 * they are added. Gates rotate by half angles, so angles are reduced modulo 4π, which is also right for gates
 * of period 2π.
 */

/** Angles up to this size, in radians, are not reduced. */
const LARGEST = 2 * Math.PI;

/**
 * Reduces an angle to [−2π, 2π] modulo 4π, within two roundings; angles already there do not change.
 *
 * Uses sine and cosine, which `Math` reduces exactly; a remainder would divide by a rounded π.
 */
export function reducedAngle(angle: number): number {
  if (Math.abs(angle) <= LARGEST) return angle;
  return 2 * Math.atan2(Math.sin(angle / 2), Math.cos(angle / 2));
}

/** Adds two angles modulo 4π; the result is within [−4π, 4π]. */
export function sumOfAngles(a: number, b: number): number {
  return reducedAngle(a) + reducedAngle(b);
}

/**
 * Multiplies an angle by a whole number, modulo 4π; not finite where the product is not.
 *
 * Large products are not rounded: factors of 26 bits are multiplied exactly.
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

/** Splits a number into two of at most 26 bits that add up to it. */
function halves(value: number): readonly [number, number] {
  // Scaling by a power of 2 avoids overflow.
  const scale = Math.abs(value) > 2 ** 900 ? 2 ** -100 : 1;
  const scaled = value * scale;
  const shifted = scaled * (2 ** 27 + 1);
  const high = shifted - (shifted - scaled);
  return [high / scale, (scaled - high) / scale];
}
