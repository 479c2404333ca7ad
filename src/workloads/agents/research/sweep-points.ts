/**
 * Points of a sweep: every combination of its parameters' values (`grid`), or the k-th values together
 * (`zip`).
 */

/** Values of one parameter: listed, or evenly spaced with both ends included. */
export type SweepRange =
  | { readonly from: number; readonly to: number; readonly points: number }
  | readonly number[];

/** A parameter by name. */
export interface SweepParameter {
  readonly name: string;
  readonly values: readonly number[];
}

/**
 * How values combine: `grid` takes every combination, the last parameter fastest; `zip` takes the k-th
 * value of every parameter together.
 */
export type SweepCombination = 'grid' | 'zip';

/** The values of a range. */
export function rangeValues(range: SweepRange): readonly number[] {
  if (!('points' in range)) return range;
  const { from, to, points } = range;
  if (points === 1) return [from];
  // The last value equals the end exactly.
  return Array.from({ length: points }, (_, i) =>
    i === points - 1 ? to : from + ((to - from) * i) / (points - 1),
  );
}

/** Number of points; for `zip` the least number of values of any parameter. */
export function numPoints(
  parameters: readonly SweepParameter[],
  combination: SweepCombination,
): number {
  const lengths = parameters.map(({ values }) => values.length);
  if (lengths.length === 0) return 1;
  return combination === 'zip'
    ? Math.min(...lengths)
    : lengths.reduce((product, length) => product * length, 1);
}

/** Values of the parameters at a point, in the order of the parameters. */
export function pointAt(
  parameters: readonly SweepParameter[],
  combination: SweepCombination,
  index: number,
): readonly number[] {
  if (combination === 'zip') return parameters.map(({ values }) => values[index]!);
  const point = new Array<number>(parameters.length);
  let rest = index;
  for (let i = parameters.length - 1; i >= 0; i--) {
    const { values } = parameters[i]!;
    point[i] = values[rest % values.length]!;
    rest = Math.floor(rest / values.length);
  }
  return point;
}
