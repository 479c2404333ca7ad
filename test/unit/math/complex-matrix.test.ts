import { describe, expect, test } from 'vitest';
import {
  adjoint,
  dimension,
  identity,
  isDiagonal,
  maxAbsDifference,
  monomialRows,
  multiply,
  unitarityDefect,
} from '../../../src/math/complex-matrix.ts';
import { randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const matrix = (...entries: readonly (readonly [number, number])[]) =>
  Float64Array.from(entries.flat());

/** [[1, i], [2, 3 − i]]. */
const M = matrix([1, 0], [0, 1], [2, 0], [3, -1]);

describe('complex matrices', () => {
  test('multiply row by column', () => {
    const product = matrix([1, 2], [1, 4], [8, -2], [8, -4]);
    expect([...multiply(M, M)]).toEqual([...product]);
  });

  test('have an adjoint that conjugates and transposes', () => {
    expect(maxAbsDifference(adjoint(M), matrix([1, 0], [2, 0], [0, -1], [3, 1]))).toBe(0);
  });

  test('differ by the largest distance of two entries', () => {
    expect(maxAbsDifference(M, matrix([1, 0], [3, 5], [2, 0], [3, -1]))).toBe(5);
  });

  test('have a dimension', () => {
    expect(dimension(identity(8))).toBe(8);
  });

  test('are unitary when they come from the Haar measure, and not when scaled', () => {
    const unitary = randomUnitary(new RandomStream(1), 3);
    expect(unitarityDefect(unitary)).toBeLessThan(1e-14);
    expect(unitarityDefect(unitary.map((part) => 2 * part))).toBeCloseTo(3, 10);
  });

  test('are diagonal only with exact zeros elsewhere', () => {
    expect(isDiagonal(matrix([0, 1], [0, 0], [0, 0], [2, 0]))).toBe(true);
    expect(isDiagonal(matrix([1, 0], [0, 1e-300], [0, 0], [1, 0]))).toBe(false);
  });

  test('give the row of each column’s only entry, if all are monomial', () => {
    const cycle = matrix(
      ...[0, 0, 1, 1, 0, 0, 0, 1, 0].map((entry): [number, number] => [0, entry]),
    );
    expect(monomialRows(cycle)).toEqual([1, 2, 0]);
    expect(monomialRows(M)).toBeUndefined();
    expect(monomialRows(matrix([1, 0], [0, 0], [0, 0], [0, 0]))).toBeUndefined();
  });
});
