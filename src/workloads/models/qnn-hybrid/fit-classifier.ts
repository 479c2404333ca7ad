/**
 * Trains one circuit on labelled rows: logistic loss, exact gradients, Adam over all rows, then a
 * threshold calibrated on the trained expectation values.
 *
 * The sum of the feature weights is bounded. Expectation values are periodic in phases, so large weights
 * flip the decision again near the corners of the features' range, where no rows would reveal it.
 *
 * Steps amplify a difference in the last bit of a gradient. For the same parameters on every machine, circuits run on
 * an engine that gives the same bits on every machine.
 */
import { uniformDraw } from '../../../math/philox.ts';
import { adamStep, startAdam } from '../../algorithms/optimisers/minimise.ts';
import { fitLogisticRegression } from '../../algorithms/training/baselines.ts';
import { exactGradients } from '../../algorithms/training/gradients.ts';
import { logisticLoss } from '../../algorithms/training/model-evaluation.ts';
import type { ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import type { Runner } from '../../procedures/procedure-context.ts';
import { OBSERVABLE } from './reuploading-ansatz.ts';
import { expectationsOf } from './sampled-expectations.ts';

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

/** Labelled rows of a step, the labels 0 or 1. */
export interface LabelledRows {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

/**
 * Trains a circuit.
 *
 * @param rows - Scaled to [−1, 1]; both labels occur.
 * @param circuits - Of double precision.
 */
export async function fitClassifier(
  circuit: ParametricCircuit,
  rows: LabelledRows,
  settings: FitSettings,
  circuits: Runner,
): Promise<FittedClassifier> {
  const { theta, losses } = await descend(circuit, () => rows, settings, circuits);
  const values = await expectationsOf(circuit, theta, rows.rows, circuits);
  return { circuit, theta, threshold: calibratedThreshold(values, rows.labels), losses };
}

/**
 * Final parameters of the descent, and the loss before each step.
 *
 * @param nextRows - The rows of the next step.
 * @param onStep - Called after each step with the number of steps done, and the loss and number of rows of this one.
 */
export async function descend(
  circuit: ParametricCircuit,
  nextRows: () => LabelledRows,
  settings: FitSettings,
  circuits: Runner,
  onStep?: (numSteps: number, loss: number, numRows: number) => void,
): Promise<Pick<FittedClassifier, 'theta' | 'losses'>> {
  const { steps, learningRate, slope, weightBound } = settings;
  const weights = weightsOf(circuit);
  let state = startAdam(initialTheta(circuit, settings));
  const losses: number[] = [];
  for (let step = 1; step <= steps; step++) {
    const { rows, labels } = nextRows();
    const { values, gradients } = await exactGradients(
      circuit,
      state.theta,
      rows,
      [OBSERVABLE],
      circuits,
    );
    const { loss, gradient } = logisticLoss(values, gradients, labels, slope);
    losses.push(loss);
    const moved = adamStep(state, gradient, { learningRate });
    state = { ...moved, theta: boundedWeights(moved.theta, weights, weightBound) };
    onStep?.(step, loss, rows.length);
  }
  return { theta: state.theta, losses };
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
function weightsOf({ angles }: ParametricCircuit): readonly number[] {
  const found = angles.flatMap(({ terms }) =>
    terms.flatMap(({ parameter, feature }) =>
      parameter === undefined || feature === undefined ? [] : [parameter],
    ),
  );
  return [...new Set(found)];
}

/** The parameters, with the weights scaled down together if their sum exceeds the bound. */
function boundedWeights(
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
function initialTheta(
  { numParameters }: ParametricCircuit,
  { seed, initialSpread }: Pick<FitSettings, 'seed' | 'initialSpread'>,
): Float64Array {
  return Float64Array.from(
    { length: numParameters },
    (_, j) => initialSpread * (2 * uniformDraw(seed, j, START_EVENT, 0) - 1),
  );
}
