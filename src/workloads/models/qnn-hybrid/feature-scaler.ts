/**
 * Scales measured features to circuit inputs in [−1, 1], linearly by the range of the training data.
 *
 * Values outside that range are clamped and reported: a circuit is periodic in its inputs, so beyond the
 * range its output would repeat rather than extrapolate.
 */

/** The range of each feature in the training data. */
export interface FeatureScaler {
  readonly minimums: readonly number[];
  readonly maximums: readonly number[];
}

/** A row scaled for the circuit. */
export interface ScaledRow {
  /** Values in [−1, 1], one per feature. */
  readonly values: readonly number[];
  /** Indices of the features that were outside the range, ascending. */
  readonly outOfRange: readonly number[];
}

/**
 * Fits a scaler to rows.
 *
 * @param rows - At least one; every feature must take at least two values.
 */
export function fitScaler(rows: readonly (readonly number[])[]): FeatureScaler {
  const features = [...(rows[0] ?? []).keys()];
  const column = (f: number) => rows.map((row) => row[f]!);
  return {
    minimums: features.map((f) => Math.min(...column(f))),
    maximums: features.map((f) => Math.max(...column(f))),
  };
}

/** Scales one row of raw features. */
export function scaleRow({ minimums, maximums }: FeatureScaler, row: readonly number[]): ScaledRow {
  const outOfRange: number[] = [];
  const values = row.map((value, f) => {
    const [least, most] = [minimums[f]!, maximums[f]!];
    if (value < least || value > most) outOfRange.push(f);
    const inside = Math.min(most, Math.max(least, value));
    return (2 * (inside - least)) / (most - least) - 1;
  });
  return { values, outOfRange };
}
