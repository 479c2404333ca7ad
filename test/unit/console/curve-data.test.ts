import { describe, expect, test } from 'vitest';
import {
  ascending,
  curvesInWords,
  inOrder,
  labelledTicks,
  logarithmicTicks,
  pointInWords,
  rangeOf,
} from '../../../src/console/drawing/plot-data.ts';

const X = { label: 'a', values: [2, 1, 0] };

describe('curve-data', () => {
  test('orders points by ascending x', () => {
    const order = ascending(X);
    expect(order).toEqual([2, 1, 0]);
    expect(inOrder([5, NaN, 7], order)).toEqual([7, null, 5]);
  });

  test('the range holds values and errors, and leaves out what has not arrived', () => {
    const one = { label: 'Z0', values: [0.5, NaN, -1], errors: [0.25, NaN, NaN] };
    const two = { label: 'X0', values: [NaN, 0, NaN] };
    expect(rangeOf([one, two])).toEqual([-1, 0.75]);
  });

  test('there is no range before the first value', () => {
    expect(rangeOf([{ label: 'Z0', values: [NaN] }])).toBeUndefined();
  });

  test('a sentence names minimum, maximum, last value, and how many values are there', () => {
    const series = [{ label: 'Z0', values: Float64Array.of(0.25, -1, NaN) }];
    expect(curvesInWords(X, series)).toBe(
      'Z0 by a: minimum −1 at 1, maximum 0.25 at 2 and last value −1. 2 of 3 values are there.',
    );
    expect(curvesInWords(X, [{ label: 'Z0', values: [NaN] }])).toBe('Z0 has no values yet.');
  });

  test('a point names each series with its error', () => {
    const series = [
      { label: 'Z0', values: [1 / 3], errors: [0.01] },
      { label: 'X0', values: [NaN] },
    ];
    expect(pointInWords(X, series, 0)).toBe('a = 2: Z0 = 0.3333 ± 0.01, X0 = none');
  });

  test('an interval need not be symmetric, and a logarithmic range has positive numbers alone', () => {
    const intervals = { low: [0, 0.125], high: [0.25, 2] };
    const series = [{ label: 'rate', values: [0, 0.5], intervals }];
    expect(rangeOf(series)).toEqual([0, 2]);
    expect(rangeOf(series, true)).toEqual([0.125, 2]);
    expect(pointInWords(X, series, 1)).toBe('a = 1: rate = 0.5 (0.125 to 2)');
  });

  test('ticks of a logarithmic axis are those of each decade, and fewer of them have labels over more decades', () => {
    expect(logarithmicTicks(0.015, 0.2)).toEqual([
      0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2,
    ]);
    expect(logarithmicTicks(3e-5, 3e-5)).toEqual([3e-5]);
    expect(logarithmicTicks(0, 1)).toEqual([]);
    const labels = (least: number, greatest: number) =>
      labelledTicks(logarithmicTicks(least, greatest)).filter((tick) => tick !== null);
    expect(labels(0.02, 0.2)).toEqual([0.02, 0.03, 0.05, 0.1, 0.2]);
    expect(labels(0.01, 1)).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
    expect(labels(0.001, 1)).toEqual([0.001, 0.01, 0.1, 1]);
  });
});
