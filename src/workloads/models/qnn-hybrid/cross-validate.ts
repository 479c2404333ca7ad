/**
 * Training and testing a circuit on every split of a cross-validation.
 *
 * Everything that is learnt, the scaler among it, is learnt on the training rows of the split alone.
 */

import type { Split } from '../../algorithms/training/cross-validation.ts';
import { mean, standardDeviation } from '../../algorithms/training/metrics.ts';
import type { ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import { fitScaler, scaleRow } from './feature-scaler.ts';
import {
  classAbove,
  expectationsOf,
  type FitSettings,
  type FittedClassifier,
  fitClassifier,
} from './fit-classifier.ts';
import type { IrisPair } from './iris-pair.ts';

/** Outputs of one split's classifier on its test rows. */
export interface FoldOutcome {
  readonly fitted: FittedClassifier;
  /** The test rows' numbers in the data, and the rows as the circuit takes them. */
  readonly test: readonly number[];
  readonly inputs: readonly (readonly number[])[];
  readonly labels: readonly number[];
  /** Exact ⟨Z₀⟩ of each test row. */
  readonly expectations: Float64Array;
}

/** Mean and sample standard deviation of accuracies from fold to fold. */
export interface FoldAccuracy {
  readonly mean: number;
  readonly spread: number;
}

/** @param onFold - Called after each split, and waited for: training itself holds its thread. */
export async function crossValidate(
  circuit: ParametricCircuit,
  data: IrisPair,
  splits: readonly Split[],
  settings: FitSettings,
  onFold: () => Promise<void>,
): Promise<readonly FoldOutcome[]> {
  const outcomes: FoldOutcome[] = [];
  for (const { train, test } of splits) {
    const scaler = fitScaler(train.map((row) => data.rows[row]!));
    const scaled = (rows: readonly number[]) =>
      rows.map((row) => scaleRow(scaler, data.rows[row]!).values);
    const labelsOf = (rows: readonly number[]) => rows.map((row) => data.labels[row]!);
    const fitted = fitClassifier(circuit, scaled(train), labelsOf(train), settings);
    const inputs = scaled(test);
    outcomes.push({
      fitted,
      test,
      inputs,
      labels: labelsOf(test),
      expectations: expectationsOf(fitted, inputs),
    });
    await onFold();
  }
  return outcomes;
}

/** The classes that a fold's expectation values stand for. */
export function predictionsOf(
  { fitted }: FoldOutcome,
  expectations: ArrayLike<number>,
): readonly (0 | 1)[] {
  return Array.from(expectations, (value) => classAbove(fitted.threshold, value));
}

/** Accuracy over folds, from a fraction of right predictions for each. */
export function overFolds(accuracies: readonly number[]): FoldAccuracy {
  return { mean: mean(accuracies), spread: standardDeviation(accuracies) };
}
