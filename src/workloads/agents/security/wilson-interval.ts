/** Confidence interval of a probability, by Wilson's method. */

/** The 0.975 quantile of the normal distribution. */
const Z = 1.959963984540054;

/**
 * The 95 % confidence interval of a probability; null without trials.
 *
 * @see Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
 */
export function wilsonInterval(hits: number, trials: number): readonly [number, number] | null {
  if (trials === 0) return null;
  const share = hits / trials;
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + (Z / (2 * trials)) ** 2);
  const scale = 1 + Z ** 2 / trials;
  const middle = share + Z ** 2 / (2 * trials);
  // With no hits, or only hits, an end is exactly 0 or 1; rounding is removed.
  return [
    hits === 0 ? 0 : (middle - spread) / scale,
    hits === trials ? 1 : (middle + spread) / scale,
  ];
}
