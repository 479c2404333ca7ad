/** Eigenvalues and eigenvectors of Hermitian matrices. */
import { describe, expect, test } from 'vitest';
import { adjoint, multiply, unitarityDefect } from '../../../src/math/complex-matrix.ts';
import { hermitianEigenvectors } from '../../../src/math/hermitian-eigenvectors.ts';
import { RandomStream } from '../../support/random-stream.ts';

/** M = A + A† of a random A. */
function randomHermitian(d: number, seed: number): Float64Array {
  const stream = new RandomStream(seed);
  const a = Float64Array.from({ length: 2 * d * d }, () => stream.uniform() - 0.5);
  const other = adjoint(a);
  return a.map((entry, i) => entry + other[i]!);
}

function expectDiagonalised(matrix: Float64Array, d: number): void {
  const { values, vectors } = hermitianEigenvectors(matrix);
  expect(unitarityDefect(vectors)).toBeLessThan(1e-13);
  const diagonal = multiply(adjoint(vectors), multiply(matrix, vectors));
  for (let row = 0; row < d; row++) {
    for (let col = 0; col < d; col++) {
      const i = 2 * (row * d + col);
      expect(diagonal[i]).toBeCloseTo(row === col ? values[row]! : 0, 11);
      expect(diagonal[i + 1]).toBeCloseTo(0, 11);
    }
  }
}

describe('the eigenvectors', () => {
  test.each([1, 2, 4, 8, 64])('of a random matrix of %i rows make it diagonal', (d) => {
    for (const seed of [1, 2]) expectDiagonalised(randomHermitian(d, seed), d);
  });

  test('of Pauli Y are those of ±1', () => {
    const { values } = hermitianEigenvectors(Float64Array.of(0, 0, 0, -1, 0, 1, 0, 0));
    expect([...values].sort((a, b) => a - b)).toEqual([
      expect.closeTo(-1, 15),
      expect.closeTo(1, 15),
    ]);
  });

  test('of a matrix with equal eigenvalues make it diagonal', () => {
    // A projector on two of four dimensions, turned.
    const { vectors } = hermitianEigenvectors(randomHermitian(4, 3));
    const projector = new Float64Array(32);
    projector[0] = 1;
    projector[10] = 1;
    expectDiagonalised(multiply(vectors, multiply(projector, adjoint(vectors))), 4);
  });

  test('of 0 are the basis states', () => {
    const { values, vectors } = hermitianEigenvectors(new Float64Array(8));
    expect([...values]).toEqual([0, 0]);
    expect([...vectors]).toEqual([1, 0, 0, 0, 0, 0, 1, 0]);
  });
});
