// @needs minutes
/**
 * The committed model against a training from scratch, and the figures of its cross-validation against
 * an independent computation. One training serves all tests: it is what takes this file its time.
 * card.test.ts has what is true of the committed file without it.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCpuEngine } from '../../../../../src/engine/cpu/cpu-engine.ts';
import { openReferenceEngine } from '../../../../../src/engine/reference/reference-engine.ts';
import { stratifiedSplits } from '../../../../../src/workloads/algorithms/training/model-evaluation.ts';
import {
  ARTEFACT_FILE,
  readArtefact,
} from '../../../../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import {
  artefactText,
  buildArtefact,
} from '../../../../../src/workloads/models/qnn-hybrid/build-artefact.ts';
import { irisPair } from '../../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import {
  TRAINING_PLAN,
  type TrainingOutcome,
  trainQnnHybrid,
} from '../../../../../src/workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import { overFolds, shareRight } from '../../../../support/accuracies.ts';
import { chanceAbove } from '../../../../support/binomial.ts';
import { countsByLabel, NEVER, runCircuit } from '../../../../support/engine-runs.ts';
import { plainLogistic } from '../../../../support/plain-baselines.ts';
import {
  exactZ0,
  rangeScaler,
  type WrittenOut,
  writtenGhz,
} from '../../../../support/reuploading-circuits.ts';
import { TRAINING_ENGINE } from '../../../../support/training-outcomes.ts';

const { rows, labels } = irisPair();
const committed = readArtefact();
const { card } = committed;
const reference = openReferenceEngine({ maxQubits: 4 });
const engine = openCpuEngine(TRAINING_ENGINE);
const progress: (readonly [what: string, fraction: number])[] = [];
let outcome: TrainingOutcome;

beforeAll(async () => {
  outcome = await trainQnnHybrid(engine, (...told) => progress.push(told), NEVER);
});

afterAll(async () => {
  await engine.close();
  await reference.close();
});

const plan = TRAINING_PLAN;
const splits = stratifiedSplits(labels, plan.evaluation);

/** Exact ⟨Z₀⟩ of rows in centimetres, by a scaler learnt on other rows and by slow simulation. */
function expectations(
  write: WrittenOut,
  theta: ArrayLike<number>,
  numLayers: number,
  train: readonly number[],
  test: readonly number[],
): readonly number[] {
  const scale = rangeScaler(train.map((row) => rows[row]!));
  return test.map((row) => exactZ0(write(4, numLayers, theta, scale(rows[row]!))));
}

/** Each fold's test rows as the slow simulation sees them. */
function foldsAgain() {
  return outcome.evaluation.folds.map(({ fitted }, i) => {
    const { train, test } = splits[i]!;
    const values = expectations(writtenGhz, fitted.theta, 1, train, test);
    const predictions: readonly number[] = values.map((value) =>
      value > fitted.threshold ? 1 : 0,
    );
    return { fitted, values, predictions, test, truths: test.map((row) => labels[row]!) };
  });
}

describe('training again', () => {
  test('gives the committed file to the byte, date included', () => {
    const again = artefactText(buildArtefact(outcome, '2030-01-01', committed));
    expect(again).toBe(readFileSync(ARTEFACT_FILE, 'utf8'));
  });

  test('is dated today where there was no file, or another', () => {
    const old = { ...committed, card: { ...card, version: '0.9.0', measured_at: '2020-02-02' } };
    for (const earlier of [undefined, old]) {
      const made = buildArtefact(outcome, '2030-01-01', earlier);
      const dated = { ...committed, card: { ...card, measured_at: '2030-01-01' } };
      expect(made).toEqual(dated);
    }
  });

  test('tells how far it is, from the first fold to the last', () => {
    const fractions = progress.map(([, fraction]) => fraction);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions[0]).toBeLessThan(0.02);
    expect(fractions.at(-1)).toBe(1);
    expect(fractions).toHaveLength(6 * 20 + 100);
    expect(new Set(progress.map(([what]) => what)).size).toBe(7);
  });
});

