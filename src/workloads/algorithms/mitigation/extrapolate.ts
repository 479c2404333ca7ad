/**
 * Zero-noise extrapolation: values at several scale factors of the noise, fitted and read off at 0. Errors of the
 * values are independent, and standard errors follow by propagation.
 *
 * @see Temme, Bravyi, Gambetta, "Error mitigation for short-depth quantum circuits" (2017); Giurgica-Tiron et al.,
 *   "Digital zero noise extrapolation for quantum error mitigation" (2020), section III.
 */
import type { ExpectationEstimate } from '../../../circuit/expectation-estimates.ts';

/** A value at a scale factor; the standard error of an exact one is 0. */
export interface ScaledValue extends ExpectationEstimate {
  readonly scaleFactor: number;
}

/** Weights of values in the fit: inverse variances, or 1 for all if one of them is exact. */
function fitWeights(points: readonly ScaledValue[]): readonly number[] {
  const isSampled = points.every(({ standardError }) => standardError > 0);
  return points.map(({ standardError }) => (isSampled ? standardError ** -2 : 1));
}

/** A sum of values, each times its weight. */
function combined(points: readonly ScaledValue[], weights: readonly number[]): ExpectationEstimate {
  let [value, variance] = [0, 0];
  for (const [i, point] of points.entries()) {
    value += weights[i]! * point.value;
    variance += (weights[i]! * point.standardError) ** 2;
  }
  return { value, standardError: Math.sqrt(variance) };
}

/** A straight line by weighted least squares, through at least two different scale factors. */
export function linearFit(points: readonly ScaledValue[]): ExpectationEstimate & { slope: number } {
  const weights = fitWeights(points);
  let [sum, sumX, sumXX] = [0, 0, 0];
  for (const [i, { scaleFactor: x }] of points.entries()) {
    sum += weights[i]!;
    sumX += weights[i]! * x;
    sumXX += weights[i]! * x * x;
  }
  const determinant = sum * sumXX - sumX * sumX;
  const at = (power: 0 | 1) =>
    points.map(({ scaleFactor: x }, i) => {
      const numerator = power === 0 ? sumXX - sumX * x : sum * x - sumX;
      return (weights[i]! * numerator) / determinant;
    });
  return { ...combined(points, at(0)), slope: combined(points, at(1)).value };
}

/** Weights Π_{j≠i} x_j / (x_j − x_i) of Richardson extrapolation; they sum to 1. */
export function richardsonWeights(scaleFactors: readonly number[]): readonly number[] {
  return scaleFactors.map((x, i) =>
    scaleFactors.reduce(
      (product, other, j) => (j === i ? product : (product * other) / (other - x)),
      1,
    ),
  );
}

/** The polynomial through all values. */
export function richardsonFit(points: readonly ScaledValue[]): ExpectationEstimate {
  return combined(points, richardsonWeights(points.map(({ scaleFactor }) => scaleFactor)));
}

/** Fit of asymptote + amplitude · exp(−decay · x). */
export interface ExponentialFit extends ExpectationEstimate {
  readonly amplitude: number;
  readonly decay: number;
}

const MAX_STEPS = 100;
const MAX_HALVINGS = 30;
const TOLERANCE = 1e-14;

/**
 * A decay to a given asymptote by weighted least squares. The search begins with a line through the logarithms.
 *
 * @returns A sentence that says why there is no fit, if there is none.
 */
export function exponentialFit(
  points: readonly ScaledValue[],
  asymptote: number,
): ExponentialFit | string {
  const sign = Math.sign(points[0]!.value - asymptote);
  if (points.some(({ value }) => sign === 0 || Math.sign(value - asymptote) !== sign)) {
    return `Values at or on both sides of the asymptote ${asymptote} are no exponential decay.`;
  }
  const weights = fitWeights(points);
  const logarithms = points.map((point) => {
    const distance = Math.abs(point.value - asymptote);
    const standardError = point.standardError / distance;
    return { ...point, value: Math.log(distance), standardError };
  });
  const line = linearFit(logarithms);
  let [amplitude, decay] = [sign * Math.exp(line.value), -line.slope];
  const residuals = (b: number, c: number) =>
    points.map(({ scaleFactor, value }) => value - asymptote - b * Math.exp(-c * scaleFactor));
  const cost = (b: number, c: number) =>
    residuals(b, c).reduce((all, residual, i) => all + weights[i]! * residual * residual, 0);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { rows } = tangents(points, weights, amplitude, decay);
    const own = residuals(amplitude, decay);
    const [db, dc] = [0, 1].map((k) => own.reduce((all, each, i) => all + rows[k]![i]! * each, 0));
    const before = cost(amplitude, decay);
    let length = 1;
    let halvings = 0;
    // A cost that is no number is no lower, either.
    while (!(cost(amplitude + length * db!, decay + length * dc!) <= before)) {
      length /= 2;
      if (++halvings > MAX_HALVINGS) break;
    }
    if (halvings > MAX_HALVINGS) break;
    amplitude += length * db!;
    decay += length * dc!;
    const isSmall = Math.abs(db!) <= TOLERANCE * Math.abs(amplitude) && Math.abs(dc!) <= TOLERANCE;
    if (isSmall) break;
  }
  const { rows } = tangents(points, weights, amplitude, decay);
  const { standardError } = combined(points, rows[0]!);
  if (![amplitude, decay, standardError].every(Number.isFinite)) {
    return 'The least-squares fit of an exponential decay does not converge.';
  }
  return { value: asymptote + amplitude, standardError, amplitude, decay };
}

/** Linear estimators of both parameters near a point: (JᵀWJ)⁻¹JᵀW. */
function tangents(
  points: readonly ScaledValue[],
  weights: readonly number[],
  amplitude: number,
  decay: number,
) {
  const jacobian = points.map(({ scaleFactor: x }) => {
    const factor = Math.exp(-decay * x);
    return [factor, -amplitude * x * factor] as const;
  });
  let [bb, bc, cc] = [0, 0, 0];
  for (const [i, [b, c]] of jacobian.entries()) {
    bb += weights[i]! * b * b;
    bc += weights[i]! * b * c;
    cc += weights[i]! * c * c;
  }
  const determinant = bb * cc - bc * bc;
  return {
    rows: [
      jacobian.map(([b, c], i) => (weights[i]! * (cc * b - bc * c)) / determinant),
      jacobian.map(([b, c], i) => (weights[i]! * (bb * c - bc * b)) / determinant),
    ],
  };
}
