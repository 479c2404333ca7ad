/** A fold's classifier and scaler are fitted without its test rows. */
import { afterAll, expect, test } from 'vitest';
import type { FitSettings } from '../../../../../src/workloads/models/qnn-hybrid/fit-classifier.ts';
import {
  circuitOf,
  crossValidate,
  overFolds,
  predictionsOf,
} from '../../../../../src/workloads/models/qnn-hybrid/select-architecture.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { rangeScaler } from '../../../../support/reuploading-circuits.ts';

const service = openTestContext();
afterAll(() => service[Symbol.asyncDispose]());
const { circuits } = service.context;

const SETTINGS: FitSettings = {
  steps: 5,
  learningRate: 0.2,
  slope: 3,
  initialSpread: 0.3,
  weightBound: 4,
  seed: 1,
};
const circuit = circuitOf({ ansatz: 'ghz-reuploading', layers: 1 });
const LABELS = [0, 0, 1, 1, 0, 1] as const;
const ROWS = [
  [1, 5, 2, 9],
  [2, 6, 1, 8],
  [3, 4, 5, 3],
  [4, 3, 4, 2],
  [1.5, 5.5, 1.5, 8.5],
  [3.5, 3.5, 4.5, 2.5],
];
const SPLIT = { repeat: 0, fold: 0, train: [0, 1, 2, 3], test: [4, 5] };

async function foldOf(rows: readonly (readonly number[])[], labels: readonly (0 | 1)[] = LABELS) {
  const [fold] = await crossValidate(
    circuit,
    { rows, labels },
    [SPLIT],
    SETTINGS,
    circuits,
    async () => {},
  );
  return fold!;
}

test('test rows far outside of the training range change nothing that is learnt', async () => {
  const plain = await foldOf(ROWS);
  const extreme = await foldOf([...ROWS.slice(0, 4), [-1e6, 1e6, -1e6, 1e6], [1e6, 0, 1e6, 0]]);
  expect(extreme.fitted.theta).toEqual(plain.fitted.theta);
  expect(extreme.fitted.threshold).toBe(plain.fitted.threshold);
  expect(extreme.fitted.losses).toEqual(plain.fitted.losses);
  expect(extreme.inputs).toEqual([
    [-1, 1, -1, 1],
    [1, -1, 1, -1],
  ]);
});

test('the labels of test rows change nothing but what they are compared with', async () => {
  const plain = await foldOf(ROWS);
  const turned = await foldOf(ROWS, [0, 0, 1, 1, 1, 0]);
  expect(turned).toEqual({ ...plain, labels: [1, 0] });
});

test('training rows do change what is learnt', async () => {
  const plain = await foldOf(ROWS);
  const moved = await foldOf(ROWS.with(0, [2.5, 5, 2, 9]));
  expect(moved.fitted.theta).not.toEqual(plain.fitted.theta);
  expect(moved.inputs).not.toEqual(plain.inputs);
});

test('test rows are scaled by the range of the training rows', async () => {
  const { inputs, test: tested, labels } = await foldOf(ROWS);
  const scale = rangeScaler(ROWS.slice(0, 4));
  const wanted = [scale(ROWS[4]!), scale(ROWS[5]!)];
  expect(inputs).toEqual(wanted.map((row) => row.map((value) => expect.closeTo(value, 12))));
  expect(tested).toEqual([4, 5]);
  expect(labels).toEqual([0, 1]);
});

test('each split has its fold, and is waited for before the next is begun', async () => {
  const splits = [SPLIT, { repeat: 0, fold: 1, train: [2, 3, 4, 5], test: [0, 1] }];
  const told: string[] = [];
  const onFold = async () => {
    told.push('begins');
    await Promise.resolve();
    told.push('ends');
  };
  const data = { rows: ROWS, labels: LABELS };
  const folds = await crossValidate(circuit, data, splits, SETTINGS, circuits, onFold);
  expect(folds.map(({ test: tested }) => tested)).toEqual([
    [4, 5],
    [0, 1],
  ]);
  expect(told).toEqual(['begins', 'ends', 'begins', 'ends']);
});

test('predictions are by the fold’s own threshold, and accuracies by mean and sample spread', async () => {
  const fold = await foldOf(ROWS);
  const { threshold } = fold.fitted;
  expect(predictionsOf(fold, [threshold - 0.01, threshold, threshold + 0.01])).toEqual([0, 0, 1]);
  expect(overFolds([0.9, 1, 0.8])).toEqual({
    mean: expect.closeTo(0.9, 12),
    spread: expect.closeTo(0.1, 12),
  });
});
