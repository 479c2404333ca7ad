/** Standardises features to mean 0 and deviation 1, by the training rows. */
import type { Fit, Rows } from './decision.ts';

/** Mean and standard deviation of each feature. */
export interface StandardScaler {
  readonly means: Float64Array;
  /** Population standard deviations; 1 for a feature that never changes. */
  readonly deviations: Float64Array;
}

/** Fits a scaler to rows, of which there is at least one. */
export function standardScaler(rows: Rows): StandardScaler {
  const numFeatures = rows[0]!.length;
  const means = new Float64Array(numFeatures);
  const deviations = new Float64Array(numFeatures);
  for (let f = 0; f < numFeatures; f++) {
    for (const row of rows) means[f]! += row[f]! / rows.length;
    let squares = 0;
    for (const row of rows) squares += (row[f]! - means[f]!) ** 2;
    // A constant feature leaves rounding, which must not be blown up to 1.
    const isConstant = rows.every((row) => row[f] === rows[0]![f]);
    deviations[f] = isConstant ? 1 : Math.sqrt(squares / rows.length);
  }
  return { means, deviations };
}

/** The row in deviations from the mean. */
export function standardise(scaler: StandardScaler, row: ArrayLike<number>): Float64Array {
  return scaler.means.map((mean, f) => (row[f]! - mean) / scaler.deviations[f]!);
}

/** Wraps a classifier so that it trains on and predicts from standardised rows. */
export function onStandardised(learn: Fit): Fit {
  return (rows, labels) => {
    if (rows.length === 0) throw new RangeError('Both classes must have rows.');
    const scaler = standardScaler(rows);
    const decide = learn(
      rows.map((row) => standardise(scaler, row)),
      labels,
    );
    return (row) => decide(standardise(scaler, row));
  };
}
