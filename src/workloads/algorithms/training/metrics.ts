/** Metrics of predictions of two classes, 0 and 1. */

/** Rows by true and predicted class. */
export interface ConfusionMatrix {
  readonly trueNegatives: number;
  /** Rows of class 0 predicted as 1. */
  readonly falsePositives: number;
  /** Rows of class 1 predicted as 0. */
  readonly falseNegatives: number;
  readonly truePositives: number;
}

/**
 * Probabilities are clamped, because a wrong prediction with probability 0 or 1 would have an infinite
 * loss.
 */
const LEAST_PROBABILITY = 2 ** -52;

/**
 * Fraction of rows predicted right.
 *
 * @throws {RangeError} if there are no rows, or not one prediction a row; so do all below.
 */
export function accuracy(labels: ArrayLike<number>, predictions: ArrayLike<number>): number {
  return meanOver(labels, predictions, (label, prediction) => (label === prediction ? 1 : 0));
}

/** Number of rows of each true and predicted class. */
export function confusionMatrix(
  labels: ArrayLike<number>,
  predictions: ArrayLike<number>,
): ConfusionMatrix {
  checkLengths(labels, predictions);
  const counts = [0, 0, 0, 0];
  for (let row = 0; row < labels.length; row++) counts[2 * labels[row]! + predictions[row]!]!++;
  const [trueNegatives = 0, falsePositives = 0, falseNegatives = 0, truePositives = 0] = counts;
  return { trueNegatives, falsePositives, falseNegatives, truePositives };
}

/**
 * Log loss: mean of −ln of the probability of the true class, in nats.
 *
 * @param probabilities - Of class 1; clamped to [2^−52, 1 − 2^−52].
 */
export function logLoss(labels: ArrayLike<number>, probabilities: ArrayLike<number>): number {
  return meanOver(labels, probabilities, (label, probability) => {
    const ofTruth = label === 1 ? probability : 1 - probability;
    return -Math.log(Math.min(Math.max(ofTruth, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY));
  });
}

/** Arithmetic mean. */
export function mean(values: ArrayLike<number>): number {
  if (values.length === 0) throw new RangeError('There is no mean of no values.');
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/**
 * Sample standard deviation: the squares are divided by one less than their number.
 *
 * @throws {RangeError} if there are fewer than two values.
 */
export function standardDeviation(values: ArrayLike<number>): number {
  if (values.length < 2) throw new RangeError('A spread needs at least two values.');
  const middle = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i]! - middle) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}

function meanOver(
  labels: ArrayLike<number>,
  outputs: ArrayLike<number>,
  score: (label: number, output: number) => number,
): number {
  checkLengths(labels, outputs);
  return mean(Array.from(labels, (label, row) => score(label, outputs[row]!)));
}

function checkLengths(labels: ArrayLike<number>, outputs: ArrayLike<number>): void {
  if (labels.length > 0 && labels.length === outputs.length) return;
  throw new RangeError(`${outputs.length} predictions for ${labels.length} rows.`);
}
