/**
 * Repeated stratified k-fold cross-validation: selects training and test rows.
 *
 * Each repeat shuffles the rows of each class and deals them to the folds in turn, one class after the
 * other, without restarting at the first fold. So in every fold each class's count is within one of its
 * share, and so is the fold's size.
 */
import { uniformDraw } from '../../../math/philox.ts';

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
 * The splits, fold after fold of repeat after repeat. In each repeat every row is tested once.
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
