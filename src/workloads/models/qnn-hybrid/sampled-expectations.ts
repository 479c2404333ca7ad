/** Estimates ⟨Z₀⟩ from counts, as every inference does. */

/** Number of shots whose outcome has bit 0 clear. */
export function timesBitZeroClear(counts: ArrayLike<number>): number {
  let times = 0;
  for (let outcome = 0; outcome < counts.length; outcome += 2) times += counts[outcome]!;
  return times;
}

/** Estimate of ⟨Z₀⟩ from the number of shots with bit 0 clear. */
export function sampledExpectation(timesClear: number, shots: number): number {
  // One division, so that 96 of 100 is 0.92 and not a digit off.
  return (2 * timesClear - shots) / shots;
}

/**
 * Binomial standard error of an estimate of ⟨Z₀⟩.
 *
 * If all shots agree, the plain estimate of the error would be 0; half a shot is then counted for the
 * other outcome.
 *
 * @param timesClear - Shots with bit 0 clear, 0 … shots.
 * @see Wilson, "Probable inference, the law of succession, and statistical inference" (1927), on why the
 *   plain error fails at the ends.
 */
export function standardError(timesClear: number, shots: number): number {
  const isCertain = timesClear === 0 || timesClear === shots;
  const p = isCertain ? 0.5 / (shots + 1) : timesClear / shots;
  return 2 * Math.sqrt((p * (1 - p)) / shots);
}

/** Distance between an estimate and a threshold in standard errors; not negative. */
export function marginInShotNoise(timesClear: number, shots: number, threshold: number): number {
  const distance = Math.abs(sampledExpectation(timesClear, shots) - threshold);
  return distance / standardError(timesClear, shots);
}
