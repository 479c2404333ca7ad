/**
 * Training one circuit on labelled rows: logistic loss, gradients by the parameter-shift rule in one
 * batch a step, Adam over all rows, then a threshold calibrated on the trained expectation values.
 */
import { uniformDraw } from '../../../math/philox.ts';
import { adamStep, startAdam } from '../../training/adam.ts';
import { fitLogisticRegression } from '../../training/baselines/logistic-regression.ts';
import type { ExpectationBatch } from '../../training/expectation-batch.ts';
import { parameterShift } from '../../training/gradients/parameter-shift.ts';
import { logisticLoss } from '../../training/logistic-loss.ts';
import { anglesOf, type ParametricCircuit } from '../../training/parametric-circuit.ts';
import { OBSERVABLE } from './ansatz.ts';

/** How circuits are trained. */
export interface FitSettings {
  readonly steps: number;
  readonly learningRate: number;
  /** Of the logistic loss. */
  readonly slope: number;
  /** Parameters start uniformly in [−spread, spread], radians. */
  readonly initialSpread: number;
  /** Integer in [0, 2^53 − 1]. */
  readonly seed: number;
}

/** Tells these draws from others of the same seed. */
const START_EVENT = 0x57a7;

/** A trained circuit. */
export interface FittedClassifier {
  readonly circuit: ParametricCircuit;
  readonly theta: Float64Array;
  /** Class 1 above it. */
  readonly threshold: number;
  /** Logistic loss before each step. */
  readonly losses: readonly number[];
}

/**
 * Trains a circuit.
 *
 * @param rows - Scaled to [−1, 1].
 * @param labels - 0 or 1, one a row; both occur.
 * @throws whatever `expectations` throws.
 */
export async function fitClassifier(
  circuit: ParametricCircuit,
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  settings: FitSettings,
  expectations: ExpectationBatch,
): Promise<FittedClassifier> {
  const { steps, learningRate, slope } = settings;
  let state = startAdam(initialTheta(circuit, settings));
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    const { values, gradients } = await parameterShift(
      circuit,
      state.theta,
      rows,
      [OBSERVABLE],
      expectations,
    );
    const { loss, gradient } = logisticLoss(values, gradients, labels, slope);
    losses.push(loss);
    state = adamStep(state, gradient, { learningRate });
  }
  const { theta } = state;
  const values = await expectationsOf({ circuit, theta }, rows, expectations);
  return { circuit, theta, threshold: calibratedThreshold(values, labels), losses };
}

/** ⟨Z₀⟩ of each row, exact. */
export async function expectationsOf(
  { circuit, theta }: Pick<FittedClassifier, 'circuit' | 'theta'>,
  rows: readonly (readonly number[])[],
  expectations: ExpectationBatch,
): Promise<Float64Array> {
  return await expectations(circuit.shape, angleRows(circuit, theta, rows), rows.length, [
    OBSERVABLE,
  ]);
}

/** Angles of all rows, row after row. */
export function angleRows(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
): Float64Array {
  const numAngles = circuit.angles.length;
  const angles = new Float64Array(rows.length * numAngles);
  for (const [i, row] of rows.entries()) {
    anglesOf(circuit, theta, row, angles.subarray(i * numAngles, (i + 1) * numAngles));
  }
  return angles;
}

/** The class that an expectation value stands for. */
export function classAbove(threshold: number, expectation: number): 0 | 1 {
  return expectation > threshold ? 1 : 0;
}

/** Where a logistic regression on the expectation values alone is undecided, kept within (−1, 1). */
function calibratedThreshold(values: Float64Array, labels: readonly number[]): number {
  const decide = fitLogisticRegression(
    Array.from(values, (value) => [value]),
    labels,
  );
  const offset = decide([0]);
  const threshold = -offset / (decide([1]) - offset);
  return Math.min(0.99, Math.max(-0.99, threshold));
}

function initialTheta(
  { numParameters }: ParametricCircuit,
  { seed, initialSpread }: FitSettings,
): Float64Array {
  return Float64Array.from(
    { length: numParameters },
    (_, j) => initialSpread * (2 * uniformDraw(seed, j, START_EVENT, 0) - 1),
  );
}
