import { describe, expect, test } from 'vitest';
import { GATES, gateNamed } from '../../../src/circuit/gates.ts';
import {
  expectationRule,
  matrixRule,
  type Shift,
  shiftRule,
} from '../../../src/compiler/gradient/shift-rule.ts';
import { largestDifference } from '../../support/parametric-circuits.ts';

/** Σ w·f(at + s). */
const slopeOf = (rule: readonly Shift[], f: (angle: number) => number, at: number) =>
  rule.reduce((sum, { shift, weight }) => sum + weight * f(at + shift), 0);

describe('a shift rule', () => {
  test('for one frequency is the difference of two values a half turn apart, halved', () => {
    expect(shiftRule([2])).toEqual([
      { shift: Math.PI / 2, weight: expect.closeTo(0.5, 14) },
      { shift: -Math.PI / 2, weight: expect.closeTo(-0.5, 14) },
    ]);
  });

  test('is empty for a constant', () => {
    expect(shiftRule([])).toEqual([]);
  });

  test.each([[[2]], [[1]], [[4]], [[1, 2]], [[2, 4]], [[1, 3]], [[2, 3, 4]], [[6, 4]]])(
    'for half frequencies %j differentiates all of their waves',
    (halves) => {
      const rule = shiftRule(halves);
      for (const half of halves) {
        for (const at of [0, 0.3, -2]) {
          const wave = (angle: number) => Math.cos((half / 2) * angle + 0.4);
          expect(slopeOf(rule, wave, at)).toBeCloseTo(
            (-half / 2) * Math.sin((half / 2) * at + 0.4),
          );
        }
      }
    },
  );
});

describe('the rule for expectation values has', () => {
  test.each(['RX', 'RY', 'RZ', 'P', 'RXX', 'RYY', 'RZZ', 'RZX'])('two terms for %s', (name) => {
    const shifts = expectationRule(gateNamed(name), 0, false).map(({ shift }) => shift);
    expect(shifts).toEqual([Math.PI / 2, -Math.PI / 2]);
  });

  test.each([0, 1, 2])('two terms for angle %i of U', (angle) => {
    expect(expectationRule(gateNamed('U'), angle, false)).toHaveLength(2);
  });

  test.each(['CRX', 'CRY', 'CRZ'])('four terms for %s', (name) => {
    const rule = expectationRule(gateNamed(name), 0, true);
    const [near, far] = [(Math.SQRT2 + 1) / (4 * Math.SQRT2), (Math.SQRT2 - 1) / (4 * Math.SQRT2)];
    expect(rule.map(({ shift }) => shift / Math.PI)).toEqual([0.5, -0.5, 1.5, -1.5]);
    expect(rule.map(({ weight }) => weight)).toEqual(
      [near, -near, -far, far].map((weight) => expect.closeTo(weight, 14)),
    );
  });

  test('two terms for a controlled phase', () => {
    expect(expectationRule(gateNamed('CP'), 0, true)).toHaveLength(2);
  });

  test('none for a global phase, two for one under a control', () => {
    expect(expectationRule(gateNamed('GPHASE'), 0, false)).toHaveLength(0);
    expect(expectationRule(gateNamed('GPHASE'), 0, true)).toHaveLength(2);
  });
});

describe('every gate with angles', () => {
  const all = GATES.flatMap((definition) =>
    definition.parameters.map((parameter, i) => ({ name: definition.name, parameter, i })),
  );

  test.each(all)('$name has the derivative of its matrix by $parameter', ({ name, i }) => {
    const definition = gateNamed(name);
    const angles = [0.3, -1.1, 2.7, 0.9].slice(0, definition.parameters.length);
    const matrixAt = (angle: number) => definition.matrix(angles.with(i, angle));
    const rule = matrixRule(definition, i);
    const derivative = new Float64Array(matrixAt(0).length);
    for (const { shift, weight } of rule) {
      for (const [k, part] of matrixAt(angles[i]! + shift).entries())
        derivative[k]! += weight * part;
    }
    const step = 1e-5;
    const up = matrixAt(angles[i]! + step);
    const down = matrixAt(angles[i]! - step);
    const slopes = up.map((part, k) => (part - down[k]!) / (2 * step));
    expect(largestDifference(derivative, slopes)).toBeLessThan(1e-9);
    expect(largestDifference(derivative, new Float64Array(slopes.length))).toBeGreaterThan(0.1);
  });
});

describe('a gate without a rule is refused by name', () => {
  test.each([
    ['whose angle is squared', (angle: number) => angle ** 2],
    ['whose angle goes round many times', (angle: number) => 20 * angle],
  ])('one %s', (_, bend) => {
    const phase = gateNamed('P');
    const bent = {
      ...phase,
      name: 'BENT',
      matrix: ([angle = 0]: readonly number[]) => phase.matrix([bend(angle)]),
    };
    const refusal = expect.objectContaining({
      code: 'WORKLOADS_GATE_NOT_DIFFERENTIABLE',
      message: expect.stringContaining('BENT by its angle theta'),
    });
    expect(() => expectationRule(bent, 0, false)).toThrow(refusal);
    expect(() => matrixRule(bent, 0)).toThrow(refusal);
  });
});
