/** Views of states against density matrices that Kronecker products give. */
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../../../src/circuit/circuit.ts';
import {
  blochVectors,
  pairDensity,
  probabilitiesOf,
} from '../../../../src/console/live-state/state-computer.ts';
import {
  type Complex,
  circuitAmplitudes,
  type Matrix,
  matrixProduct,
  operationUnitary,
} from '../../../support/kronecker-oracle.ts';
import { gate, randomGates } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

/** |ψ⟩⟨ψ| as a full matrix. */
function projector(amplitudes: Float64Array): Matrix {
  const entries = Array.from(
    { length: amplitudes.length / 2 },
    (_, i): Complex => [amplitudes[2 * i]!, amplitudes[2 * i + 1]!],
  );
  return entries.map(([a, b]) => entries.map(([c, d]): Complex => [a * c + b * d, b * c - a * d]));
}

/** tr(A·B), the real and the imaginary part. */
function traceOfProduct(a: Matrix, b: Matrix): Complex {
  const product = matrixProduct(a, b);
  return product.reduce<Complex>(([re, im], row, i) => [re + row[i]![0], im + row[i]![1]], [0, 0]);
}

function randomState(seed: number, numQubits: number): Float64Array {
  const operations = randomGates(new RandomStream(seed), numQubits, 25, 2);
  const circuit: Circuit = { numQubits, numBits: 0, operations };
  return circuitAmplitudes(circuit);
}

const SEEDS = [1, 2, 3, 4];

describe('the views of a random state', () => {
  test.each(SEEDS)('have Bloch vectors ⟨X⟩, ⟨Y⟩, ⟨Z⟩ of every qubit (seed %i)', (seed) => {
    const state = randomState(seed, 4);
    const rho = projector(state);
    const expected = [0, 1, 2, 3].flatMap((qubit) =>
      ['X', 'Y', 'Z'].map(
        (name) => traceOfProduct(operationUnitary(gate(name, [qubit]), 4), rho)[0],
      ),
    );
    const vectors = blochVectors(state, 4);
    expect(vectors).toHaveLength(12);
    for (const [i, value] of expected.entries()) expect(vectors[i]).toBeCloseTo(value, 12);
  });

  test.each(SEEDS)('have the density matrix of every ordered pair (seed %i)', (seed) => {
    const state = randomState(seed, 4);
    const rho = projector(state);
    for (const [first, second] of [
      [0, 1],
      [1, 0],
      [3, 1],
      [0, 3],
    ] as const) {
      const density = pairDensity(state, first, second);
      for (let row = 0; row < 4; row++) {
        for (let column = 0; column < 4; column++) {
          // The entry is the trace with |column⟩⟨row| on the pair.
          const matrix = new Float64Array(32);
          matrix[2 * (4 * column + row)] = 1;
          const flip = operationUnitary(
            { kind: 'unitary', targets: [first, second], controls: [], matrix },
            4,
          );
          const [re, im] = traceOfProduct(flip, rho);
          expect(density[2 * (4 * row + column)]).toBeCloseTo(re, 12);
          expect(density[2 * (4 * row + column) + 1]).toBeCloseTo(im, 12);
        }
      }
    }
  });

  test.each(SEEDS)('have probabilities that are |amplitude|² (seed %i)', (seed) => {
    const state = randomState(seed, 3);
    const diagonal = projector(state).map((row, i) => row[i]![0]);
    for (const [i, p] of probabilitiesOf(state).entries()) expect(p).toBeCloseTo(diagonal[i]!, 14);
  });
});

test('half of a Bell pair has a Bloch vector of length 0', () => {
  const operations = [gate('H', [0]), gate('CX', [1], [0])];
  const vectors = blochVectors(circuitAmplitudes({ numQubits: 2, numBits: 0, operations }), 2);
  expect(Math.hypot(...vectors)).toBeCloseTo(0, 12);
});

test('S·H takes qubit 1 of 2 to +Y, and leaves qubit 0 at +Z', () => {
  const operations = [gate('H', [1]), gate('S', [1])];
  const vectors = blochVectors(circuitAmplitudes({ numQubits: 2, numBits: 0, operations }), 2);
  for (const [i, value] of [0, 0, 1, 0, 1, 0].entries()) expect(vectors[i]).toBeCloseTo(value, 12);
});
