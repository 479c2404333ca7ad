/** Readout confusion of exact distributions. */

/** Misreads one bit of every value in a distribution. */
export function confuse(
  distribution: Float64Array,
  bit: number,
  p1Given0: number,
  p0Given1: number,
): void {
  const mask = 2 ** bit;
  for (let x = 0; x < distribution.length; x++) {
    if ((x & mask) !== 0) continue;
    const [zero, one] = [distribution[x]!, distribution[x | mask]!];
    distribution[x] = (1 - p1Given0) * zero + p0Given1 * one;
    distribution[x | mask] = p1Given0 * zero + (1 - p0Given1) * one;
  }
}
