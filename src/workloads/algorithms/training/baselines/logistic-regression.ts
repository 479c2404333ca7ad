/**
 * Logistic regression with a penalty on the squared weights, by Newton's method.
 *
 * Minimises C·Σ ln(1 + e^{−z}) + ½·|w|² with C = 1, z being the log-odds of what is true; the
 * intercept is not penalised. The decision value is the log-odds of class 1. The penalty treats all
 * features alike, so they should be of one unit or standardised.
 *
 * The penalty keeps whole steps from overshooting, except where values of a feature differ by many
 * orders of magnitude; then the second derivatives vanish, and the rows are refused.
 *
 * @see Hastie, Tibshirani, Friedman, "The Elements of Statistical Learning", section 4.4.1.
 */
import { choleskySolve } from '../../linear-algebra/cholesky.ts';
import { dot } from '../../linear-algebra/vectors.ts';
import { classCounts, type Fit, type Rows } from './decision.ts';

const PENALTY = 1;
/** Newton's method on a convex loss doubles its digits: a dozen steps are many. */
const MAX_STEPS = 100;
/** The largest slope of a loss that is a sum over rows. */
const TOLERANCE = 1e-10;

/** Trains the classifier. */
export const fitLogisticRegression: Fit = (rows, labels) => {
  classCounts(rows, labels);
  const inputs = rows.map((row) => Float64Array.from([...Array.from(row), 1]));
  let weights = new Float64Array(inputs[0]!.length);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, hessian } = slopes(inputs, labels, weights);
    if (gradient.every((slope) => Math.abs(slope) < TOLERANCE)) break;
    const descent = choleskySolve(hessian, gradient);
    weights = weights.map((weight, f) => weight - descent[f]!);
  }
  const intercept = weights[weights.length - 1]!;
  const ofFeatures = weights.subarray(0, -1);
  return (row) => dot(ofFeatures, row) + intercept;
};

function slopes(inputs: Rows, labels: ArrayLike<number>, weights: Float64Array) {
  const n = weights.length;
  const gradient = weights.map((weight, f) => (f < n - 1 ? PENALTY * weight : 0));
  const hessian = new Float64Array(n * n);
  for (let f = 0; f < n - 1; f++) hessian[f * n + f] = PENALTY;
  for (const [i, input] of inputs.entries()) {
    const probability = 1 / (1 + Math.exp(-dot(weights, input)));
    const curvature = probability * (1 - probability);
    for (let f = 0; f < n; f++) {
      gradient[f]! += (probability - labels[i]!) * input[f]!;
      for (let g = 0; g < n; g++) hessian[f * n + g]! += curvature * input[f]! * input[g]!;
    }
  }
  return { gradient, hessian };
}
