import { expect, test } from 'vitest';
import {
  accuracy,
  confusionMatrix,
  logLoss,
  mean,
  standardDeviation,
} from '../../../../../src/workloads/algorithms/training/model-evaluation.ts';

const labels = [0, 0, 0, 1, 1, 1, 1, 1];
const predictions = [0, 0, 1, 0, 0, 1, 1, 1];

test('accuracy is the fraction predicted right', () => {
  expect(accuracy(labels, predictions)).toBe(5 / 8);
});

test('the confusion matrix tells the two kinds of mistake apart', () => {
  expect(confusionMatrix(labels, predictions)).toEqual([
    [2, 1],
    [2, 3],
  ]);
});

test('log loss is the mean surprise in nats', () => {
  expect(logLoss([0, 1], [0.25, 0.5])).toBeCloseTo(-(Math.log(0.75) + Math.log(0.5)) / 2, 14);
});

test('log loss of a certain mistake is large but finite', () => {
  expect(logLoss([1], [0])).toBeCloseTo(52 * Math.LN2, 10);
  expect(logLoss([0], [1])).toBeCloseTo(52 * Math.LN2, 10);
  expect(logLoss([0], [0])).toBeGreaterThan(0);
});

test('spread is that of a sample', () => {
  expect(mean([2, 4, 4, 4, 5, 5, 7, 9])).toBe(5);
  expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 14);
});

test.each([accuracy, confusionMatrix, logLoss])(
  '%o refuses no rows, and predictions of other rows',
  (score) => {
    expect(() => score([], [])).toThrow(RangeError);
    expect(() => score([0, 1], [0])).toThrow(RangeError);
  },
);

test('there is no mean of nothing and no spread of one', () => {
  expect(() => mean([])).toThrow(RangeError);
  expect(() => standardDeviation([1])).toThrow(RangeError);
});
