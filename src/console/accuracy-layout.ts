/** Where means and spreads of accuracies stand on one scale, in pixels. */

/** One model: fractions. */
export interface AccuracyRow {
  readonly mean: number;
  readonly spread: number;
}

/** Its mean, and its spread to both sides, cut at the scale's ends. */
export interface AccuracyPlace {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

/** For the marks at the ends. */
const MARGIN = 6;
/** The scale begins with a multiple of it. */
const STEP = 0.1;

/** Places rows on a scale that ends with 1 and begins where all of them are seen. */
export function layoutAccuracy(
  rows: readonly AccuracyRow[],
  width: number,
): readonly AccuracyPlace[] {
  const lowest = Math.min(...rows.map(({ mean, spread }) => mean - spread));
  const start = Math.max(0, Math.floor(lowest / STEP + 1e-9) * STEP);
  const place = (value: number) => {
    const share = Math.min(1, Math.max(0, (value - start) / (1 - start)));
    return MARGIN + share * (width - 2 * MARGIN);
  };
  return rows.map(({ mean, spread }) => ({
    from: place(mean - spread),
    at: place(mean),
    to: place(mean + spread),
  }));
}
