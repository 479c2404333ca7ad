import { describe, expect, test } from 'vitest';
import { singularFactors } from '../../../src/engine/singular-values.ts';
import { adjoint, maxAbsDifference, multiply } from '../../../src/math/complex-matrix.ts';
import { RandomStream } from '../../support/random-stream.ts';

const ONE = Float64Array.of(1, 0, 0, 0, 0, 0, 1, 0);

function expectFactors(matrix: Float64Array, tolerance = 1e-14) {
  const { left, values, right } = singularFactors(matrix);
  const diagonal = Float64Array.of(values[0], 0, 0, 0, 0, 0, values[1], 0);
  for (const unitary of [left, right]) {
    expect(maxAbsDifference(multiply(adjoint(unitary), unitary), ONE)).toBeLessThan(1e-14);
  }
  const product = multiply(left, multiply(diagonal, right));
  expect(maxAbsDifference(product, matrix)).toBeLessThan(tolerance);
  return values;
}

describe('singular values of 2×2 matrices', () => {
  test('multiply with their unitaries to the matrix, whatever it is', () => {
    const random = new RandomStream(5);
    for (let i = 0; i < 200; i++) {
      expectFactors(Float64Array.from({ length: 8 }, () => random.uniform() - 0.5));
    }
  });

  test('keep the second value for one that vanishes', () => {
    const lowering = Float64Array.of(0, 0, 0.6, 0.8, 0, 0, 0, 0);
    expect(expectFactors(lowering)[0]).toBeCloseTo(1, 14);
    expect(expectFactors(lowering)[1]).toBe(0);
    const projector = Float64Array.of(0.5, 0, 0, -0.5, 0, 0.5, 0.5, 0);
    const [first, second] = expectFactors(projector);
    expect(first).toBeCloseTo(1, 14);
    expect(second).toBeLessThan(1e-15);
  });

  test('leave the right factor the identity where columns are orthogonal', () => {
    const damped = Float64Array.of(0.6, 0, -0.8 * 0.9, 0, 0.8, 0, 0.6 * 0.9, 0);
    expect(singularFactors(damped).right).toEqual(Float64Array.of(1, -0, 0, -0, 0, -0, 1, -0));
  });
});
