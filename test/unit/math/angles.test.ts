import { describe, expect, test } from 'vitest';
import { multipleOfAngle, reducedAngle, sumOfAngles } from '../../../src/math/angles.ts';
import { exactAngle } from '../../support/exact-angles.ts';
import { RandomStream } from '../../support/random-stream.ts';

/** The difference of two angles, as it shows in a gate of half-angles. */
const apart = (a: number, b: number) =>
  Math.hypot(Math.sin(a / 2) - Math.sin(b / 2), Math.cos(a / 2) - Math.cos(b / 2));

/** Angles of all sizes, some of them near a multiple of π. */
function anglesOf(stream: RandomStream, decades: number): readonly number[] {
  return Array.from({ length: 400 }, (_, i) => {
    const size = 10 ** (decades * stream.uniform());
    const angle = i % 4 === 0 ? Math.PI * Math.floor(size) : size;
    return stream.below(2) === 0 ? angle : -angle;
  });
}

describe('the oracle', () => {
  test('keeps small angles and knows 2^60 modulo 4π', () => {
    for (const angle of [0, 0.3, -6.28, 6.28]) expect(exactAngle(angle)).toBe(angle);
    // By another program: 2^60 − 4π · 91746578227562538 = 4.12186531403985938315…
    expect(exactAngle(2 ** 60)).toBe(4.12186531403986);
    expect(exactAngle(1e15, 3)).toBe(exactAngle(3e15));
  });
});

test('an angle of any size is reduced to the exact one', () => {
  // The double whose remainder by π/2 is the least of all is among them.
  const worst = 6381956970095103 * 2 ** 797;
  for (const angle of [...anglesOf(new RandomStream(1), 300), worst, Number.MAX_VALUE]) {
    const reduced = reducedAngle(angle);
    expect(Math.abs(reduced)).toBeLessThanOrEqual(2 * Math.PI);
    expect(apart(reduced, exactAngle(angle))).toBeLessThan(1e-15);
  }
});

test('an angle within a period is not changed', () => {
  for (const angle of [0, -0, 1e-300, 3.5, -2 * Math.PI, 2 * Math.PI]) {
    expect(reducedAngle(angle)).toBe(angle);
  }
});

test('a sum keeps the small angle beside the huge one', () => {
  expect(apart(sumOfAngles(1e15, 0.3), exactAngle(1e15) + 0.3)).toBeLessThan(2e-15);
  expect(sumOfAngles(0.1, 0.2)).toBe(0.1 + 0.2);
});

test('a multiple is that of the exact angle', () => {
  const stream = new RandomStream(2);
  for (const angle of anglesOf(stream, 200)) {
    const times = Math.floor(2 ** (53 * stream.uniform())) * (stream.below(2) === 0 ? 1 : -1);
    const multiple = multipleOfAngle(angle, times);
    expect(Math.abs(multiple)).toBeLessThanOrEqual(2 * Math.PI);
    expect(apart(multiple, exactAngle(angle, times))).toBeLessThan(4e-15);
  }
  expect(multipleOfAngle(1e300, 3)).toBeCloseTo(exactAngle(1e300, 3), 14);
});

test('a multiple that overflows is not finite', () => {
  expect(multipleOfAngle(1e300, 1e10)).toBe(Number.POSITIVE_INFINITY);
});
