/** The tests of SP 800-22 against the worked examples that the publication prints. */
import { describe, expect, test } from 'vitest';
import {
  bitsOfBinary,
  bitsOfHex,
  hexOfBits,
} from '../../../../../src/workloads/algorithms/randomness/min-entropy.ts';
import {
  blockFrequency,
  frequency,
  runs,
  spectral,
} from '../../../../../src/workloads/algorithms/randomness/sp800-22.ts';
import { erfc } from '../../../../../src/workloads/algorithms/randomness/special-functions.ts';

/** The first 100 binary digits of π, as sections 2.1.8 and others use them. */
const PI = bitsOfBinary(
  '1100100100001111110110101010001000100001011010001100001000110100110001001100011001100010100010111000',
);
/** The first binary digits of e, from its series in whole numbers. */
function binaryDigitsOfE(numBits: number): Uint8Array {
  // Σ 1/k! = P/Q by halves; 2^precision·P/Q shifted down.
  const sum = (from: number, to: number): readonly [bigint, bigint] => {
    if (to - from === 1) return [1n, BigInt(to)];
    const middle = (from + to) >> 1;
    const [p1, q1] = sum(from, middle);
    const [p2, q2] = sum(middle, to);
    return [p1 * q2 + p2, q1 * q2];
  };
  let terms = 2;
  for (let bits = 0; bits < numBits + 64; terms++) bits += Math.log2(terms);
  const [p, q] = sum(0, terms);
  // "10." comes first: e is between 2 and 3.
  const digits = ((p << BigInt(numBits)) / q + (1n << BigInt(numBits))).toString(2);
  return bitsOfBinary(digits.slice(0, numBits));
}

describe('the examples of SP 800-22', () => {
  test.each<readonly [string, () => number, number, number]>([
    ['2.1.4 frequency', () => frequency(bitsOfBinary('1011010101')), 0.527089, 6],
    ['2.1.8 frequency of π', () => frequency(PI), 0.109599, 6],
    ['2.2.4 block frequency', () => blockFrequency(bitsOfBinary('0110011010'), 3), 0.801252, 6],
    ['2.2.8 block frequency of π', () => blockFrequency(PI, 10), 0.706438, 6],
    ['2.3.4 runs', () => runs(bitsOfBinary('1001101011')), 0.147232, 6],
    ['2.3.8 runs of π', () => runs(PI), 0.500798, 6],
  ])('%s', (_, pValue, published, digits) => {
    expect(pValue()).toBeCloseTo(published, digits);
  });
});

describe('a million binary digits of e', () => {
  const e = binaryDigitsOfE(1_000_000);

  test('are those of e', () => {
    // 2.b7e151628aed2a6abf7158809cf4f3c7…
    expect(hexOfBits(e.slice(2, 130))).toBe('b7e151628aed2a6abf7158809cf4f3c7');
  });

  // Appendix B of the publication, which lists P-values with the parameters used.
  test.each<readonly [string, () => number, number]>([
    ['frequency', () => frequency(e), 0.953749],
    ['block frequency, 128', () => blockFrequency(e, 128), 0.211072],
    ['runs', () => runs(e), 0.561917],
    ['spectral', () => spectral(e), 0.847187],
  ])('%s', (_, pValue, published) => {
    expect(Math.abs(pValue() - published)).toBeLessThan(1e-6);
  });
});

// The publication's examples of this test with 10 and 100 bits (0.029523 and 0.168669) count one and
// two peaks below the threshold fewer than there are; its example of a million bits is right, above.
test.each([
  ['1001010011', 5],
  [PI.join(''), 48],
])('the spectral test of %s counts the peaks of the defining sum', (text, below) => {
  const bits = bitsOfBinary(text);
  const n = bits.length;
  let counted = 0;
  for (let j = 0; j < n / 2; j++) {
    let [re, im] = [0, 0];
    for (const [k, bit] of bits.entries()) {
      re += (2 * bit - 1) * Math.cos((2 * Math.PI * j * k) / n);
      im += (2 * bit - 1) * Math.sin((2 * Math.PI * j * k) / n);
    }
    if (Math.hypot(re, im) < Math.sqrt(n * Math.log(20))) counted++;
  }
  expect(counted).toBe(below);
  const d = (counted - 0.475 * n) / Math.sqrt((n * 0.95 * 0.05) / 4);
  expect(spectral(bits)).toBeCloseTo(erfc(Math.abs(d) / Math.SQRT2), 12);
});

describe('what is plainly not random', () => {
  const zeros = new Uint8Array(50_000);
  const alternating = Uint8Array.from({ length: 50_000 }, (_, i) => i % 2);

  test.each<readonly [string, (bits: Uint8Array) => number]>([
    ['frequency', frequency],
    ['block frequency', (bits) => blockFrequency(bits, 600)],
    ['runs', runs],
    ['spectral', spectral],
  ])('zeros fail %s', (name, pValue) => {
    const p = pValue(zeros);
    expect(p).toBeGreaterThanOrEqual(0);
    // Of the spectrum one peak stands out where one in twenty is to: it is too flat.
    expect(p, name).toBeLessThan(1e-6);
  });

  test('zeros and ones in turn balance, and fail by their runs and spectrum', () => {
    expect(frequency(alternating)).toBe(1);
    expect(runs(alternating)).toBeLessThan(1e-9);
    expect(spectral(alternating)).toBeLessThan(1e-9);
  });
});

test('hexadecimal digits are read from the highest bit on, and written so', () => {
  expect([...bitsOfHex('a1F')]).toEqual([1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
  expect(hexOfBits(bitsOfHex('00ff8c'))).toBe('00ff8c');
  expect(hexOfBits(bitsOfBinary('101011'))).toBe('a');
});
