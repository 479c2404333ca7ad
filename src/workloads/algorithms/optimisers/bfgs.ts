/**
 * BFGS, the quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno, for objectives that are
 * evaluated in batches, and the result that every minimiser gives.
 *
 * Many circuits of one shape cost little more than one, so a line search evaluates all its step
 * lengths in one batch, and each step needs one gradient.
 *
 * @see Nocedal & Wright, "Numerical Optimization" (2006), section 6.1.
 */
import { difference, dot, norm } from '../linear-algebra/vectors.ts';

/** Reason why a minimiser stopped. */
export type StopReason = 'gradient_below_tolerance' | 'no_progress' | 'steps_used_up';

/** The lowest point found, or the last point if values are estimates. */
export interface Minimum {
  readonly point: Float64Array;
  readonly value: number;
  /** Largest component of the gradient there. */
  readonly gradientSize: number;
  readonly stoppedBecause: StopReason;
}

/** Called with the value after each step; step 0 is the start. */
export type OnStep = (step: number, value: number) => void;

/** Largest absolute value of a component. */
export function largestSize(vector: Float64Array): number {
  let size = 0;
  for (const part of vector) size = Math.max(size, Math.abs(part));
  return size;
}

/** A function to be minimised, with its gradient. */
export interface SmoothObjective {
  /** Values at several points, in one batch. */
  values(points: readonly Float64Array[]): Promise<ArrayLike<number>>;
  slope(point: Float64Array): Promise<{ readonly value: number; readonly gradient: Float64Array }>;
}

/** Stopping rules and step lengths of BFGS. */
export interface BfgsOptions {
  /** Most steps. */
  readonly steps: number;
  /** Stops when no component of the gradient exceeds this. */
  readonly tolerance: number;
  /** Stops when a step would lower the value by no more than this; 0 unless given. */
  readonly leastGain?: number;
  /** Length of a full step before any curvature is known; 1 unless given. */
  readonly firstLength?: number;
  /** Step lengths of a line search, as fractions of a full step. */
  readonly lengths?: readonly number[];
}

const LENGTHS = [
  4, 2.8, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001,
];

/** Minimises a function from `start`, which stays unchanged. */
export async function bfgs(
  objective: SmoothObjective,
  start: Float64Array,
  { steps, tolerance, leastGain = 0, firstLength = 1, lengths = LENGTHS }: BfgsOptions,
  onStep: OnStep,
): Promise<Minimum> {
  let point = start;
  let { value, gradient } = await objective.slope(point);
  let inverse = new InverseHessian(start.length, firstLength);
  onStep(0, value);
  const minimum = (stoppedBecause: StopReason): Minimum => {
    return { point, value, gradientSize: largestSize(gradient), stoppedBecause };
  };
  const lineSearch = async (): Promise<Float64Array | undefined> => {
    const direction = inverse.downhill(gradient);
    const points = lengths.map((length) => point.map((x, i) => x + length * direction[i]!));
    const values = Array.from(await objective.values(points));
    const best = values.reduce((least, v, i) => (v < values[least]! ? i : least), 0);
    return value - values[best]! > leastGain ? points[best] : undefined;
  };
  for (let step = 1; step <= steps; step++) {
    if (largestSize(gradient) <= tolerance) return minimum('gradient_below_tolerance');
    let next = await lineSearch();
    if (next === undefined && !inverse.isFresh) {
      // The curvature estimate may be stale: try once more without it.
      inverse = new InverseHessian(start.length, firstLength);
      next = await lineSearch();
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

/** Least cosine between a step and the change of the gradient for the step to tell of curvature. */
const LEAST_CURVATURE = 1e-10;

/** BFGS's estimate of the inverse of the matrix of second derivatives. */
export class InverseHessian {
  readonly #size: number;
  readonly #firstLength: number;
  #rows: Float64Array[] | undefined;

  /** @param firstLength - Length of a full step before any curvature is known. */
  constructor(size: number, firstLength = 1) {
    this.#size = size;
    this.#firstLength = firstLength;
  }

  /** Whether no curvature is known yet. */
  get isFresh(): boolean {
    return this.#rows === undefined;
  }

  /** A full step downhill: the Newton step of the estimate, or along the negative gradient. */
  downhill(gradient: Float64Array): Float64Array {
    if (this.#rows === undefined) {
      const scale = this.#firstLength / norm(gradient);
      return gradient.map((part) => -scale * part);
    }
    return Float64Array.from(this.#rows, (row) => -dot(row, gradient));
  }

  /**
   * Updates the estimate with a step and the change of the gradient along it.
   *
   * A step along which the function curves downwards is skipped: the estimate would lose
   * positive definiteness.
   */
  learn(move: Float64Array, change: Float64Array): void {
    const curvature = dot(move, change);
    if (!(curvature > LEAST_CURVATURE * norm(move) * norm(change))) return;
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
