/** Evaluation of a classifier of classes 0 and 1: loss, metrics of its predictions, and splits of cross-validation. */
import { uniformDraw } from '../../../math/philox.ts';

/** Value and derivative. */
export interface LossGradient {
  readonly loss: number;
  /** Length numParameters. */
  readonly gradient: Float64Array;
}

/**
 * Logistic loss of a classifier that separates two classes by the sign of an expectation value E: mean of
 * ln(1 + e^{−y·slope·E}), y = ±1, over all rows, and its derivatives by the parameters.
 *
 * The slope is fixed: |E| ≤ 1 bounds the margin, and a slope that grows with training would let a circuit
 * of many layers fit its training rows ever more closely.
 *
 * @param values - E of each row.
 * @param gradients - dE/dθ, row after row; length numRows · numParameters.
 * @param labels - 0 (y = −1) or 1 (y = +1), one a row.
 */
export function logisticLoss(
  values: Float64Array,
  gradients: Float64Array,
  labels: ArrayLike<number>,
  slope: number,
): LossGradient {
  const numRows = values.length;
  const numParameters = gradients.length / numRows;
  const gradient = new Float64Array(numParameters);
  let loss = 0;
  for (let row = 0; row < numRows; row++) {
    const sign = labels[row] === 1 ? 1 : -1;
    const cost = Math.exp(-sign * slope * values[row]!);
    loss += Math.log1p(cost) / numRows;
    const byValue = (-sign * slope * cost) / (1 + cost) / numRows;
    for (let j = 0; j < numParameters; j++) {
      gradient[j]! += byValue * gradients[row * numParameters + j]!;
    }
  }
  return { loss, gradient };
}

/** Number of rows by class: the true class, then in each row the predicted class. */
export type ConfusionMatrix = readonly [readonly [number, number], readonly [number, number]];

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
  const counts: [[number, number], [number, number]] = [
    [0, 0],
    [0, 0],
  ];
  for (let row = 0; row < labels.length; row++) counts[labels[row]!]![predictions[row]!]!++;
  return counts;
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

/** Separates these draws from others of the same seed. */
const SHUFFLE_EVENT = 0xf01d;

/** One training run and its test. Row numbers, ascending. */
export interface Split {
  /** From 0. */
  readonly repeat: number;
  /** From 0. */
  readonly fold: number;
  readonly train: readonly number[];
  readonly test: readonly number[];
}

/** Options of the split. */
export interface SplitOptions {
  /** At least 2, at most the rows. */
  readonly numFolds: number;
  readonly numRepeats: number;
  /** Integer in [0, 2^53 − 1]. */
  readonly seed: number;
}

/**
 * The splits of repeated stratified k-fold cross-validation, fold after fold of repeat after repeat. In each repeat
 * every row is tested once.
 *
 * Each repeat shuffles the rows of each class and deals them to the folds in turn, one class after the
 * other, without restarting at the first fold. So in every fold each class's count is within one of its
 * share, and so is the fold's size.
 *
 * @param labels - The class of each row: any whole numbers.
 * @throws {RangeError} if there are fewer than 2 folds, or more than rows.
 */
export function stratifiedSplits(
  labels: ArrayLike<number>,
  { numFolds, numRepeats, seed }: SplitOptions,
): readonly Split[] {
  if (!Number.isInteger(numFolds) || numFolds < 2 || numFolds > labels.length) {
    throw new RangeError(`${labels.length} rows cannot be split into ${numFolds} folds.`);
  }
  const splits: Split[] = [];
  for (let repeat = 0; repeat < numRepeats; repeat++) {
    const foldOf = dealFolds(labels, numFolds, seed, repeat);
    for (let fold = 0; fold < numFolds; fold++) {
      const rows = Array.from(foldOf.keys());
      splits.push({
        repeat,
        fold,
        train: rows.filter((row) => foldOf[row] !== fold),
        test: rows.filter((row) => foldOf[row] === fold),
      });
    }
  }
  return splits;
}

/** The fold that each row is tested in. */
function dealFolds(
  labels: ArrayLike<number>,
  numFolds: number,
  seed: number,
  repeat: number,
): Int32Array {
  const all = Array.from(labels);
  const classes = [...new Set(all)].sort((a, b) => a - b);
  const foldOf = new Int32Array(all.length);
  let dealt = 0;
  for (const [number, label] of classes.entries()) {
    const rows = all.flatMap((other, row) => (other === label ? [row] : []));
    const draw = (i: number) => uniformDraw(seed, repeat, SHUFFLE_EVENT + number, i);
    for (const row of shuffled(rows, draw)) foldOf[row] = dealt++ % numFolds;
  }
  return foldOf;
}

/**
 * The items in an order drawn uniformly from all orders.
 *
 * @param draw - The draw of that number in [0, 1).
 * @see Knuth, "The Art of Computer Programming", volume 2, algorithm 3.4.2P (Fisher & Yates).
 */
export function shuffled<T>(items: readonly T[], draw: (i: number) => number): readonly T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(draw(i) * (i + 1));
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
