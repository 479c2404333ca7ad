/** Where the probability behind a share of trials lies. */

/** The 0.975 quantile of the normal distribution. */
const Z = 1.959963984540054;

/**
 * The interval that holds the probability in 95 of 100 cases; null where there were no trials.
 *
 * @see Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
 */
export function wilsonInterval(hits: number, trials: number): readonly [number, number] | null {
  if (trials === 0) return null;
  const share = hits / trials;
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + (Z / (2 * trials)) ** 2);
  const scale = 1 + Z ** 2 / trials;
  const middle = share + Z ** 2 / (2 * trials);
  // At no hits, or only hits, the ends are 0 and 1 but for rounding.
  return [
    hits === 0 ? 0 : (middle - spread) / scale,
    hits === trials ? 1 : (middle + spread) / scale,
  ];
}
