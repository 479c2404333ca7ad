/** Layout of the accuracy chart: means and spreads on one scale, in pixels. */

/** Accuracy of one model; fractions. */
export interface AccuracyRow {
  readonly mean: number;
  readonly spread: number;
}

/** Position of a mean and its spread, clipped at the scale's ends. */
export interface AccuracyPlace {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

/** Room for the marks at the ends. */
const MARGIN = 6;
/** The scale begins at a multiple of this. */
const STEP = 0.1;

/** Lays out rows on a scale that ends at 1 and begins below the lowest spread. */
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
