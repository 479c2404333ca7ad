/** Zero-noise extrapolation against closed forms. */
import { describe, expect, test } from 'vitest';
import {
  exponentialFit,
  linearFit,
  richardsonFit,
  richardsonWeights,
  type ScaledValue,
} from '../../../../../src/workloads/algorithms/mitigation/extrapolate.ts';

/** Values of a function at scale factors. */
const valuesOf = (
  scaleFactors: readonly number[],
  value: (x: number) => number,
  standardError = 0,
): readonly ScaledValue[] =>
  scaleFactors.map((scaleFactor) => ({ scaleFactor, value: value(scaleFactor), standardError }));

describe('a linear fit', () => {
  test('reads a line off at 0', () => {
    const fit = linearFit(valuesOf([1, 2, 3.5], (x) => 0.8 - 0.15 * x));
    expect(fit.value).toBeCloseTo(0.8, 12);
    expect(fit.slope).toBeCloseTo(-0.15, 12);
    expect(fit.standardError).toBe(0);
  });

  test('of equal errors has the closed form of least squares', () => {
    const ys = [0.7, 0.5, 0.45, 0.1];
    const points = [1, 2, 3, 5].map((x, i) => ({
      scaleFactor: x,
      value: ys[i]!,
      standardError: 0.02,
    }));
    // Mean 2.75 and Σ(x − mean)² = 8.75.
    const slope = [1, 2, 3, 5].reduce((sum, x, i) => sum + (x - 2.75) * ys[i]!, 0) / 8.75;
    const fit = linearFit(points);
    expect(fit.slope).toBeCloseTo(slope, 12);
    expect(fit.value).toBeCloseTo(1.75 / 4 - slope * 2.75, 12);
    expect(fit.standardError).toBeCloseTo(0.02 * Math.sqrt(1 / 4 + 2.75 ** 2 / 8.75), 12);
  });

  test('of two values passes through both, whatever their errors', () => {
    const fit = linearFit([
      { scaleFactor: 1, value: 0.9, standardError: 0.01 },
      { scaleFactor: 3, value: 0.5, standardError: 0.2 },
    ]);
    expect(fit.value).toBeCloseTo(1.1, 12);
    expect(fit.standardError).toBeCloseTo(Math.hypot(1.5 * 0.01, 0.5 * 0.2), 12);
  });

  test('heeds exact values and sampled ones by their errors', () => {
    const near = { scaleFactor: 1, value: 0.9, standardError: 1e-6 };
    const far = { scaleFactor: 2, value: 0.8, standardError: 1e-6 };
    const fit = linearFit([near, far, { scaleFactor: 3, value: 0, standardError: 1 }]);
    expect(fit.value).toBeCloseTo(1, 9);
  });
});

describe('Richardson extrapolation', () => {
  test.each<[readonly number[], readonly number[]]>([
    [
      [1, 2],
      [2, -1],
    ],
    [
      [1, 2, 3],
      [3, -3, 1],
    ],
    [
      [1, 3, 5],
      [15 / 8, -10 / 8, 3 / 8],
    ],
    [
      [1, 1.5, 2],
      [6, -8, 3],
    ],
  ])('weighs the values at %j by %j', (factors, weights) => {
    const found = richardsonWeights(factors);
    for (const [i, weight] of weights.entries()) expect(found[i]).toBeCloseTo(weight, 12);
    expect(found.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  });

  test('is exact for a polynomial, and adds errors by the squares of the weights', () => {
    const points = valuesOf([1, 2, 3], (x) => 0.6 - 0.2 * x + 0.05 * x * x, 0.01);
    const { value, standardError } = richardsonFit(points);
    expect(value).toBeCloseTo(0.6, 12);
    expect(standardError).toBeCloseTo(0.01 * Math.sqrt(9 + 9 + 1), 12);
  });
});

describe('an exponential fit', () => {
  test.each([
    [0, 0.9, 0.3],
    [0.25, 0.5, 0.05],
    [1, -1.2, 0.7],
    [-2, 3, 1.5],
  ])('finds the decay to %f of amplitude %f and rate %f', (asymptote, amplitude, decay) => {
    const points = valuesOf([1, 1.4, 3, 5], (x) => asymptote + amplitude * Math.exp(-decay * x));
    const fit = exponentialFit(points, asymptote);
    if (typeof fit === 'string') throw new Error(fit);
    expect(fit.amplitude).toBeCloseTo(amplitude, 9);
    expect(fit.decay).toBeCloseTo(decay, 9);
    expect(fit.value).toBeCloseTo(asymptote + amplitude, 9);
    expect(fit.standardError).toBe(0);
  });

  test('of two values has a closed form, and errors follow from its derivatives', () => {
    const points = [
      { scaleFactor: 1, value: 0.8, standardError: 0.01 },
      { scaleFactor: 3, value: 0.5, standardError: 0.03 },
    ];
    const fit = exponentialFit(points, 0);
    if (typeof fit === 'string') throw new Error(fit);
    // y₁^(3/2) · y₃^(−1/2).
    const value = 0.8 ** 1.5 / Math.sqrt(0.5);
    expect(fit.value).toBeCloseTo(value, 9);
    const error = value * Math.hypot((1.5 * 0.01) / 0.8, (0.5 * 0.03) / 0.5);
    expect(fit.standardError).toBeCloseTo(error, 9);
  });

  test('is the least-squares fit of values that are no decay', () => {
    const points = [0.83, 0.71, 0.6, 0.55].map((value, i) => {
      return { scaleFactor: i + 1, value, standardError: 0.01 * (i + 1) };
    });
    const fit = exponentialFit(points, 0.1);
    if (typeof fit === 'string') throw new Error(fit);
    const cost = (b: number, c: number) =>
      points.reduce((sum, { scaleFactor, value, standardError }) => {
        return sum + ((value - 0.1 - b * Math.exp(-c * scaleFactor)) / standardError) ** 2;
      }, 0);
    const least = cost(fit.amplitude, fit.decay);
    for (const [db, dc] of [
      [1e-3, 0],
      [-1e-3, 0],
      [0, 1e-3],
      [0, -1e-3],
    ] as const) {
      expect(cost(fit.amplitude + db, fit.decay + dc)).toBeGreaterThan(least);
    }
  });

  test('is refused for values on both sides of the asymptote', () => {
    const message = exponentialFit(
      valuesOf([1, 2], (x) => 0.5 - 0.4 * x),
      0,
    );
    expect(message).toMatch(/both sides of the asymptote 0/);
    expect(
      exponentialFit(
        valuesOf([1, 2], () => 0),
        0,
      ),
    ).toMatch(/no exponential decay/);
  });
});
