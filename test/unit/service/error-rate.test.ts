import { expect, test } from 'vitest';
import { errorRate } from '../../../src/service/experiments/error-rate.ts';

/** Square of the quantile of 97.5 %: that of 95 % of the chi-squared distribution with one degree of freedom. */
const Z2 = 3.841458820694124;

test.each([1, 10, 1000])('without errors in %d shots the bounds are 0 and z²/(n + z²)', (shots) => {
  const { rate, low, high } = errorRate({ shots, errors: 0, discards: 0 })!;
  expect([rate, low]).toEqual([0, 0]);
  expect(high).toBeCloseTo(Z2 / (shots + Z2), 12);
});

test.each([1, 10, 1000])('with errors in all of %d shots they are n/(n + z²) and 1', (shots) => {
  const { rate, low, high } = errorRate({ shots, errors: shots, discards: 0 })!;
  expect([rate, high]).toEqual([1, 1]);
  expect(low).toBeCloseTo(shots / (shots + Z2), 12);
});

test('the bounds are the rates from which the found one is 1.96 standard deviations away', () => {
  const { rate, low, high } = errorRate({ shots: 1100, errors: 37, discards: 100 })!;
  expect(rate).toBe(0.037);
  for (const bound of [low, high]) {
    const deviation = Math.sqrt((bound * (1 - bound)) / 1000);
    expect(Math.abs(rate - bound) / deviation).toBeCloseTo(1.959963985, 8);
  }
});

test('without kept shots there is no rate', () => {
  expect(errorRate({ shots: 5, errors: 0, discards: 5 })).toBeUndefined();
});
