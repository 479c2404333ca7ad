import { describe, expect, test } from 'vitest';
import { sortUniformDraws } from '../../../src/engine/terminal-measurement.ts';
import { uniformDraw } from '../../../src/math/philox.ts';

describe('sorting draws', () => {
  test.each([0, 1, 7, 8, 9, 1000, 54_321])('puts %i of them in ascending order', (length) => {
    const draws = Float64Array.from({ length }, (_, shot) => uniformDraw(1, shot, 0, 0));
    expect(sortUniformDraws(draws)).toEqual(draws.slice().sort());
  });

  test('does not change its input', () => {
    const draws = Float64Array.of(0.5, 0.25);
    sortUniformDraws(draws);
    expect([...draws]).toEqual([0.5, 0.25]);
  });

  test.each([
    ['all equal', new Array(50).fill(0.3)],
    ['at the ends of the range', [...new Array(20).fill(1 - 2 ** -53), ...new Array(20).fill(0)]],
    ['crowded in one place', Array.from({ length: 50 }, (_, i) => 0.1 + (50 - i) / 1e6)],
  ])('is right for draws that are %s', (_, values) => {
    const draws = Float64Array.from(values);
    expect(sortUniformDraws(draws)).toEqual(draws.slice().sort());
  });
});
