/** Accuracies as a model card has them, worked out by hand. */
import { expect } from 'vitest';

/** Matches the mean and sample standard deviation, which a card rounds to six digits. */
export function overFolds(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const spread = Math.sqrt(squares / (values.length - 1));
  return { mean: expect.closeTo(mean, 6), spread: expect.closeTo(spread, 6) };
}

/** Fraction of predictions that are right. */
export function shareRight(predictions: readonly number[], truths: readonly number[]): number {
  return predictions.filter((one, i) => one === truths[i]).length / truths.length;
}
