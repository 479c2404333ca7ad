/** Logical error rates, and how well they are known. */

/** Numbers of shots of a task. */
export interface ShotCounts {
  readonly shots: number;
  /** Among the shots that were kept. */
  readonly errors: number;
  readonly discards: number;
}

/** Standard normal quantile of 97.5 %. */
const Z = 1.959963984540054;

/** A rate with the bounds of its interval. */
export interface ErrorRate {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Errors per kept shot, with Wilson's score interval at 95 %; undefined where no shot was kept.
 *
 * @see Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
 */
export function errorRate({ shots, errors, discards }: ShotCounts): ErrorRate | undefined {
  const kept = shots - discards;
  if (kept === 0) return undefined;
  const rate = errors / kept;
  const scale = 1 + Z ** 2 / kept;
  const centre = (rate + Z ** 2 / (2 * kept)) / scale;
  const half = (Z / scale) * Math.sqrt((rate * (1 - rate)) / kept + (Z / (2 * kept)) ** 2);
  return {
    rate,
    low: errors === 0 ? 0 : Math.max(0, centre - half),
    high: errors === kept ? 1 : Math.min(1, centre + half),
  };
}
