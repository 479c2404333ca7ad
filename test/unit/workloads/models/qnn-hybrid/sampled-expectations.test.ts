/** Estimates of ⟨Z₀⟩ from counts, against binomial formulas. */
import { describe, expect, test } from 'vitest';
import { classAbove } from '../../../../../src/workloads/models/qnn-hybrid/fit-classifier.ts';
import {
  marginInShotNoise,
  sampledExpectation,
  standardError,
  timesBitZeroClear,
} from '../../../../../src/workloads/models/qnn-hybrid/sampled-expectations.ts';
import { binomial } from '../../../../support/binomial.ts';

test('shots with bit 0 clear are those of even outcomes', () => {
  expect(timesBitZeroClear([1, 10, 100, 1000])).toBe(101);
  expect(timesBitZeroClear(Uint32Array.of(7, 5))).toBe(7);
});

test.each([
  [0, 10, -1],
  [10, 10, 1],
  [5, 10, 0],
  [768, 1024, 0.5],
])('%i of %i shots with bit 0 clear are an expectation of %d', (times, shots, expectation) => {
  expect(sampledExpectation(times, shots)).toBe(expectation);
});

describe('the standard error', () => {
  test.each([
    [0.3, 200],
    [0.5, 1024],
    [0.95, 4000],
  ])('is the deviation of the estimate where %d of %i shots are clear', (p, shots) => {
    const deviation = Math.sqrt(
      binomial(shots, p).reduce(
        (sum, chance, k) => sum + chance * ((2 * k) / shots - 1 - (2 * p - 1)) ** 2,
        0,
      ),
    );
    expect(standardError(p * shots, shots)).toBeCloseTo(deviation, 10);
  });

  test('is the same for either outcome', () => {
    expect(standardError(3, 10)).toBeCloseTo(standardError(7, 10), 14);
    expect(standardError(0, 10)).toBe(standardError(10, 10));
  });

  test.each([1, 10, 1024, 8192])('is not 0 where all %i shots agree', (shots) => {
    const p = 0.5 / (shots + 1);
    expect(standardError(0, shots)).toBeCloseTo(2 * Math.sqrt((p * (1 - p)) / shots), 14);
    // Less than for the least that shots can disagree.
    if (shots > 1) expect(standardError(0, shots)).toBeLessThan(standardError(1, shots));
  });
});

describe('the margin', () => {
  test('is the distance to the threshold in standard errors, on either side', () => {
    const error = 2 * Math.sqrt((0.25 * 0.75) / 400);
    expect(marginInShotNoise(300, 400, 0.1)).toBeCloseTo(0.4 / error, 12);
    expect(marginInShotNoise(100, 400, 0.1)).toBeCloseTo(0.6 / error, 12);
  });

  test('is 0 at the threshold, which is class 0', () => {
    expect(marginInShotNoise(768, 1024, 0.5)).toBe(0);
    expect(classAbove(0.5, sampledExpectation(768, 1024))).toBe(0);
    expect(classAbove(0.5, sampledExpectation(769, 1024))).toBe(1);
  });

  test('is a finite number where all shots agree', () => {
    expect(marginInShotNoise(0, 1024, 0)).toBeCloseTo(1 / standardError(0, 1024), 8);
    expect(Number.isFinite(marginInShotNoise(1, 1, 0))).toBe(true);
  });
});
