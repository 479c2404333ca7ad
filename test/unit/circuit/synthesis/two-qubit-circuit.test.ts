/** Two-qubit unitaries by CX: the product is the unitary, phase included. */
import { describe, expect, test } from 'vitest';
import { gateNamed } from '../../../../src/circuit/gates.ts';
import { matrixOfOperations } from '../../../../src/circuit/operation-matrix.ts';
import { type CxCircuit, cxCircuit } from '../../../../src/circuit/synthesis/two-qubit-circuit.ts';
import { weylDecomposition } from '../../../../src/circuit/synthesis/weyl-decomposition.ts';
import {
  type ComplexMatrix,
  maxAbsDifference,
  multiply,
} from '../../../../src/math/complex-matrix.ts';
import { tensorProduct } from '../../../../src/math/tensor-product.ts';
import { canonicalGate } from '../../../support/canonical-gate.ts';
import { gate, randomUnitary } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const CX = matrixOfOperations([gate('CX', [1], [0])], 2);
const CLIFFORDS = ['ID', 'X', 'Y', 'Z', 'H', 'S', 'SX'].map((name) => gateNamed(name).matrix([]));

function productOf({ phase, locals }: CxCircuit): ComplexMatrix {
  const turn = gate('GPHASE', [], [], [phase]);
  return locals.reduce(
    (product, [low, high], i) => {
      const crossed = i === 0 ? product : multiply(CX, product);
      return multiply(tensorProduct(high, low), crossed);
    },
    matrixOfOperations([turn], 2),
  );
}

test('random unitaries need three CX, and are exact to rounding', () => {
  const stream = new RandomStream(1);
  for (let i = 0; i < 200; i++) {
    const unitary = randomUnitary(stream, 2);
    const circuit = cxCircuit(unitary);
    expect(circuit.locals).toHaveLength(4);
    expect(maxAbsDifference(productOf(circuit), unitary)).toBeLessThan(1e-12);
  }
});

describe.each([
  ['no CX', [], 0],
  ['one CX', [gate('CX', [1], [0])], 1],
  ['an iSWAP', [gate('ISWAP', [0, 1])], 2],
  ['a SWAP', [gate('SWAP', [0, 1])], 3],
])('%s between any Cliffords', (_, operations, numCx) => {
  const core = matrixOfOperations(operations, 2);
  test(`needs ${numCx} CX, and is exact to rounding`, () => {
    for (const [i, before] of CLIFFORDS.entries()) {
      for (const [j, after] of CLIFFORDS.entries()) {
        const left = tensorProduct(after, CLIFFORDS[(i + 2 * j) % CLIFFORDS.length]!);
        const right = tensorProduct(CLIFFORDS[(3 * i + j) % CLIFFORDS.length]!, before);
        const unitary = multiply(left, multiply(core, right));
        const circuit = cxCircuit(unitary);
        expect(circuit.locals).toHaveLength(numCx + 1);
        expect(maxAbsDifference(productOf(circuit), unitary)).toBeLessThan(1e-12);
      }
    }
  });
});

test('coordinates lie in the Weyl chamber, for all signs and orders of the angles given', () => {
  const quarter = Math.PI / 4;
  const angles = [0.1, -0.4, 0.7, 1.3, -2.2, quarter, -quarter, 0];
  for (const a of angles) {
    for (const b of angles) {
      for (const c of angles) {
        const [x, y, z] = weylDecomposition(canonicalGate([a, b, c])).coordinates;
        expect(x).toBeLessThanOrEqual(quarter + 1e-9);
        expect(x).toBeGreaterThanOrEqual(y);
        expect(y).toBeGreaterThanOrEqual(Math.abs(z));
        if (x > quarter - 1e-9) expect(z).toBeGreaterThanOrEqual(0);
      }
    }
  }
});