describe('the published metrics', () => {
  test('rest on expectation values that a slow simulation confirms, fold by fold', () => {
    expect(outcome.evaluation.folds).toHaveLength(100);
    for (const [i, { values, test }] of foldsAgain().entries()) {
      const fold = outcome.evaluation.folds[i]!;
      expect(fold.test).toEqual(test);
      expect([...fold.expectations]).toEqual(values.map((value) => expect.closeTo(value, 11)));
    }
  });

  test('are the accuracy and spread of those values', () => {
    const accuracies = foldsAgain().map(({ predictions, truths }) =>
      shareRight(predictions, truths),
    );
    expect(card.metrics.accuracy).toEqual(overFolds(accuracies));
    expect(card.metrics.cross_validation).toEqual({ folds: 5, repeats: 20, seed: 2 });
  });

  test('hold each flower once a repeat in the confusion matrix, and agree with it', () => {
    const { matrix } = card.metrics.held_out_confusion_matrix;
    const own = [
      [0, 0],
      [0, 0],
    ];
    for (const { predictions, truths } of foldsAgain()) {
      for (const [i, truth] of truths.entries()) own[truth]![predictions[i]!]! += 1;
    }
    expect(matrix).toEqual(own);
    expect(matrix.map((row) => row.reduce((sum, count) => sum + count, 0))).toEqual([1000, 1000]);
    const onDiagonal = matrix[0]![0]! + matrix[1]![1]!;
    expect(onDiagonal / 2000).toBeCloseTo(card.metrics.accuracy.mean, 6);
  });

  test('have the logarithmic loss of those values', () => {
    const losses = foldsAgain().flatMap(({ values, truths, fitted }) =>
      values.map((value, i) => {
        const sign = truths[i] === 1 ? 1 : -1;
        return Math.log(1 + Math.exp(-sign * 3 * (value - fitted.threshold)));
      }),
    );
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    expect(card.metrics.log_loss).toBeCloseTo(mean, 6);
  });

  test('rest on thresholds that no test row had a say in', () => {
    for (const [i, { fitted }] of outcome.evaluation.folds.entries()) {
      const { train } = splits[i]!;
      const values = expectations(writtenGhz, fitted.theta, 1, train, train);
      const decide = plainLogistic(
        values.map((value) => [value]),
        train.map((row) => labels[row]!),
      );
      // The decision is a straight line: its zero from two of its points.
      const zero = -decide([0]) / (decide([1]) - decide([0]));
      expect(fitted.threshold).toBeCloseTo(zero, 6);
    }
  });

  test('at the deployed shots are those of the reference engine’s counts for the same seeds', async () => {
    let seed = 3;
    const accuracies: number[] = [];
    for (const [i, { fitted, truths, test }] of foldsAgain().entries()) {
      const scale = rangeScaler(splits[i]!.train.map((row) => rows[row]!));
      const predictions: number[] = [];
      for (const row of test) {
        const circuit = writtenGhz(4, 1, fitted.theta, scale(rows[row]!));
        const { counts } = await runCircuit(reference, circuit, { shots: 1024, seed: seed++ });
        let clear = 0;
        for (const [label, times] of countsByLabel(counts)) if (label.endsWith('0')) clear += times;
        predictions.push((2 * clear) / 1024 - 1 > fitted.threshold ? 1 : 0);
      }
      accuracies.push(shareRight(predictions, truths));
    }
    const found = { ...overFolds(accuracies), shots: 1024, seed: 3 };
    expect(card.metrics.accuracy_at_deployed_shots).toEqual(found);
  });

  test('at the deployed shots differ from the exact ones by what shot noise gives', () => {
    let change = 0;
    let variance = 0;
    for (const { values, predictions, truths, fitted } of foldsAgain()) {
      for (const [i, value] of values.entries()) {
        const above = chanceAbove(fitted.threshold, value, 1024);
        const flips = predictions[i] === 1 ? 1 - above : above;
        change += predictions[i] === truths[i] ? -flips : flips;
        variance += flips * (1 - flips);
      }
    }
    const { accuracy, accuracy_at_deployed_shots: atShots } = card.metrics;
    const found = 2000 * (atShots.mean - accuracy.mean);
    // Five standard deviations; the cards' roundings are a thousandth of a flower.
    expect(Math.abs(found - change)).toBeLessThan(5 * Math.sqrt(variance) + 0.002);
    expect(Math.sqrt(variance)).toBeLessThan(10);
  });
});
