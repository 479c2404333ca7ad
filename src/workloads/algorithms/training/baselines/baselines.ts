/** Classical classifiers, published for comparison beside a quantum one. */
import type { Fit, Rows } from './decision.ts';
import { fitLinearDiscriminant } from './linear-discriminant.ts';
import { fitLogisticRegression } from './logistic-regression.ts';
import { fitSupportVectors } from './support-vectors.ts';

/** Mean and standard deviation of each feature. */
interface StandardScaler {
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
function onStandardised(learn: Fit): Fit {
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

/** A named classifier, with the feature scaling that it needs. */
export interface Baseline {
  readonly id: 'lda' | 'logistic-regression' | 'logistic-regression-standardised' | 'svc-rbf';
  readonly name: string;
  readonly fit: Fit;
}

/** Each takes raw features. */
export const BASELINES: readonly Baseline[] = [
  { id: 'lda', name: 'Linear discriminant analysis', fit: fitLinearDiscriminant },
  {
    id: 'logistic-regression',
    name: 'Logistic regression, L2, C = 1',
    fit: fitLogisticRegression,
  },
  {
    id: 'logistic-regression-standardised',
    name: 'Logistic regression, L2, C = 1, standardised features',
    fit: onStandardised(fitLogisticRegression),
  },
  {
    id: 'svc-rbf',
    name: 'Support vectors, Gaussian kernel, C = 1, standardised features',
    fit: onStandardised(fitSupportVectors),
  },
];
