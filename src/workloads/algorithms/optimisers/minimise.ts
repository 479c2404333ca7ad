/**
 * Downhill from a start: by Levenberg and Marquardt's method where whole states can be read, by BFGS from
 * gradients without noise, by Adam from any.
 *
 * BFGS asks for the values at all candidates of a line search at once, because many circuits of one
 * shape cost little more than one: a line search is one small batch, and each step has one gradient.
 *
 * @see Nocedal & Wright, "Numerical Optimization" (2006), section 6.1.
 */
import { adamStep, startAdam } from './adam.ts';
import { difference, InverseCurvature } from './bfgs.ts';
import { type CurvedObjective, levenbergMarquardt } from './levenberg-marquardt.ts';
import { largestSize, type Minimum, type OnStep, type StopReason } from './minimum.ts';

/** What is minimised. */
export interface Objective extends CurvedObjective {
  slope(point: Float64Array): Promise<{ readonly value: number; readonly gradient: Float64Array }>;
}

/** The ways to go. */
export const OPTIMIZERS = ['levenberg_marquardt', 'bfgs', 'adam'] as const;
/** One of them. */
export type Optimizer = (typeof OPTIMIZERS)[number];

/** How, and how long. */
export interface MinimiseOptions {
  readonly optimizer: Optimizer;
  /** At least 1. */
  readonly steps: number;
  /** Adam's. */
  readonly learningRate: number;
  /** Ends when no component of the gradient is larger. */
  readonly tolerance: number;
  /** Where values are estimates, the lowest one seen is luck: Adam then keeps the last point. */
  readonly isNoisy: boolean;
}

/** Goes downhill from `start`, which stays as it is. */
export function minimise(
  objective: Objective,
  start: Float64Array,
  options: MinimiseOptions,
  onStep: OnStep,
): Promise<Minimum> {
  switch (options.optimizer) {
    case 'levenberg_marquardt':
      return levenbergMarquardt(objective, start, options, onStep);
    case 'bfgs':
      return bfgs(objective, start, options, onStep);
    case 'adam':
      return adam(objective, start, options, onStep);
  }
}

async function adam(
  objective: Objective,
  start: Float64Array,
  { steps, learningRate, tolerance, isNoisy }: MinimiseOptions,
  onStep: OnStep,
): Promise<Minimum> {
  let state = startAdam(start);
  let best: Minimum | undefined;
  for (let step = 0; ; step++) {
    const { value, gradient } = await objective.slope(state.theta);
    onStep(step, value);
    const gradientSize = largestSize(gradient);
    const isFlat = gradientSize <= tolerance;
    if (best === undefined || value < best.value || isFlat || isNoisy) {
      best = { point: state.theta, value, gradientSize, stoppedBecause: 'steps_used_up' };
    }
    if (isFlat) return { ...best, stoppedBecause: 'gradient_below_tolerance' };
    if (step === steps) return best;
    state = adamStep(state, gradient, { learningRate });
  }
}

/** Lengths tried along a direction, in parts of a full step, longest first. */
const CANDIDATES = [
  4, 2.8, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001,
];

async function bfgs(
  objective: Objective,
  start: Float64Array,
  { steps, tolerance }: MinimiseOptions,
  onStep: OnStep,
): Promise<Minimum> {
  let point = start;
  let { value, gradient } = await objective.slope(point);
  let inverse = new InverseCurvature(start.length);
  onStep(0, value);
  const minimum = (stoppedBecause: StopReason): Minimum => {
    return { point, value, gradientSize: largestSize(gradient), stoppedBecause };
  };
  for (let step = 1; step <= steps; step++) {
    if (largestSize(gradient) <= tolerance) return minimum('gradient_below_tolerance');
    let next = await lineSearch(objective, point, value, inverse.downhill(gradient));
    if (next === undefined && !inverse.isFresh) {
      // What was learnt of the curvature may mislead far from where it was learnt.
      inverse = new InverseCurvature(start.length);
      next = await lineSearch(objective, point, value, inverse.downhill(gradient));
    }
    if (next === undefined) return minimum('no_progress');
    const slope = await objective.slope(next);
    inverse.learn(difference(next, point), difference(slope.gradient, gradient));
    point = next;
    ({ value, gradient } = slope);
    onStep(step, value);
  }
  const isFlat = largestSize(gradient) <= tolerance;
  return minimum(isFlat ? 'gradient_below_tolerance' : 'steps_used_up');
}

/** The best of the candidates; undefined where none is lower than `value`. */
async function lineSearch(
  objective: Objective,
  point: Float64Array,
  value: number,
  direction: Float64Array,
): Promise<Float64Array | undefined> {
  const points = CANDIDATES.map((length) => point.map((x, i) => x + length * direction[i]!));
  const values = await objective.values(points);
  let [best, lowest] = [-1, value];
  for (const [i, candidate] of values.entries()) {
    if (candidate < lowest) [best, lowest] = [i, candidate];
  }
  return points[best];
}
