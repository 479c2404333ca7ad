/** Types and checks that the classical classifiers share. */

/** Feature rows of one length. */
export type Rows = readonly ArrayLike<number>[];

/** A trained classifier: above 0 it says class 1, else class 0. */
export type DecisionFunction = (row: ArrayLike<number>) => number;

/**
 * Trains a classifier of two classes.
 *
 * Labels are 0 and 1, one a row.
 *
 * @throws {RangeError} if a class has no rows, or the rows do not determine the classifier.
 */
export type Fit = (rows: Rows, labels: ArrayLike<number>) => DecisionFunction;

/** The class that a decision value predicts. */
export function classOf(decision: number): 0 | 1 {
  return decision > 0 ? 1 : 0;
}

/** Number of rows of class 0 and of class 1. */
export function classCounts(rows: Rows, labels: ArrayLike<number>): readonly [number, number] {
  if (labels.length !== rows.length) {
    throw new RangeError(`There are ${labels.length} labels for ${rows.length} rows.`);
  }
  const counts: [number, number] = [0, 0];
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    if (label !== 0 && label !== 1) throw new RangeError(`Label ${label} is neither 0 nor 1.`);
    counts[label]++;
  }
  if (counts[0] === 0 || counts[1] === 0) throw new RangeError('Both classes must have rows.');
  return counts;
}
