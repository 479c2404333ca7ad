/**
 * Levenberg–Marquardt method for energies: near an eigenstate its step is Newton's, far from one a step
 * of imaginary time; all candidates in between are evaluated in one batch.
 *
 * The curvature omits second derivatives of the state, which do not matter at an eigenstate. Damping by
 * the metric of states rather than of parameters makes a step independent of the parameters' scale.
 *
 * @see Nocedal & Wright, "Numerical Optimization" (2006), section 10.3; Stokes et al. as in
 *   tangent-space.ts.
 */
import { choleskySolve, difference } from '../linear-algebra/vectors.ts';
import { InverseHessian, largestSize, type Minimum, type OnStep, type StopReason } from './bfgs.ts';

/** Second-order model of an energy around a trial state ψ; exact where ψ is an eigenstate. */
export interface TangentSpace {
  readonly value: number;
  readonly gradient: Float64Array;
  /** 2·Re⟨∂_p ψ|H − E|∂_q ψ⟩, row-major: the matrix of second derivatives if ψ is an eigenstate. */
  readonly curvature: Float64Array;
  /** 2·Re⟨∂_p ψ|∂_q ψ⟩ of the components orthogonal to ψ, row-major. */
  readonly metric: Float64Array;
  /** Half of an upper bound on the difference of two energies. */
  readonly spread: number;
}

/** A function with a second-order model at each point. */
export interface CurvedObjective {
  /** Values at several points, in one batch. */
  values(points: readonly Float64Array[]): Promise<Float64Array>;
  tangentSpace(point: Float64Array): Promise<TangentSpace>;
}

/**
 * Damping factors to try, relative to the spread of energies: above 1 every system is positive definite.
 */
const DAMPINGS = [1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
/** Fractions of a step to try. */
const LENGTHS = [1, 0.5];
/** Lengths to try of the BFGS step, whose curvature estimate also covers points far from the minimum. */
const LEARNT_LENGTHS = [2, 1.4, 1, 0.7, 0.5, 0.3, 0.1, 0.03, 0.01, 0.001];
/**
 * Regularisation relative to the largest entries; keeps the system solvable if parameters are redundant.
 */
const RIDGE = 1e-9;

/** Minimises a function from `start`, which stays unchanged. */
export async function levenbergMarquardt(
  objective: CurvedObjective,
  start: Float64Array,
  { steps, tolerance }: { readonly steps: number; readonly tolerance: number },
  onStep: OnStep,
): Promise<Minimum> {
  let point = start;
  let space = await objective.tangentSpace(point);
  const learnt = new InverseHessian(start.length);
  onStep(0, space.value);
  const minimum = (stoppedBecause: StopReason): Minimum => {
    const { value, gradient } = space;
    return { point, value, gradientSize: largestSize(gradient), stoppedBecause };
  };
  for (let step = 1; step <= steps; step++) {
    if (largestSize(space.gradient) <= tolerance) return minimum('gradient_below_tolerance');
    const moves = [...stepsOf(space), ...stepsAlong(learnt.downhill(space.gradient))];
    const candidates = moves
      .map((move) => point.map((x, i) => x + move[i]!))
      // A nearly singular system may give an infinite step.
      .filter((candidate) => candidate.every(Number.isFinite));
    const values = await objective.values(candidates);
    const lowest = Math.min(...values);
    if (!(lowest < space.value)) return minimum('no_progress');
    const next = candidates[values.indexOf(lowest)]!;
    const nextSpace = await objective.tangentSpace(next);
    learnt.learn(difference(next, point), difference(nextSpace.gradient, space.gradient));
    [point, space] = [next, nextSpace];
    onStep(step, space.value);
  }
  const isFlat = largestSize(space.gradient) <= tolerance;
  return minimum(isFlat ? 'gradient_below_tolerance' : 'steps_used_up');
}

/**
 * Steps −(curvature + damping·metric)⁻¹·gradient for the damping factors that make the system positive
 * definite.
 */
function stepsOf({ gradient, curvature, metric, spread }: TangentSpace): readonly Float64Array[] {
  const n = gradient.length;
  let widest = 0;
  for (let i = 0; i < n; i++) widest = Math.max(widest, metric[i * n + i]!);
  return DAMPINGS.flatMap((damping) => {
    const matrix = curvature.map((entry, at) => entry + damping * spread * metric[at]!);
    for (let i = 0; i < n; i++) matrix[i * n + i]! += RIDGE * spread * widest;
    try {
      const move = choleskySolve(matrix, gradient);
      return LENGTHS.map((length) => move.map((part) => -length * part));
    } catch (error) {
      // Far from an eigenstate the tangent space may hold states of lower energy.
      if (!(error instanceof RangeError)) throw error;
      return [];
    }
  });
}

/** A direction in several lengths. */
function stepsAlong(direction: Float64Array): readonly Float64Array[] {
  return LEARNT_LENGTHS.map((length) => direction.map((part) => length * part));
}
