/** Layouts of the drawings: marks and outlines stay inside and are to scale. */
import { describe, expect, test } from 'vitest';
import { flowerLeaves, layoutAccuracy, layoutLine } from '../../../src/console/demo/demo-shapes.ts';
import { DEMO_FACTS } from '../../support/demo-facts.ts';

describe('the number line', () => {
  const at = layoutLine({ width: 220, expectation: 0.5, standardError: 0.1, threshold: -0.25 });

  test('runs from −1 to +1', () => {
    expect([at.start, at.end]).toEqual([10, 210]);
    expect(at.expectation).toBeCloseTo(160, 9);
    expect(at.threshold).toBeCloseTo(85, 9);
  });

  test('shows one shot noise to both sides of the expectation', () => {
    expect(at.noise.from).toBeCloseTo(150, 9);
    expect(at.noise.to).toBeCloseTo(170, 9);
  });

  test('cuts the shot noise at its ends', () => {
    const edge = layoutLine({ width: 220, expectation: 0.99, standardError: 0.1, threshold: 0 });
    expect(edge.noise.to).toBe(210);
  });

  test.each([
    [-1, 'start', 0],
    [0, 'middle', 200],
    [1, 'end', 400],
  ])('keeps the label of %d inside: %s', (expectation, anchor, x) => {
    const line = layoutLine({ width: 400, expectation, standardError: 0, threshold: 0 });
    expect(line.expectationLabel).toEqual({ x, anchor });
  });

  test('has no zero where the label of the threshold stands', () => {
    const zeroAt = (threshold: number) =>
      layoutLine({ width: 400, expectation: 0, standardError: 0, threshold }).showsZero;
    expect(zeroAt(0.06)).toBe(false);
    expect(zeroAt(0.6)).toBe(true);
  });
});

/** Points of an outline of cubics that begins at the origin. */
function outlineOf(path: string): readonly (readonly [number, number])[] {
  const numbers = path.match(/-?\d+(?:\.\d+)?/g)?.map(Number) ?? [];
  const pointAt = (index: number) =>
    [numbers[2 * index] ?? 0, numbers[2 * index + 1] ?? 0] as const;
  const numCubics = (numbers.length / 2 - 1) / 3;
  return [...Array(numCubics).keys()].flatMap((cubic) => {
    const [a, b, c, d] = [0, 1, 2, 3].map((each) => pointAt(3 * cubic + each));
    return [...Array(201).keys()].map((step) => {
      const t = step / 200;
      const mix = (axis: 0 | 1) =>
        (1 - t) ** 3 * (a?.[axis] ?? 0) +
        3 * (1 - t) ** 2 * t * (b?.[axis] ?? 0) +
        3 * (1 - t) * t ** 2 * (c?.[axis] ?? 0) +
        t ** 3 * (d?.[axis] ?? 0);
      return [mix(0), mix(1)] as const;
    });
  });
}

describe('the flower', () => {
  const { features } = DEMO_FACTS;
  // A radius of 8 units shows 8 cm: one unit is a centimetre.
  const leaves = flowerLeaves(features, [6.4, 3, 5.2, 1.8], 8) ?? [];

  test.each([
    [0, 'sepal', 6.4, 3],
    [1, 'petal', 5.2, 1.8],
  ])('leaf %i is a %s of %d by %d cm', (index, part, length, width) => {
    const leaf = leaves[index];
    expect(leaf?.part).toBe(part);
    expect(leaf?.turns).toHaveLength(3);
    const points = outlineOf(leaf?.path ?? '');
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    expect(-Math.min(...ys)).toBeCloseTo(length, 1);
    expect(Math.max(...ys)).toBeCloseTo(0, 6);
    expect(Math.max(...xs) - Math.min(...xs)).toBeCloseTo(width, 1);
  });

  test('is none for a model of something else', () => {
    const [first] = features;
    if (first === undefined) throw new Error('no feature');
    expect(flowerLeaves([{ ...first, name: 'mass' }], [1], 8)).toBeUndefined();
  });
});

describe('accuracies', () => {
  test('stand on one scale that ends with 1 and begins with a tenth below all of them', () => {
    const rows = [
      { mean: 0.94, spread: 0.05 },
      { mean: 0.96, spread: 0.1 },
    ];
    const [own, other] = layoutAccuracy(rows, 212);
    // From 0.8 to 1 in 200 pixels.
    expect(own?.at).toBeCloseTo(146, 9);
    expect(own?.from).toBeCloseTo(96, 9);
    expect(other?.at).toBeCloseTo(166, 9);
    expect(other?.to).toBe(206);
  });

  test('of exactly a tenth begin there', () => {
    const [row] = layoutAccuracy([{ mean: 0.9, spread: 0.1 }], 212);
    expect(row?.from).toBeCloseTo(6, 6);
  });
});
