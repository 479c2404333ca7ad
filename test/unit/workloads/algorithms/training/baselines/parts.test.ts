import { expect, test } from 'vitest';
import { choleskySolve } from '../../../../../../src/workloads/algorithms/linear-algebra/vectors.ts';
import {
  fitLinearDiscriminant,
  fitLogisticRegression,
  fitSupportVectors,
  standardise,
  standardScaler,
} from '../../../../../../src/workloads/algorithms/training/baselines.ts';
import { RandomStream } from '../../../../../support/random-stream.ts';

test('Cholesky solves what a product was made of', () => {
  const stream = new RandomStream(61);
  for (let n = 1; n <= 8; n++) {
    const root = Array.from({ length: n }, () => Array.from({ length: n }, () => stream.normal()));
    const matrix = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        matrix[i * n + j] = root[i]!.reduce((sum, value, k) => sum + value * root[j]![k]!, 0);
      }
      matrix[i * n + i]! += 1;
    }
    const x = Array.from({ length: n }, () => stream.normal());
    const right = x.map((_, i) => x.reduce((sum, value, j) => sum + matrix[i * n + j]! * value, 0));
    for (const [i, value] of choleskySolve(matrix, right).entries()) {
      expect(value).toBeCloseTo(x[i]!, 10);
    }
  }
});

test.each([
  ['singular', [1, 2, 2, 4]],
  ['not definite', [1, 2, 2, 1]],
  ['empty of meaning', [Number.NaN, 0, 0, 1]],
])('Cholesky refuses a matrix that is %s', (_, entries) => {
  expect(() => choleskySolve(Float64Array.from(entries), [1, 1])).toThrow(RangeError);
});

test('discriminant analysis refuses features of which one follows from the others', () => {
  const rows = [1, 2, 3, 4, 5, 7].map((x, i) => [x, 2 * x, i]);
  expect(() => fitLinearDiscriminant(rows, [0, 1, 0, 1, 0, 1])).toThrow(RangeError);
});

test('scaled features have mean 0 and deviation 1', () => {
  const rows = [[1], [2], [6]];
  const scaled = rows.map((row) => standardise(standardScaler(rows), row)[0]!);
  expect(scaled.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 14);
  expect(scaled.reduce((sum, value) => sum + value * value, 0) / 3).toBeCloseTo(1, 14);
});

test('a feature that never changes is moved to 0 and not blown up', () => {
  const rows = [[0.1], [0.1], [0.1]];
  const scaler = standardScaler(rows);
  expect(scaler.deviations[0]).toBe(1);
  expect(standardise(scaler, [0.1])[0]).toBeCloseTo(0, 14);
});

test('logistic regression stands where the slope of its goal is zero', () => {
  const rows = [[-2], [-1], [0.5], [-0.5], [1], [3]];
  const labels = [0, 0, 0, 1, 1, 1];
  const decide = fitLogisticRegression(rows, labels);
  const weight = decide([1]) - decide([0]);
  const excess = rows.map((row, i) => 1 / (1 + Math.exp(-decide(row))) - labels[i]!);
  expect(excess.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 9);
  const slope = excess.reduce((sum, value, i) => sum + value * rows[i]![0]!, weight);
  expect(slope).toBeCloseTo(0, 9);
});

test('two rows are both support vectors, an equal distance from the border', () => {
  const decide = fitSupportVectors([[-1], [1]], [0, 1]);
  expect(decide([0])).toBeCloseTo(0, 12);
  expect(decide([1])).toBeCloseTo(-decide([-1]), 12);
  // The variance is 1, so γ is 1; both weights would be 1/(1 − e⁻⁴) and stop at C = 1.
  expect(decide([1])).toBeCloseTo(1 - Math.exp(-4), 12);
});

test('equal rows of both classes do not keep support vectors from being found', () => {
  const decide = fitSupportVectors([[0], [0], [1], [1]], [0, 1, 0, 1]);
  expect(Math.abs(decide([0]))).toBeLessThan(1e-6);
});

test('support vectors of rows that are all alike give a number', () => {
  const decide = fitSupportVectors([[3], [3], [3]], [0, 1, 1]);
  expect(Number.isFinite(decide([3]))).toBe(true);
});

test('logistic regression refuses rows that it overshoots on', () => {
  const rows = [[235_291], [-737_562_088], [-19_408]];
  expect(() => fitLogisticRegression(rows, [0, 1, 0])).toThrow(RangeError);
});
