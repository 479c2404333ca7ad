/**
 * Downhill from a start, by exact or sampled gradients: BFGS for functions without noise, Adam for any.
 *
 * BFGS asks for the values at all candidates of a line search at once, because many circuits of one
 * shape cost little more than one: a line search is one small batch, and each step has one gradient.
 *
 * @see Nocedal & Wright, "Numerical Optimization" (2006), section 6.1.
 */
import { adamStep, startAdam } from '../../training/adam.ts';

/** What is minimised. */
export interface Objective {
  /** Values at several points, together. */
  values(points: readonly Float64Array[]): Promise<Float64Array>;
  slope(point: Float64Array): Promise<{ readonly value: number; readonly gradient: Float64Array }>;
}

/** How, and how long. */
export interface MinimiseOptions {
  readonly optimizer: 'bfgs' | 'adam';
  /** At least 1. */
  readonly steps: number;
  /** Adam's. */
  readonly learningRate: number;
  /** Ends when no component of the gradient is larger. */
  readonly tolerance: number;
  /** Where values are estimates, the lowest one seen is luck: Adam then keeps the last point. */
  readonly isNoisy: boolean;
}

/** Why it ended. */
export type StopReason = 'gradient_below_tolerance' | 'no_progress' | 'steps_used_up';

/** Where it ended: the lowest point seen, or the last one where values are estimates. */
export interface Minimum {
  readonly point: Float64Array;
  readonly value: number;
  /** Largest component of the gradient there. */
  readonly gradientSize: number;
  readonly stoppedBecause: StopReason;
}

/** Called with the value at each point that a step came to, the start first. */
export type OnStep = (step: number, value: number) => void;

/** Goes downhill from `start`, which stays as it is. */
export function minimise(
  objective: Objective,
  start: Float64Array,
  options: MinimiseOptions,
  onStep: OnStep,
): Promise<Minimum> {
  switch (options.optimizer) {
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
    const gradientSize = largest(gradient);
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
    return { point, value, gradientSize: largest(gradient), stoppedBecause };
  };
  for (let step = 1; step <= steps; step++) {
    if (largest(gradient) <= tolerance) return minimum('gradient_below_tolerance');
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
  const isFlat = largest(gradient) <= tolerance;
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

/** An estimate of the inverse of the matrix of second derivatives. */
class InverseCurvature {
  readonly #size: number;
  #rows: Float64Array[] | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  /** Whether nothing was learnt yet. */
  get isFresh(): boolean {
    return this.#rows === undefined;
  }

  /** Where to go: against the gradient, in a full step. Fresh, a step of length 1. */
  downhill(gradient: Float64Array): Float64Array {
    if (this.#rows === undefined) {
      const length = Math.sqrt(dot(gradient, gradient));
      return gradient.map((part) => -part / length);
    }
    const rows = this.#rows;
    return Float64Array.from(rows, (row) => -dot(row, gradient));
  }

  /**
   * Takes in how the gradient changed by `change` along a move, unless the function curves downwards
   * there, of which no inverse can be made.
   */
  learn(move: Float64Array, change: Float64Array): void {
    const curvature = dot(move, change);
    if (!(curvature > 1e-14 * dot(move, move))) return;
    const size = this.#size;
    const scale = curvature / dot(change, change);
    this.#rows ??= Array.from({ length: size }, (_, i) => {
      const row = new Float64Array(size);
      row[i] = scale;
      return row;
    });
    const rows = this.#rows;
    const turned = Float64Array.from(rows, (row) => dot(row, change));
    const factor = (1 + dot(change, turned) / curvature) / curvature;
    for (const [i, row] of rows.entries()) {
      for (let j = 0; j < size; j++) {
        const cross = turned[i]! * move[j]! + move[i]! * turned[j]!;
        row[j]! += factor * move[i]! * move[j]! - cross / curvature;
      }
    }
  }
}

function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((x, i) => x - b[i]!);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function largest(vector: Float64Array): number {
  let size = 0;
  for (const part of vector) size = Math.max(size, Math.abs(part));
  return size;
}
