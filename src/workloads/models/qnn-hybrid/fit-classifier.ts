/**
 * Trains one circuit on labelled rows: logistic loss, exact gradients, Adam over all rows, then a
 * threshold calibrated on the trained expectation values.
 *
 * The sum of the feature weights is bounded. Expectation values are periodic in phases, so large weights
 * flip the decision again near the corners of the features' range, where no rows would reveal it.
 *
 * Gradients are adjoint ones, in plain double-precision arithmetic of fixed order. An engine's gradients
 * may differ in the last bit between machines, because it uses fused multiply-add where the processor has
 * it, and 150 steps amplify that.
 */
import { uniformDraw } from '../../../math/philox.ts';
import { adamStep, startAdam } from '../../algorithms/optimisers/adam.ts';
import { fitLogisticRegression } from '../../algorithms/training/baselines/logistic-regression.ts';
import { prepareAdjoint } from '../../algorithms/training/gradients/adjoint.ts';
import { logisticLoss } from '../../algorithms/training/logistic-loss.ts';
import type { ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import { OBSERVABLE } from './reuploading-ansatz.ts';

/** Options of training. */
export interface FitSettings {
  readonly steps: number;
  readonly learningRate: number;
  /** Slope of the logistic loss. */
  readonly slope: number;
  /** Initial parameters are uniform in [−spread, spread], radians. */
  readonly initialSpread: number;
  /** Upper bound of the sum of the absolute trainable feature weights, radians. */
  readonly weightBound: number;
  /** Integer in [0, 2^53 − 1]. */
  readonly seed: number;
}

/** Separates these draws from others of the same seed. */
const START_EVENT = 0x57a7;

/** A trained circuit. */
export interface FittedClassifier {
  readonly circuit: ParametricCircuit;
  readonly theta: Float64Array;
  /** Decision threshold: class 1 above it. */
  readonly threshold: number;
  /** Logistic loss before each step. */
  readonly losses: readonly number[];
}

/**
 * Trains a circuit.
 *
 * @param rows - Scaled to [−1, 1].
 * @param labels - 0 or 1, one per row; both occur.
 */
export function fitClassifier(
  circuit: ParametricCircuit,
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  settings: FitSettings,
): FittedClassifier {
  const gradientsOf = prepareAdjoint(circuit);
  const { steps, learningRate, slope, weightBound } = settings;
  const weights = weightsOf(circuit);
  let state = startAdam(initialTheta(circuit, settings));
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    const { values, gradients } = gradientsOf(state.theta, rows, [OBSERVABLE]);
    const { loss, gradient } = logisticLoss(values, gradients, labels, slope);
    losses.push(loss);
    const moved = adamStep(state, gradient, { learningRate });
    state = { ...moved, theta: boundedWeights(moved.theta, weights, weightBound) };
  }
  const { theta } = state;
  const { values } = gradientsOf(theta, rows, [OBSERVABLE]);
  return { circuit, theta, threshold: calibratedThreshold(values, labels), losses };
}

/** ⟨Z₀⟩ of each row, exact. */
export function expectationsOf(
  { circuit, theta }: Pick<FittedClassifier, 'circuit' | 'theta'>,
  rows: readonly (readonly number[])[],
): Float64Array {
  return prepareAdjoint(circuit)(theta, rows, [OBSERVABLE]).values;
}

/** The class that an expectation value predicts. */
export function classAbove(threshold: number, expectation: number): 0 | 1 {
  return expectation > threshold ? 1 : 0;
}

/**
 * Decision threshold: the value at which a logistic regression on the expectation values is undecided,
 * clamped to (−1, 1).
 */
export function calibratedThreshold(values: Float64Array, labels: readonly number[]): number {
  const decide = fitLogisticRegression(
    Array.from(values, (value) => [value]),
    labels,
  );
  const offset = decide([0]);
  const slope = decide([1]) - offset;
  // If the values carry no information on classes of equal size, the regression is undecided everywhere.
  if (slope === 0 && offset === 0) return 0;
  const threshold = -offset / slope;
  return Math.min(0.99, Math.max(-0.99, threshold));
}

/** Indices of the parameters that multiply a feature. */
export function weightsOf({ angles }: ParametricCircuit): readonly number[] {
  const found = angles.flatMap(({ terms }) =>
    terms.flatMap(({ parameter, feature }) =>
      parameter === undefined || feature === undefined ? [] : [parameter],
    ),
  );
  return [...new Set(found)];
}

/** The parameters, with the weights scaled down together if their sum exceeds the bound. */
export function boundedWeights(
  theta: Float64Array,
  weights: readonly number[],
  bound: number,
): Float64Array {
  let total = 0;
  for (const j of weights) total += Math.abs(theta[j]!);
  if (total <= bound) return theta;
  const shrunk = Float64Array.from(theta);
  for (const j of weights) shrunk[j]! *= bound / total;
  return shrunk;
}

/** Initial parameters. */
export function initialTheta(
  { numParameters }: ParametricCircuit,
  { seed, initialSpread }: Pick<FitSettings, 'seed' | 'initialSpread'>,
): Float64Array {
  return Float64Array.from(
    { length: numParameters },
    (_, j) => initialSpread * (2 * uniformDraw(seed, j, START_EVENT, 0) - 1),
  );
}
