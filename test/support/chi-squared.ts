/** Pearson's test of counts against an exact distribution. */

/** The statistic, and the bound it stays under. */
export interface ChiSquared {
  readonly statistic: number;
  /** Exceeded by chance once in a million seeds. */
  readonly bound: number;
}

/** The normal deviate that is exceeded with probability 1e-6. */
const DEVIATE = 4.753;
/** Outcomes expected less often than this are taken together, as the test demands. */
const LEAST_EXPECTED = 5;

/**
 * Compares counts with an exact distribution.
 *
 * @throws {Error} when an outcome occurred that has no probability.
 * @see Wilson & Hilferty (1931) for the bound: the cube root of χ²/df is close to normal.
 */
export function chiSquared(
  counts: ReadonlyMap<string, number>,
  exact: ReadonlyMap<string, number>,
): ChiSquared {
  for (const label of counts.keys()) {
    if (!exact.has(label)) throw new Error(`Outcome ${label} is impossible, but occurred.`);
  }
  const shots = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const cells: { observed: number; expected: number }[] = [];
  const rare = { observed: 0, expected: 0 };
  for (const [label, probability] of exact) {
    const cell = { observed: counts.get(label) ?? 0, expected: shots * probability };
    if (cell.expected >= LEAST_EXPECTED) {
      cells.push(cell);
    } else {
      rare.observed += cell.observed;
      rare.expected += cell.expected;
    }
  }
  if (rare.expected > 0) cells.push(rare);
  const statistic = cells.reduce((sum, c) => sum + (c.observed - c.expected) ** 2 / c.expected, 0);
  return { statistic, bound: chiSquaredBound(Math.max(1, cells.length - 1)) };
}

/** Value that χ² of `df` degrees of freedom exceeds once in a million seeds. */
export function chiSquaredBound(df: number): number {
  const spread = 2 / (9 * df);
  return df * (1 - spread + DEVIATE * Math.sqrt(spread)) ** 3;
}
