/**
 * From measured features to circuit inputs in [−1, 1], linearly by the range seen in training.
 *
 * What lies outside that range is drawn to its end and reported: a circuit is periodic in its inputs,
 * so that beyond the range it would not extrapolate but come round again.
 */

/** The range of each feature in the training data. */
export interface FeatureScaler {
  readonly minimums: readonly number[];
  readonly maximums: readonly number[];
}

/** A row as the circuit takes it. */
export interface ScaledRow {
  /** In [−1, 1], one a feature. */
  readonly values: readonly number[];
  /** Features that were outside the range, ascending. */
  readonly outOfRange: readonly number[];
}

/**
 * The scaler of those rows.
 *
 * @param rows - At least one; every feature must take two values at least.
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
