import { describe, expect, test } from 'vitest';
import {
  ascending,
  curvesInWords,
  inOrder,
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
});
