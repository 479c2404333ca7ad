/**
 * Minimisers of energies by name: Levenberg–Marquardt if whole states can be read, BFGS if gradients are
 * exact, Adam if they are estimates.
 */
import { adamStep, startAdam } from './adam.ts';
import { bfgs, type SmoothObjective } from './bfgs.ts';
import { type CurvedObjective, levenbergMarquardt } from './levenberg-marquardt.ts';
import { largestSize, type Minimum, type OnStep } from './minimum.ts';

/** Objective function that every minimiser accepts. */
export interface Objective extends CurvedObjective, SmoothObjective {
  values(points: readonly Float64Array[]): Promise<Float64Array>;
}

/** Names of the minimisers. */
export const OPTIMIZERS = ['levenberg_marquardt', 'bfgs', 'adam'] as const;
/** Name of a minimiser. */
export type Optimizer = (typeof OPTIMIZERS)[number];

/** Choice of the minimiser, and its stopping rules. */
export interface MinimiseOptions {
  readonly optimizer: Optimizer;
  /** Most steps; at least 1. */
  readonly steps: number;
  /** Size of Adam's steps, radians. */
  readonly learningRate: number;
  /** Stops when no component of the gradient exceeds this. */
  readonly tolerance: number;
  /** Whether values are estimates. The lowest value seen is then luck, so Adam returns the last point. */
  readonly isNoisy: boolean;
}

/** Minimises a function from `start`, which stays unchanged. */
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
