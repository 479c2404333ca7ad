/** Exact binomial probabilities by sums of logarithms, for what shots must do by chance. */

/** P(k successes) for k = 0 … trials. */
export function binomial(trials: number, probability: number): readonly number[] {
  const logFactorials = [0];
  for (let k = 1; k <= trials; k++) logFactorials.push(logFactorials[k - 1]! + Math.log(k));
  // 0 · log 0 counts as 0: what is certain happens every time.
  const times = (count: number, p: number) => (count === 0 ? 0 : count * Math.log(p));
  return logFactorials.map((ofK, k) =>
    Math.exp(
      logFactorials[trials]! -
        ofK -
        logFactorials[trials - k]! +
        times(k, probability) +
        times(trials - k, 1 - probability),
    ),
  );
}

/** P(an estimate of ⟨Z₀⟩ from so many shots is above the threshold). */
export function chanceAbove(threshold: number, expectation: number, shots: number): number {
  // Rounding may leave an exact value a hair outside of [−1, 1].
  const clear = Math.min(1, Math.max(0, (1 + expectation) / 2));
  return binomial(shots, clear).reduce(
    (sum, p, k) => ((2 * k) / shots - 1 > threshold ? sum + p : sum),
    0,
  );
}
