import { expect, test } from 'vitest';
import {
  fitScaler,
  scaleRow,
} from '../../../../../src/workloads/models/qnn-hybrid/feature-scaler.ts';

const TRAINING = [
  [4, 10],
  [8, 30],
  [5, 20],
];
const scaler = fitScaler(TRAINING);

test('the range of each feature is that of the training rows', () => {
  expect(scaler).toEqual({ minimums: [4, 10], maximums: [8, 30] });
});

test.each([
  [
    [4, 30],
    [-1, 1],
  ],
  [
    [6, 20],
    [0, 0],
  ],
  [
    [5, 25],
    [-0.5, 0.5],
  ],
])('%j is scaled linearly to %j, and its ends are in range', (row, values) => {
  expect(scaleRow(scaler, row)).toEqual({ values, outOfRange: [] });
});

test.each([
  [[3.999, 20], [-1, 0], [0]],
  [[8.001, 20], [1, 0], [0]],
  [
    [0, 1000],
    [-1, 1],
    [0, 1],
  ],
  [[6, 9], [0, -1], [1]],
])(
  '%j is drawn to the ends of the range, and each feature outside is named',
  (row, values, out) => {
    expect(scaleRow(scaler, row)).toEqual({ values, outOfRange: out });
  },
);
