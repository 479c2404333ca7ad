import { describe, expect, test } from 'vitest';
import {
  cellInWords,
  colourAt,
  extremesOf,
  fieldInWords,
  pixelsOf,
} from '../../../src/console/drawing/plot-data.ts';

const FIELD = {
  label: 'Z0',
  x: { label: 'a', values: [0, 1] },
  y: { label: 'b', values: [2, 3] },
  values: [0, NaN, 0.5, 1],
};

/** Lightness of a colour between 0 and 100 (CIE L*). */
function lightness(rgb: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = rgb.map((each) => {
    const part = each / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 116 * Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b) - 16;
}

describe('a heat map', () => {
  test('has colours whose lightness grows evenly with the value', () => {
    const steps = Array.from({ length: 21 }, (_, i) => lightness(colourAt(i / 20)));
    const rises = steps.slice(1).map((step, i) => step - (steps[i] ?? 0));
    expect(Math.min(...rises)).toBeGreaterThan(2);
    expect(Math.max(...rises)).toBeLessThan(6);
    expect(colourAt(-1)).toEqual(colourAt(0));
    expect(colourAt(2)).toEqual(colourAt(1));
  });

  test('draws the greatest y at the top, and leaves out what has not arrived', () => {
    const pixels = pixelsOf(FIELD);
    expect([...pixels.slice(0, 8)]).toEqual([...colourAt(0.5), 255, ...colourAt(1), 255]);
    expect([...pixels.slice(8)]).toEqual([...colourAt(0), 255, 0, 0, 0, 0]);
  });

  test('has a colour for values that are all equal', () => {
    expect([...pixelsOf({ ...FIELD, values: [2, 2, 2, 2] }).slice(0, 4)]).toEqual([
      ...colourAt(0.5),
      255,
    ]);
  });

  test('names its extremes, of equal ones the first', () => {
    expect(extremesOf([NaN])).toBeUndefined();
    expect(extremesOf([1, -1, 1 + 1e-15, -1 - 1e-15])).toEqual({ least: 1, greatest: 0 });
    expect(fieldInWords(FIELD)).toBe(
      'Minimum: a = 0, b = 2: Z0 = 0. Maximum: a = 1, b = 3: Z0 = 1.',
    );
    expect(cellInWords(FIELD, 1)).toBe('a = 1, b = 2: Z0 = none');
  });
});
