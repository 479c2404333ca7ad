/** Gate facts that were derived at a few angles hold at random ones. */
import { describe, expect, test } from 'vitest';
import { GATES } from '../../../../src/circuit/gates.ts';
import {
  ALL_AXES,
  axesOn,
  factsNamed,
  nameUnderControls,
  X_AXIS,
  Y_AXIS,
  Z_AXIS,
} from '../../../../src/compiler/passes/gate-facts.ts';
import { maxAbsDifference, multiply } from '../../../../src/math/complex-matrix.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const NAMES = GATES.map(({ name }) => name);

describe.each(NAMES)('of %s', (name) => {
  const { definition, axes, adds, period, isSpinor, base, phaseAngle } = factsNamed(name);
  const stream = new RandomStream(1 + NAMES.indexOf(name));
  const anglesAt = () => definition.parameters.map(() => stream.angle());
  const samples = Array.from({ length: 20 }, anglesAt);

  test('the axes hold at any angles', () => {
    for (const angles of samples) {
      for (const [target, each] of axes.entries()) {
        expect(axesOn(definition.matrix(angles), target) & each).toBe(each);
      }
    }
  });

  test('the base has the same matrix and no more controls', () => {
    const other = factsNamed(base).definition;
    expect(other.numControls).toBeLessThanOrEqual(definition.numControls);
    for (const angles of samples) expect(other.matrix(angles)).toEqual(definition.matrix(angles));
  });

  test('angles that are said to add up do so, and are periodic', () => {
    for (const angles of adds === undefined ? [] : samples) {
      const more = angles.map((angle, i) => (adds?.[i] ? stream.angle() : angle));
      const sum = angles.map((angle, i) => (adds?.[i] ? angle + more[i]! : angle));
      const product = multiply(definition.matrix(more), definition.matrix(angles));
      expect(maxAbsDifference(product, definition.matrix(sum))).toBeLessThan(1e-12);
      const turned = angles.map((angle, i) => (adds?.[i] ? angle + period : angle));
      const again = definition.matrix(turned);
      expect(maxAbsDifference(again, definition.matrix(angles))).toBeLessThan(1e-12);
      if (!isSpinor) continue;
      const half = angles.map((angle, i) => (adds?.[i] ? angle + 2 * Math.PI : angle));
      const negative = definition.matrix(half).map((entry) => -entry);
      expect(maxAbsDifference(negative, definition.matrix(angles))).toBeLessThan(1e-12);
    }
  });

  test('a fixed phase is that of its matrix', () => {
    if (phaseAngle === undefined) return;
    const phase = factsNamed('P').definition.matrix([phaseAngle]);
    expect(maxAbsDifference(definition.matrix([]), phase)).toBeLessThan(1e-15);
  });
});

describe('well-known facts', () => {
  test.each<[string, readonly number[]]>([
    ['H', [0]],
    ['X', [X_AXIS]],
    ['RY', [Y_AXIS]],
    ['CP', [Z_AXIS]],
    ['ID', [ALL_AXES]],
    ['SWAP', [0, 0]],
    ['RZX', [Z_AXIS, X_AXIS]],
    ['ECR', [0, X_AXIS]],
    ['RYY', [Y_AXIS, Y_AXIS]],
    ['RZZ', [Z_AXIS, Z_AXIS]],
  ])('%s commutes with the Paulis %j of its targets', (name, axes) => {
    expect(factsNamed(name).axes).toEqual(axes);
  });

  test.each<[string, readonly boolean[] | undefined]>([
    ['RX', [true]],
    ['PRX', [true, false]],
    ['XX+YY', [true, false]],
    ['FSIM', [true, true]],
    ['U', undefined],
    ['CU', undefined],
    ['S', undefined],
  ])('of the angles of %s, %j add up', (name, adds) => {
    expect(factsNamed(name).adds).toEqual(adds);
  });

  test.each([
    ['X', 0, 'X'],
    ['X', 1, 'CX'],
    ['X', 5, 'CCX'],
    ['SX', 2, 'CSX'],
    ['U', 1, 'CU3'],
    ['RZZ', 2, 'RZZ'],
  ])('%s under %i controls is called %s', (base, numControls, name) => {
    expect(nameUnderControls(base, numControls)).toBe(name);
  });
});
