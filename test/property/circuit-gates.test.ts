import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GateDefinition, GateTrait } from '../../src/circuit/gate-definition.ts';
import { GATES, gateNamed } from '../../src/circuit/gates.ts';
import {
  type ComplexMatrix,
  dimension,
  identity,
  isDiagonal,
  maxAbsDifference,
  monomialRows,
  multiply,
  unitarityDefect,
} from '../../src/math/complex-matrix.ts';

const TOLERANCE = 1e-14;

const anglesOf = ({ parameters }: GateDefinition): fc.Arbitrary<number[]> =>
  fc.array(fc.double({ min: -7, max: 7, noNaN: true }), {
    minLength: parameters.length,
    maxLength: parameters.length,
  });

/** The matrix with target i renamed to `order[i]`. */
function reordered(matrix: ComplexMatrix, order: readonly number[]): ComplexMatrix {
  const d = dimension(matrix);
  const renamed = (index: number): number =>
    order.reduce((out, position, i) => out | (((index >> i) & 1) << position), 0);
  const out = new Float64Array(matrix.length);
  for (let row = 0; row < d; row++) {
    for (let column = 0; column < d; column++) {
      const from = 2 * (row * d + column);
      out.set(matrix.subarray(from, from + 2), 2 * (renamed(row) * d + renamed(column)));
    }
  }
  return out;
}

const HOLDS: Readonly<Record<GateTrait, (matrix: ComplexMatrix) => boolean>> = {
  diagonal: isDiagonal,
  permutation: (matrix) => monomialRows(matrix) !== undefined,
  real: (matrix) => matrix.every((value, i) => i % 2 === 0 || value === 0),
  'self-inverse': (matrix) =>
    maxAbsDifference(multiply(matrix, matrix), identity(dimension(matrix))) < TOLERANCE,
};

describe.each(GATES.map((gate) => [gate.name, gate] as const))('the record of %s', (_, gate) => {
  test('has a unitary of the size of its targets, whatever the angles', () => {
    fc.assert(
      fc.property(anglesOf(gate), (angles) => {
        const matrix = gate.matrix(angles);
        expect(dimension(matrix)).toBe(2 ** gate.numTargets);
        expect(unitarityDefect(matrix)).toBeLessThan(TOLERANCE);
      }),
      { seed: 40, numRuns: 30 },
    );
  });

  test('names an inverse that undoes it on the same controls', () => {
    fc.assert(
      fc.property(anglesOf(gate), (angles) => {
        const inverse = gate.inverse(angles);
        const definition = gateNamed(inverse.gate);
        const undo = definition.matrix(inverse.angles);
        const order = inverse.targetOrder ?? Array.from({ length: gate.numTargets }, (_, i) => i);
        expect(definition.name).toBe(inverse.gate);
        expect(inverse.angles).toHaveLength(definition.parameters.length);
        const product = multiply(reordered(undo, order), gate.matrix(angles));
        expect(maxAbsDifference(product, identity(dimension(product)))).toBeLessThan(TOLERANCE);
      }),
      { seed: 41, numRuns: 30 },
    );
  });

  test.each(Object.entries(HOLDS))(
    'claims to be %s exactly when it is at every angle',
    (trait, holds) => {
      const angles = fc.sample(anglesOf(gate), { seed: 42, numRuns: 10 });
      const claims = gate.traits.some((claimed) => claimed === trait);
      expect(angles.every((some) => holds(gate.matrix(some)))).toBe(claims);
    },
  );
});
