/**
 * Linear discriminant analysis: two normal distributions of one covariance.
 *
 * The decision value is the log-odds of class 1, with classes as frequent as in the training rows.
 *
 * @see Hastie, Tibshirani, Friedman, "The Elements of Statistical Learning", section 4.3.
 */
import { choleskySolve } from '../../linear-algebra/cholesky.ts';
import { dot } from '../../linear-algebra/vectors.ts';
import { classCounts, type DecisionFunction, type Fit, type Rows } from './decision.ts';

/** Trains the classifier; features need no scaling. */
export const fitLinearDiscriminant: Fit = (rows, labels): DecisionFunction => {
  const counts = classCounts(rows, labels);
  const means = [0, 1].map((label) => meanOf(rows.filter((_, i) => labels[i] === label)));
  const [mean0, mean1] = [means[0]!, means[1]!];
  const covariance = pooledCovariance(rows, labels, means);
  const weights = choleskySolve(
    covariance,
    mean1.map((value, f) => value - mean0[f]!),
  );
  const middle = mean0.map((value, f) => (value + mean1[f]!) / 2);
  const intercept = Math.log(counts[1] / counts[0]) - dot(weights, middle);
  return (row) => dot(weights, row) + intercept;
};

function meanOf(rows: Rows): Float64Array {
  const sum = new Float64Array(rows[0]!.length);
  for (const row of rows) {
    for (let f = 0; f < sum.length; f++) sum[f]! += row[f]!;
  }
  return sum.map((value) => value / rows.length);
}

/** The most likely one, as scikit-learn has it: divided by the rows, not by two less. */
function pooledCovariance(
  rows: Rows,
  labels: ArrayLike<number>,
  means: readonly Float64Array[],
): Float64Array {
  const n = means[0]!.length;
  const out = new Float64Array(n * n);
  for (const [i, row] of rows.entries()) {
    const mean = means[labels[i]!]!;
    for (let f = 0; f < n; f++) {
      for (let g = 0; g < n; g++) {
        out[f * n + g]! += ((row[f]! - mean[f]!) * (row[g]! - mean[g]!)) / rows.length;
      }
    }
  }
  return out;
}
