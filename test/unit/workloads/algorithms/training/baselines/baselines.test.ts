import { describe, expect, test } from 'vitest';
import {
  BASELINES,
  classOf,
} from '../../../../../../src/workloads/algorithms/training/baselines.ts';
import {
  accuracy,
  mean,
  stratifiedSplits,
} from '../../../../../../src/workloads/algorithms/training/model-evaluation.ts';
import { irisPair } from '../../../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { RandomStream } from '../../../../../support/random-stream.ts';

const { rows, labels } = irisPair();
/** 33 flowers of class 0 and 27 of class 1. */
const trained = rows.flatMap((_, i) => (i % 3 > 0 && i < 90 ? [i] : []));
const asked = [0, 20, 33, 69, 83, 99];

/**
 * Decision values of scikit-learn 1.9.1 for the same rows: LDA(), LogisticRegression(tol=1e-12,
 * solver='newton-cholesky') and SVC(tol=1e-10), the latter two behind a StandardScaler. Its support
 * vectors come from a kernel in single precision.
 */
const GOLDEN = {
  lda: {
    values: [
      -9.847823473258577, -0.5871557814173674, 1.5388666048700141, 3.3865925259911,
      -1.4849230820133634, 2.4938845978563347,
    ],
    digits: 10,
  },
  'logistic-regression': {
    values: [
      -1.263431906681694, -0.11397334822042282, 0.3308576289301808, 0.04915409035042195,
      0.06909155847687387, 0.6482477485328211,
    ],
    digits: 9,
  },
  'logistic-regression-standardised': {
    values: [
      -2.339461911004492, -0.02820321577493118, 0.41186183267914006, 0.5651814172073142,
      -0.2897871709694855, 0.9160816679467474,
    ],
    digits: 10,
  },
  'svc-rbf': {
    values: [
      -0.8930121644110103, -0.24522616582629875, 0.24359615667058232, -0.2287155097427963,
      -0.1894813947951106, 0.46232804410862227,
    ],
    digits: 5,
  },
} as const;

describe.each(BASELINES)('$name', ({ id, fit: learn }) => {
  test('decides as scikit-learn does', () => {
    const decide = learn(
      trained.map((i) => rows[i]!),
      trained.map((i) => labels[i]!),
    );
    const { values, digits } = GOLDEN[id];
    for (const [k, i] of asked.entries()) expect(decide(rows[i]!)).toBeCloseTo(values[k]!, digits);
  });

  test('lands where it is known to on versicolor against virginica', () => {
    const known = {
      lda: 0.962,
      'logistic-regression': 0.953,
      'logistic-regression-standardised': 0.948,
      'svc-rbf': 0.941,
    }[id];
    const splits = stratifiedSplits(labels, { numFolds: 5, numRepeats: 20, seed: 1 });
    const accuracies = splits.map(({ train, test: held }) => {
      const decide = learn(
        train.map((i) => rows[i]!),
        train.map((i) => labels[i]!),
      );
      return accuracy(
        held.map((i) => labels[i]!),
        held.map((i) => classOf(decide(rows[i]!))),
      );
    });
    expect(Math.abs(mean(accuracies) - known)).toBeLessThan(0.005);
  });

  test('does not care which class is called 1', () => {
    const flipped = labels.map((label) => 1 - label);
    const [plain, mirrored] = [learn(rows, labels), learn(rows, flipped)];
    for (const row of rows) expect(mirrored(row)).toBeCloseTo(-plain(row), 5);
  });

  test('finds classes that lie far apart, also of very different sizes', () => {
    const stream = new RandomStream(33);
    const points = Array.from({ length: 60 }, (_, i) => [
      stream.normal() + (i < 10 ? 12 : 0),
      stream.normal(),
    ]);
    const sides = points.map((_, i) => (i < 10 ? 1 : 0));
    const decide = learn(points, sides);
    expect(points.map((point) => classOf(decide(point)))).toEqual(sides);
  });

  test.each([
    ['rows of one class only', rows.slice(0, 50), labels.slice(0, 50)],
    ['no rows', [], []],
    ['labels that are not one a row', rows, labels.slice(1)],
    ['a label that is neither 0 nor 1', rows.slice(0, 3), [0, 1, 2]],
  ])('refuses %s', (_, someRows, someLabels) => {
    expect(() => learn(someRows, someLabels)).toThrow(RangeError);
  });
});

test('a classifier of support vectors learns what no line separates', () => {
  const stream = new RandomStream(34);
  const points = Array.from({ length: 80 }, () => [stream.normal(), stream.normal()]);
  const inside = points.map(([x = 0, y = 0]) => (x * x + y * y < 1.2 ? 1 : 0));
  const decisions = (id: string) => {
    const decide = BASELINES.find((baseline) => baseline.id === id)!.fit(points, inside);
    return points.map((point) => classOf(decide(point)));
  };
  expect(accuracy(inside, decisions('svc-rbf'))).toBeGreaterThan(0.95);
  expect(accuracy(inside, decisions('lda'))).toBeLessThan(0.75);
});
