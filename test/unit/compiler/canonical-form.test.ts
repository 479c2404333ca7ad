import { describe, expect, test } from 'vitest';
import { gateNamed } from '../../../src/circuit/gates.ts';
import { canonicalForm } from '../../../src/compiler/canonical-form.ts';
import {
  type ComplexMatrix,
  keepsParity,
  maxAbsDifference,
  multiply,
} from '../../../src/math/complex-matrix.ts';
import { tensorProduct } from '../../../src/math/tensor-product.ts';
import { canonicalGate } from '../../support/canonical-gate.ts';
import { randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const QUARTER = Math.PI / 4;

function multipliedOut({ before, middle, after }: ReturnType<typeof canonicalForm>): ComplexMatrix {
  const inner = multiply(middle, tensorProduct(before[1], before[0]));
  return multiply(tensorProduct(after[1], after[0]), inner);
}

function expectSplit(unitary: ComplexMatrix): void {
  const form = canonicalForm(unitary);
  expect(maxAbsDifference(multipliedOut(form), unitary)).toBeLessThan(2e-14);
  expect(keepsParity(form.middle)).toBe(true);
}

describe('the canonical form of a two-qubit unitary', () => {
  test('multiplies out to any unitary', () => {
    const stream = new RandomStream(1);
    for (let i = 0; i < 200; i++) expectSplit(randomUnitary(stream, 2));
  });

  test.each([
    [0, 0, 0],
    [QUARTER, 0, 0],
    [QUARTER, QUARTER, 0],
    [QUARTER, QUARTER, QUARTER],
    [QUARTER, 0.1, 0.1],
    [0.3, 0, 0],
    [0.3, 0.3, 0],
    [0.3, 0.3, -0.3],
    [1e-9, 0, 0],
    [0.2, 0.2 + 1e-9, 0],
    [QUARTER, QUARTER - 1e-10, 0.3],
    [-2, 5, 1],
  ] as const)('and where eigenvalues are equal or nearly: coordinates %f, %f, %f', (...angles) => {
    const stream = new RandomStream(2);
    const pair = () => tensorProduct(randomUnitary(stream, 1), randomUnitary(stream, 1));
    expectSplit(canonicalGate(angles));
    for (let i = 0; i < 20; i++) {
      expectSplit(multiply(multiply(pair(), canonicalGate(angles)), pair()));
    }
  });

  test.each(['SWAP', 'DCX', 'ISWAP', 'ECR'])('and to %s', (name) => {
    expectSplit(gateNamed(name).matrix([]));
  });
});
