/**
 * Selects the deployed circuit from a fixed list, by cross-validation with the one-standard-error rule.
 *
 * On each split the classifier and its scaler are fitted to the training rows alone. The splits differ from those of
 * the published accuracy, so that the figure is not the best of several draws. They are still splits of the same
 * hundred flowers; the model card states the remaining bias.
 *
 * @see Breiman, Friedman, Olshen, Stone, "Classification and regression trees" (1984), section 3.4.3.
 */
import {
  accuracy,
  mean,
  type Split,
  type SplitOptions,
  standardDeviation,
  stratifiedSplits,
} from '../../algorithms/training/model-evaluation.ts';
import type { ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import type { Runner } from '../../procedures/procedure-context.ts';
import { fitScaler, scaleRow } from './feature-scaler.ts';
import {
  classAbove,
  type FitSettings,
  type FittedClassifier,
  fitClassifier,
} from './fit-classifier.ts';
import type { IrisPair } from './iris-pair.ts';
import { ANSATZES, type AnsatzId, NUM_FEATURES } from './reuploading-ansatz.ts';
import { expectationsOf } from './sampled-expectations.ts';

/** Outputs of one split's classifier on its test rows. */
export interface FoldOutcome {
  readonly fitted: FittedClassifier;
  /** Indices of the test rows in the data, and the rows scaled for the circuit. */
  readonly test: readonly number[];
  readonly inputs: readonly (readonly number[])[];
  readonly labels: readonly number[];
  /** Exact ⟨Z₀⟩ of each test row. */
  readonly expectations: Float64Array;
}

/** Mean and sample standard deviation of the accuracy over folds. */
export interface FoldAccuracy {
  readonly mean: number;
  readonly spread: number;
}

/**
 * Trains and tests on each split.
 *
 * @param onFold - Called and awaited after each split, because training occupies its thread.
 */
export async function crossValidate(
  circuit: ParametricCircuit,
  data: IrisPair,
  splits: readonly Split[],
  settings: FitSettings,
  circuits: Runner,
  onFold: () => Promise<void>,
): Promise<readonly FoldOutcome[]> {
  const outcomes: FoldOutcome[] = [];
  for (const { train, test } of splits) {
    const scaler = fitScaler(train.map((row) => data.rows[row]!));
    const scaled = (rows: readonly number[]) =>
      rows.map((row) => scaleRow(scaler, data.rows[row]!).values);
    const labelsOf = (rows: readonly number[]) => rows.map((row) => data.labels[row]!);
    const rows = { rows: scaled(train), labels: labelsOf(train) };
    const fitted = await fitClassifier(circuit, rows, settings, circuits);
    const inputs = scaled(test);
    outcomes.push({
      fitted,
      test,
      inputs,
      labels: labelsOf(test),
      expectations: await expectationsOf(circuit, fitted.theta, inputs, circuits),
    });
    await onFold();
  }
  return outcomes;
}

/** The classes that a fold's expectation values predict. */
export function predictionsOf(
  { fitted }: FoldOutcome,
  expectations: ArrayLike<number>,
): readonly (0 | 1)[] {
  return Array.from(expectations, (value) => classAbove(fitted.threshold, value));
}

/** Accuracy over folds, from the fraction of right predictions of each. */
export function overFolds(accuracies: readonly number[]): FoldAccuracy {
  return { mean: mean(accuracies), spread: standardDeviation(accuracies) };
}

/** A circuit that may be deployed. */
export interface Architecture {
  readonly ansatz: AnsatzId;
  readonly layers: number;
}

/** Candidates: one qubit per feature, and one to three layers of each family. */
export const ARCHITECTURES: readonly Architecture[] = [1, 2, 3].flatMap((layers) => [
  { ansatz: 'ghz-reuploading', layers },
  { ansatz: 'ring-reuploading', layers },
]);

/** Record of the choice, for the model card. */
export const SELECTION_RULE =
  'Of the candidates whose mean accuracy is within one standard error of the highest, the one with the fewest parameters.';

/** A candidate and its accuracy. */
export interface Candidate extends Architecture {
  readonly circuit: ParametricCircuit;
  readonly accuracy: FoldAccuracy;
}

/** Builds the circuit of an architecture. */
export function circuitOf({ ansatz, layers }: Architecture): ParametricCircuit {
  return ANSATZES[ansatz].build({ numQubits: NUM_FEATURES, numLayers: layers });
}

/** Cross-validates every candidate. */
export async function compareArchitectures(
  data: IrisPair,
  splitOptions: SplitOptions,
  settings: FitSettings,
  circuits: Runner,
  onFold: (architecture: Architecture) => Promise<void>,
): Promise<readonly Candidate[]> {
  const splits = stratifiedSplits(data.labels, splitOptions);
  const candidates: Candidate[] = [];
  for (const architecture of ARCHITECTURES) {
    const circuit = circuitOf(architecture);
    const folds = await crossValidate(circuit, data, splits, settings, circuits, () =>
      onFold(architecture),
    );
    const accuracies = folds.map((fold) =>
      accuracy(fold.labels, predictionsOf(fold, fold.expectations)),
    );
    candidates.push({ ...architecture, circuit, accuracy: overFolds(accuracies) });
  }
  return candidates;
}

/**
 * Selects a candidate by the one-standard-error rule; of several with the fewest parameters, the more
 * accurate one.
 *
 * @param candidates - At least one.
 * @param numFolds - Number of folds behind each mean.
 */
export function chooseCandidate(candidates: readonly Candidate[], numFolds: number): Candidate {
  const best = candidates.reduce((a, b) => (b.accuracy.mean > a.accuracy.mean ? b : a));
  const least = best.accuracy.mean - best.accuracy.spread / Math.sqrt(numFolds);
  const goodEnough = candidates.filter((candidate) => candidate.accuracy.mean >= least);
  return goodEnough.reduce((a, b) => (isSimpler(b, a) ? b : a));
}

function isSimpler(a: Candidate, b: Candidate): boolean {
  const difference = a.circuit.numParameters - b.circuit.numParameters;
  return difference < 0 || (difference === 0 && a.accuracy.mean > b.accuracy.mean);
}
