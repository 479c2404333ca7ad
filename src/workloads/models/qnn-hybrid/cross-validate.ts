/**
 * Trains and tests a circuit on every split of a cross-validation.
 *
 * The classifier and its scaler are fitted to the training rows of the split alone.
 */

import { mean, type Split, standardDeviation } from '../../algorithms/training/model-evaluation.ts';
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
