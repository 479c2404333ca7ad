/** Classical classifiers of two classes, published for comparison beside a quantum one. */
import { choleskySolve, dot } from '../linear-algebra/vectors.ts';

/** Feature rows of one length. */
export type Rows = readonly ArrayLike<number>[];

/** A trained classifier: above 0 it says class 1, else class 0. */
export type DecisionFunction = (row: ArrayLike<number>) => number;

/**
 * Trains a classifier of two classes.
 *
 * Labels are 0 and 1, one a row.
 *
 * @throws {RangeError} if a class has no rows, or the rows do not determine the classifier.
 */
export type Fit = (rows: Rows, labels: ArrayLike<number>) => DecisionFunction;

/** The class that a decision value predicts. */
export function classOf(decision: number): 0 | 1 {
  return decision > 0 ? 1 : 0;
}

/** Number of rows of class 0 and of class 1. */
function classCounts(rows: Rows, labels: ArrayLike<number>): readonly [number, number] {
  if (labels.length !== rows.length) {
    throw new RangeError(`There are ${labels.length} labels for ${rows.length} rows.`);
  }
  const counts: [number, number] = [0, 0];
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    if (label !== 0 && label !== 1) throw new RangeError(`Label ${label} is neither 0 nor 1.`);
    counts[label]++;
  }
  if (counts[0] === 0 || counts[1] === 0) throw new RangeError('Both classes must have rows.');
  return counts;
}

/**
 * Trains linear discriminant analysis, two normal distributions of one covariance; features need no scaling.
 *
 * The decision value is the log-odds of class 1, with classes as frequent as in the training rows.
 *
 * @see Hastie, Tibshirani, Friedman, "The Elements of Statistical Learning", section 4.3.
 */
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

const PENALTY = 1;
/** Newton's method on a convex loss doubles its digits: a dozen steps are many. */
const MAX_STEPS = 100;
/** The largest slope of a loss that is a sum over rows. */
const LARGEST_SLOPE = 1e-10;

/**
 * Trains logistic regression with a penalty on the squared weights, by Newton's method.
 *
 * Minimises C·Σ ln(1 + e^{−z}) + ½·|w|² with C = 1, z being the log-odds of the true class; the
 * intercept is not penalised. The decision value is the log-odds of class 1. The penalty treats all
 * features alike, so they should be of one unit or standardised.
 *
 * The penalty keeps whole steps from overshooting, except where values of a feature differ by many
 * orders of magnitude; then the second derivatives vanish, and the rows are refused.
 *
 * @see Hastie, Tibshirani, Friedman, "The Elements of Statistical Learning", section 4.4.1.
 */
export const fitLogisticRegression: Fit = (rows, labels) => {
  classCounts(rows, labels);
  const inputs = rows.map((row) => Float64Array.from([...Array.from(row), 1]));
  let weights = new Float64Array(inputs[0]!.length);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, hessian } = slopes(inputs, labels, weights);
    if (gradient.every((slope) => Math.abs(slope) < LARGEST_SLOPE)) break;
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

/** Largest weight of a row. */
const LARGEST_WEIGHT = 1;
/** Largest violation of the optimality conditions; decision values are as accurate. */
const LARGEST_VIOLATION = 1e-8;
/** In place of a curvature that is not positive: equal rows. */
const LEAST_CURVATURE = 1e-12;
/** Some hundred steps a row are usual; more than these do not occur. */
const MAX_STEPS_PER_ROW = 100_000;

/**
 * Trains a support vector classifier with Gaussian kernel exp(−γ·|x − y|²) by sequential minimal
 * optimisation; features should be standardised.
 *
 * C = 1, and γ is one over the number of features times the variance of all their values. The
 * working pair is the one that promises most by second-order information, the first of equals: no
 * chance takes part.
 *
 * @see Fan, Chen, Lin, "Working set selection using second order information for training support
 *   vector machines" (2005); Chang & Lin, "LIBSVM" (2011), section 4.
 */
