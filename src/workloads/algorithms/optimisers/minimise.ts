/**
 * Minimisers of energies by name: Levenberg and Marquardt's method where whole states can be read,
 * BFGS where gradients are exact, Adam where they are estimates.
 */
import { adamStep, startAdam } from './adam.ts';
import { bfgs, type SmoothObjective } from './bfgs.ts';
import { type CurvedObjective, levenbergMarquardt } from './levenberg-marquardt.ts';
import { largestSize, type Minimum, type OnStep } from './minimum.ts';

/** A function that every minimiser can handle. */
export interface Objective extends CurvedObjective, SmoothObjective {
  values(points: readonly Float64Array[]): Promise<Float64Array>;
}

/** Names of the minimisers. */
export const OPTIMIZERS = ['levenberg_marquardt', 'bfgs', 'adam'] as const;
/** Name of a minimiser. */
export type Optimizer = (typeof OPTIMIZERS)[number];

/** Which minimiser runs, and when it stops. */
export interface MinimiseOptions {
  readonly optimizer: Optimizer;
  /** At least 1. */
  readonly steps: number;
  /** Size of Adam's steps, radians. */
  readonly learningRate: number;
  /** Stops once no component of the gradient is larger. */
  readonly tolerance: number;
  /** Whether values are estimates. The lowest one seen is then luck, so Adam keeps the last point. */
  readonly isNoisy: boolean;
}

/** Goes downhill from `start`, which stays unchanged. */
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
