import { expect, test } from 'vitest';
import { logisticLoss } from '../../../../../src/workloads/algorithms/training/model-evaluation.ts';

test('an undecided row costs ln 2, whatever its class', () => {
  const { loss, gradient } = logisticLoss(Float64Array.of(0, 0), new Float64Array(2), [0, 1], 3);
  expect(loss).toBeCloseTo(Math.LN2, 14);
  expect([...gradient]).toEqual([0]);
});

test('a row costs less the further its value is on the side of its class', () => {
  const costOf = (value: number, label: number) =>
    logisticLoss(Float64Array.of(value), new Float64Array(1), [label], 2).loss;
  expect(costOf(1, 1)).toBeCloseTo(Math.log(1 + Math.exp(-2)), 14);
  expect(costOf(-1, 1)).toBeCloseTo(Math.log(1 + Math.exp(2)), 14);
  expect(costOf(-1, 0)).toBe(costOf(1, 1));
  expect(costOf(1, 0)).toBe(costOf(-1, 1));
});

test('its gradient is the mean over rows of the slope of each, by the chain rule', () => {
  const values = Float64Array.of(0.3, -0.2);
  const gradients = Float64Array.of(1, 2, 3, -4, 5, -6);
  const { gradient } = logisticLoss(values, gradients, [1, 0], 3);
  const first = -3 / (1 + Math.exp(3 * 0.3));
  const second = 3 / (1 + Math.exp(3 * 0.2));
  const wanted = [0, 1, 2].map((j) => (first * gradients[j]! + second * gradients[3 + j]!) / 2);
  expect([...gradient]).toEqual(wanted.map((slope) => expect.closeTo(slope, 14)));
});