export const fitSupportVectors: Fit = (rows, labels) => {
  classCounts(rows, labels);
  const gamma = scaledGamma(rows);
  const kernel = rows.map((a) => Float64Array.from(rows, (b) => gaussian(gamma, a, b)));
  const signs = rows.map((_, i) => 2 * labels[i]! - 1);
  const { weights, offset } = minimise(kernel, signs);
  return (row) => {
    let sum = offset;
    for (let i = 0; i < rows.length; i++) {
      if (weights[i]! > 0) sum += weights[i]! * signs[i]! * gaussian(gamma, rows[i]!, row);
    }
    return sum;
  };
};

function scaledGamma(rows: Rows): number {
  const values = rows.flatMap((row) => Array.from(row));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return squares === 0 ? 1 : values.length / (rows[0]!.length * squares);
}

function gaussian(gamma: number, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let squares = 0;
  for (let f = 0; f < a.length; f++) squares += (a[f]! - b[f]!) ** 2;
  return Math.exp(-gamma * squares);
}

/**
 * Minimises ½·Σ w_i·w_j·s_i·s_j·k_ij − Σ w_i over 0 ≤ w ≤ 1 with Σ s_i·w_i = 0.
 *
 * @returns The weights, and the constant added to Σ w_i·s_i·k_i.
 */
function minimise(kernel: readonly Float64Array[], signs: readonly number[]) {
  const weights = new Float64Array(signs.length);
  // −s_i times the slope of the goal by w_i; equal for all free weights at the minimum.
  const pull = Float64Array.from(signs);
  const mayRise = (i: number) => (signs[i]! > 0 ? weights[i]! < LARGEST_WEIGHT : weights[i]! > 0);
  const mayFall = (i: number) => (signs[i]! > 0 ? weights[i]! > 0 : weights[i]! < LARGEST_WEIGHT);
  for (let step = 0; step < MAX_STEPS_PER_ROW * signs.length; step++) {
    let up = -1;
    for (let i = 0; i < signs.length; i++) {
      if (mayRise(i) && (up < 0 || pull[i]! > pull[up]!)) up = i;
    }
    let [down, lowest, best] = [-1, Number.POSITIVE_INFINITY, 0];
    for (let i = 0; i < signs.length; i++) {
      if (up < 0 || !mayFall(i)) continue;
      lowest = Math.min(lowest, pull[i]!);
      const gap = pull[up]! - pull[i]!;
      const gain = gap > 0 ? gap ** 2 / curvature(kernel, up, i) : 0;
      if (gain > best) [down, best] = [i, gain];
    }
    if (down < 0 || pull[up]! - lowest < LARGEST_VIOLATION) {
      return { weights, offset: offsetOf(pull, mayRise, mayFall) };
    }
    const wanted = (pull[up]! - pull[down]!) / curvature(kernel, up, down);
    const [roomUp, roomDown] = [
      signs[up]! > 0 ? LARGEST_WEIGHT - weights[up]! : weights[up]!,
      signs[down]! > 0 ? weights[down]! : LARGEST_WEIGHT - weights[down]!,
    ];
    const moved = Math.min(wanted, roomUp, roomDown);
    // A bound that is reached is met exactly: comparisons with it decide which weights may move.
    weights[up] =
      moved === roomUp ? (signs[up]! > 0 ? LARGEST_WEIGHT : 0) : weights[up]! + signs[up]! * moved;
    weights[down] =
      moved === roomDown
        ? signs[down]! > 0
          ? 0
          : LARGEST_WEIGHT
        : weights[down]! - signs[down]! * moved;
    for (let i = 0; i < signs.length; i++) {
      pull[i]! -= moved * (kernel[up]![i]! - kernel[down]![i]!);
    }
  }
  throw new Error('unreachable: the support vectors were not found');
}

function curvature(kernel: readonly Float64Array[], i: number, j: number): number {
  return Math.max(kernel[i]![i]! + kernel[j]![j]! - 2 * kernel[i]![j]!, LEAST_CURVATURE);
}

/** The middle between the bounds of weights that may rise and of weights that may fall. */
function offsetOf(
  pull: Float64Array,
  mayRise: (i: number) => boolean,
  mayFall: (i: number) => boolean,
): number {
  let [highest, lowest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < pull.length; i++) {
    if (mayRise(i)) highest = Math.max(highest, pull[i]!);
    if (mayFall(i)) lowest = Math.min(lowest, pull[i]!);
  }
  return (highest + lowest) / 2;
}

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
