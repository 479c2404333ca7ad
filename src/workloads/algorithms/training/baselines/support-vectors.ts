/**
 * A support vector classifier with Gaussian kernel exp(−γ·|x − y|²), trained by sequential minimal
 * optimisation.
 *
 * C = 1, and γ is one over the number of features times the variance of all their values. The
 * working pair is the one that promises most by second-order information, the first of equals: no
 * chance takes part.
 *
 * @see Fan, Chen, Lin, "Working set selection using second order information for training support
 *   vector machines" (2005); Chang & Lin, "LIBSVM" (2011), section 4.
 */
import { classCounts, type Fit, type Rows } from './decision.ts';

/** Largest weight of a row. */
const C = 1;
/** Largest violation of the optimality conditions; decision values are as accurate. */
const TOLERANCE = 1e-8;
/** In place of a curvature that is not positive: equal rows. */
const LEAST_CURVATURE = 1e-12;
/** Some hundred steps a row are usual; more than these do not occur. */
const MAX_STEPS_PER_ROW = 100_000;

/** Trains the classifier; features should be standardised. */
export const fitSupportVectors: Fit = (rows, labels) => {
  classCounts(rows, labels);
  const gamma = scaledGamma(rows);
  const kernel = rows.map((a) => Float64Array.from(rows, (b) => gaussian(gamma, a, b)));
  const signs = rows.map((_, i) => 2 * labels[i]! - 1);
  const { weights, offset } = solve(kernel, signs);
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
 * Minimises ½·Σ w_i·w_j·s_i·s_j·k_ij − Σ w_i over 0 ≤ w ≤ C with Σ s_i·w_i = 0.
 *
 * @returns The weights, and what is added to Σ w_i·s_i·k_i.
 */
function solve(kernel: readonly Float64Array[], signs: readonly number[]) {
  const weights = new Float64Array(signs.length);
  // −s_i times the slope of the goal by w_i; equal for all free weights at the minimum.
  const pull = Float64Array.from(signs);
  const mayRise = (i: number) => (signs[i]! > 0 ? weights[i]! < C : weights[i]! > 0);
  const mayFall = (i: number) => (signs[i]! > 0 ? weights[i]! > 0 : weights[i]! < C);
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
    if (down < 0 || pull[up]! - lowest < TOLERANCE) {
      return { weights, offset: offsetOf(pull, mayRise, mayFall) };
    }
    const wanted = (pull[up]! - pull[down]!) / curvature(kernel, up, down);
    const [roomUp, roomDown] = [
      signs[up]! > 0 ? C - weights[up]! : weights[up]!,
      signs[down]! > 0 ? weights[down]! : C - weights[down]!,
    ];
    const moved = Math.min(wanted, roomUp, roomDown);
    // A bound that is reached is met exactly: what may move is decided by comparing with it.
    weights[up] = moved === roomUp ? (signs[up]! > 0 ? C : 0) : weights[up]! + signs[up]! * moved;
    weights[down] =
      moved === roomDown ? (signs[down]! > 0 ? 0 : C) : weights[down]! - signs[down]! * moved;
    for (let i = 0; i < signs.length; i++) {
      pull[i]! -= moved * (kernel[up]![i]! - kernel[down]![i]!);
    }
  }
  throw new Error('unreachable: the support vectors were not found');
}

function curvature(kernel: readonly Float64Array[], i: number, j: number): number {
  return Math.max(kernel[i]![i]! + kernel[j]![j]! - 2 * kernel[i]![j]!, LEAST_CURVATURE);
}

/** The middle between what weights that may rise and weights that may fall allow. */
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
