/** Special functions against closed forms and tabled values. */
import { expect, test } from 'vitest';
import {
  erfc,
  lnGamma,
  upperGamma,
} from '../../../../../src/workloads/algorithms/randomness/special-functions.ts';

const relative = (found: number, known: number) => Math.abs(found / known - 1);

test.each([
  // Abramowitz & Stegun, table 7.1, and more digits of the same.
  [0.1, 0.887537083981715],
  [0.5, 0.4795001221869535],
  [1, 0.15729920705028513],
  [2, 0.004677734981047266],
  [5, 1.5374597944280349e-12],
  [-1, 1.8427007929497148],
])('erfc(%f)', (x, known) => {
  expect(relative(erfc(x), known)).toBeLessThan(1e-13);
});

test('erfc is 1 at 0 and 0 far out', () => {
  expect([erfc(0), erfc(40), erfc(-40)]).toEqual([1, 0, 2]);
});

test('lnGamma is the sum of logarithms at whole numbers, and ½·ln π at ½', () => {
  let sum = 0;
  for (let n = 1; n <= 200; n++) {
    expect(Math.abs(lnGamma(n) - sum)).toBeLessThan(1e-14 * Math.max(1, sum) * 4);
    sum += Math.log(n);
  }
  expect(lnGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 14);
});

test.each([1, 2, 3, 8, 20, 60])('Q(%i, x) is a sum of Poisson probabilities', (a) => {
  for (const x of [0.01, 0.5, 1, a / 2, a, a + 2, 3 * a]) {
    let term = Math.exp(-x);
    let sum = term;
    for (let k = 1; k < a; k++) {
      term *= x / k;
      sum += term;
    }
    expect(relative(upperGamma(a, x), sum)).toBeLessThan(1e-12);
  }
});

test.each([16_384, 50_000, 500_000])('Q(%i, x) goes through the middle near a', (a) => {
  // Q(a, a) = ½ − (1/3)/√(2πa) + O(a^{−3/2}).
  expect(upperGamma(a, a)).toBeCloseTo(0.5 - 1 / (3 * Math.sqrt(2 * Math.PI * a)), 8);
  // By Wilson and Hilferty's approximation, five digits.
  for (const z of [-3, -1, 1, 3]) {
    const x = a * (1 - 1 / (9 * a) + z / (3 * Math.sqrt(a))) ** 3;
    expect(upperGamma(a, x)).toBeCloseTo(erfc(z / Math.SQRT2) / 2, 5);
  }
});

test('Q is 1 at 0, 0 at infinity, and refuses what is not defined', () => {
  expect([upperGamma(2, 0), upperGamma(2, Number.POSITIVE_INFINITY)]).toEqual([1, 0]);
  expect(() => upperGamma(0, 1)).toThrow(RangeError);
  expect(() => upperGamma(1, -1)).toThrow(RangeError);
  expect(() => upperGamma(1, Number.NaN)).toThrow(RangeError);
});

test('erfc has the tabled quantiles of the normal distribution', () => {
  expect(erfc(-1.959963984540054 / Math.SQRT2) / 2).toBeCloseTo(0.975, 14);
  expect(erfc(2.5758293035489004 / Math.SQRT2) / 2).toBeCloseTo(0.005, 14);
});
