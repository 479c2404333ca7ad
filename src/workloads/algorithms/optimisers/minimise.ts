/**
 * Minimisers of energies by name: Levenberg–Marquardt if whole states can be read, BFGS if gradients are
 * exact, Adam if they are estimates. Adam is here: gradient descent with a step size per parameter, from running means
 * of the gradient and of its square.
 */
import { bfgs, largestSize, type Minimum, type OnStep, type SmoothObjective } from './bfgs.ts';
import { type CurvedObjective, levenbergMarquardt } from './levenberg-marquardt.ts';

/** State of an optimisation. */
export interface AdamState {
  /** Steps taken. */
  readonly step: number;
  readonly theta: Float64Array;
  /** Running mean of gradients, biased towards 0; one per parameter. */
  readonly firstMoment: Float64Array;
  /** Running mean of their squares, likewise. */
  readonly secondMoment: Float64Array;
  /** β₁ to the power of `step`. */
  readonly firstDecay: number;
  /** β₂ to the power of `step`. */
  readonly secondDecay: number;
}

/** Options of a step. */
export interface AdamOptions {
  /** Learning rate, or a function of the number of steps taken so far. */
  readonly learningRate: number | ((step: number) => number);
  /** β₁; 0.9 unless given. */
  readonly beta1?: number;
  /** β₂; 0.999 unless given. */
  readonly beta2?: number;
  /** ε, which keeps steps finite where gradients vanish; 1e-8 unless given. */
  readonly epsilon?: number;
}

/** The state before the first step; θ is copied. */
export function startAdam(theta: ArrayLike<number>): AdamState {
  return {
    step: 0,
    theta: Float64Array.from(theta),
    firstMoment: new Float64Array(theta.length),
    secondMoment: new Float64Array(theta.length),
    firstDecay: 1,
    secondDecay: 1,
  };
}

/**
 * The state of Adam after one step; `state` is unchanged. The powers of the decays are accumulated as products: the
 * last bit of `**` may differ between JavaScript engines.
 *
 * @param gradient - Gradient of the loss at `state.theta`.
 * @throws {RangeError} if the gradient does not have one entry per parameter.
 * @see Kingma & Ba, "Adam: a method for stochastic optimization" (ICLR 2015), algorithm 1.
 */
export function adamStep(
  state: AdamState,
  gradient: ArrayLike<number>,
  options: AdamOptions,
): AdamState {
  const { learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } = options;
  if (gradient.length !== state.theta.length) {
    throw new RangeError(`${gradient.length} slopes for ${state.theta.length} parameters.`);
  }
  const rate = typeof learningRate === 'number' ? learningRate : learningRate(state.step);
  const firstDecay = state.firstDecay * beta1;
  const secondDecay = state.secondDecay * beta2;
  const firstMoment = state.firstMoment.map((m, i) => beta1 * m + (1 - beta1) * gradient[i]!);
  const secondMoment = state.secondMoment.map(
    (v, i) => beta2 * v + (1 - beta2) * gradient[i]! * gradient[i]!,
  );
  const theta = state.theta.map((value, i) => {
    const mean = firstMoment[i]! / (1 - firstDecay);
    const meanSquare = secondMoment[i]! / (1 - secondDecay);
    return value - (rate * mean) / (Math.sqrt(meanSquare) + epsilon);
  });
  return { step: state.step + 1, theta, firstMoment, secondMoment, firstDecay, secondDecay };
}

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
