/** Data of curves and heat maps, apart from their drawing: ranges, orders and colours, and their values in words. */
import { listed, rounded } from '../numbers.ts';

/** Numbers along one axis. */
export interface Axis {
  readonly label: string;
  readonly values: ArrayLike<number>;
  /** Whether equal ratios have equal lengths. All values are then positive. */
  readonly isLogarithmic?: boolean;
}

/** Values at the points of the axis. NaN stands for a value that has not arrived or does not exist. */
export interface Series {
  readonly label: string;
  readonly values: ArrayLike<number>;
  /** Standard errors of the values. */
  readonly errors?: ArrayLike<number> | undefined;
  /** Bounds of the values, in place of standard errors. */
  readonly intervals?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
}

/** Names of the colours of curves, in turn. */
export const COLOURS = ['--class-1', '--class-0', '--ink'] as const;
/** Curves differ by their dashes, too: eleven of them have a pair of their own. */
const DASHES: readonly (readonly number[])[] = [[], [9, 5], [2, 4], [12, 4, 2, 4]];

/** Dashes of the curve of a number. */
export function dashOf(index: number): readonly number[] {
  return DASHES[index % DASHES.length] ?? [];
}

/** Indices of the points by ascending x. */
export function ascending({ values }: Axis): readonly number[] {
  return Array.from(values, (_, i) => i).sort((a, b) => Number(values[a]) - Number(values[b]));
}

/** Values in a given order, with null for those that are not finite. */
export function inOrder(values: ArrayLike<number>, order: readonly number[]): (number | null)[] {
  return order.map((i) => {
    const value = values[i];
    return value !== undefined && Number.isFinite(value) ? value : null;
  });
}

/** Bounds of a value by its interval or its standard error; undefined without either. */
export function boundsOf(
  { values, errors, intervals }: Series,
  index: number,
): readonly [low: number, high: number] | undefined {
  const value = Number(values[index]);
  const error = Number(errors?.[index]);
  const low = Number(intervals === undefined ? value - error : intervals.low[index]);
  const high = Number(intervals === undefined ? value + error : intervals.high[index]);
  return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : undefined;
}

/**
 * Least and greatest value of all series, their bounds included; undefined without any value.
 *
 * @param isLogarithmic - Leaves out numbers that are not positive: a logarithmic axis has no place for them.
 */
export function rangeOf(
  series: readonly Series[],
  isLogarithmic = false,
): readonly [number, number] | undefined {
  let least = Infinity;
  let greatest = -Infinity;
  for (const each of series) {
    for (let i = 0; i < each.values.length; i += 1) {
      const value = Number(each.values[i]);
      if (!Number.isFinite(value)) continue;
      for (const one of [value, ...(boundsOf(each, i) ?? [])]) {
        if (isLogarithmic && one <= 0) continue;
        least = Math.min(least, one);
        greatest = Math.max(greatest, one);
      }
    }
  }
  return least <= greatest ? [least, greatest] : undefined;
}

/** Ticks of a logarithmic axis: one to nine times each power of ten between two numbers, which are positive. */
export function logarithmicTicks(least: number, greatest: number): readonly number[] {
  if (!(least > 0 && greatest < Infinity)) return [];
  const first = Math.floor(Math.log10(least));
  const numDecades = Math.floor(Math.log10(greatest)) - first + 1;
  return Array.from({ length: 9 * numDecades }, (_, i) =>
    // The text of a number such as 3e-5 is read without a rounding error.
    Number(`${1 + (i % 9)}e${first + Math.floor(i / 9)}`),
  ).filter((tick) => tick >= least && tick <= greatest);
}

/** Of the ticks of a logarithmic axis those with labels; the others are null. Fewer over more decades. */
export function labelledTicks(ticks: readonly number[]): readonly (number | null)[] {
  const numDecades = Math.log10((ticks.at(-1) ?? 1) / (ticks[0] ?? 1));
  const digits = numDecades < 1.5 ? /^[1235]/ : numDecades < 2.5 ? /^[125]/ : /^1/;
  return ticks.map((tick) => (digits.test(tick.toExponential()) ? tick : null));
}

/** One point in words: "a = 0.5: Z0 = 0.8776". */
export function pointInWords(x: Axis, series: readonly Series[], index: number): string {
  const values = series.map((each) => `${each.label} = ${valueInWords(each, index)}`);
  return `${x.label} = ${rounded(Number(x.values[index]))}: ${values.join(', ')}`;
}

/** A value with its error or its interval: "0.88 ± 0.02", "0.88 (0.85 to 0.9)"; "none" if there is none. */
export function valueInWords(series: Series, index: number): string {
  const { values, errors, intervals } = series;
  const value = Number(values[index]);
  if (!Number.isFinite(value)) return 'none';
  const bounds = boundsOf(series, index);
  if (bounds === undefined) return rounded(value);
  return intervals === undefined
    ? `${rounded(value)} ± ${rounded(Number(errors?.[index]))}`
    : `${rounded(value)} (${bounds.map(rounded).join(' to ')})`;
}

/** The curves in words: least, greatest and last value of each. */
export function curvesInWords(x: Axis, series: readonly Series[]): string {
  return series.map((each) => curveInWords(x, each)).join(' ');
}

function curveInWords(x: Axis, { label, values }: Series): string {
  const present = Array.from(values, (_, i) => i).filter((i) => Number.isFinite(values[i]));
  const [first] = present;
  const last = present.at(-1);
  if (first === undefined || last === undefined) return `${label} has no values yet.`;
  let [least, greatest] = [first, first];
  for (const i of present) {
    if (Number(values[i]) < Number(values[least])) least = i;
    if (Number(values[i]) > Number(values[greatest])) greatest = i;
  }
  const at = (i: number) => `${rounded(Number(values[i]))} at ${rounded(Number(x.values[i]))}`;
  const some =
    present.length === values.length
      ? ''
      : ` ${present.length} of ${values.length} values are there.`;
  return `${label} by ${x.label}: ${listed([
    `minimum ${at(least)}`,
    `maximum ${at(greatest)}`,
    `last value ${rounded(Number(values[last]))}`,
  ])}.${some}`;
}

/**
 * Colours from the least to the greatest value, red, green and blue from 0 to 255.
 *
 * @see the colour map viridis of matplotlib, whose lightness grows evenly: every tenth of it.
 */
const VIRIDIS: readonly (readonly [number, number, number])[] = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 73, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [110, 206, 88],
  [181, 222, 43],
  [253, 231, 37],
];

/** Colour of a value between 0 and 1. */
export function colourAt(part: number): readonly [number, number, number] {
  const place = Math.max(0, Math.min(1, part)) * (VIRIDIS.length - 1);
  const below = Math.min(VIRIDIS.length - 2, Math.floor(place));
  const from = VIRIDIS[below] ?? [0, 0, 0];
  const to = VIRIDIS[below + 1] ?? from;
  const mixed = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * (place - below));
  return [mixed(0), mixed(1), mixed(2)];
}

/** The colours as a gradient of CSS, from left to right. */
export const GRADIENT = `linear-gradient(to right, ${VIRIDIS.map((rgb) => `rgb(${rgb.join(' ')})`).join(', ')})`;

/** Values over two axes. */
export interface Field {
  readonly label: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Value i + j·(number of x) belongs to x[i] and y[j]. NaN stands for a value that has not arrived. */
  readonly values: ArrayLike<number>;
}

/** Smaller differences come from rounding: of equal values the first one counts. */
const ROUNDING = 1e-12;

/** Indices of the least and the greatest value; undefined without any value. */
export function extremesOf(
  values: ArrayLike<number>,
): { readonly least: number; readonly greatest: number } | undefined {
  let least = -1;
  let greatest = -1;
  for (let i = 0; i < values.length; i += 1) {
    const value = Number(values[i]);
    if (!Number.isFinite(value)) continue;
    if (least < 0 || value < Number(values[least]) - ROUNDING) least = i;
    if (greatest < 0 || value > Number(values[greatest]) + ROUNDING) greatest = i;
  }
  return least < 0 ? undefined : { least, greatest };
}

/**
 * Pixels of the map, four bytes each, from the top row down: the greatest y is at the top if y ascends. Values that
 * are missing are transparent.
 */
export function pixelsOf({ x, y, values }: Field): Uint8ClampedArray<ArrayBuffer> {
  const width = x.values.length;
  const height = y.values.length;
  const pixels = new Uint8ClampedArray(4 * width * height);
  const extremes = extremesOf(values);
  if (extremes === undefined) return pixels;
  const least = Number(values[extremes.least]);
  const span = Number(values[extremes.greatest]) - least;
  for (let j = 0; j < height; j += 1) {
    for (let i = 0; i < width; i += 1) {
      const value = Number(values[i + j * width]);
      if (!Number.isFinite(value)) continue;
      const colour = colourAt(span === 0 ? 0.5 : (value - least) / span);
      pixels.set([...colour, 255], 4 * (i + (height - 1 - j) * width));
    }
  }
  return pixels;
}

/** One point in words: "a = 0.5, b = 1: Z0 = 0.8776". */
export function cellInWords(field: Field, index: number): string {
  const { label, x, y } = field;
  const i = index % x.values.length;
  const j = Math.floor(index / x.values.length);
  const at = `${x.label} = ${rounded(Number(x.values[i]))}, ${y.label} = ${rounded(Number(y.values[j]))}`;
  return `${at}: ${label} = ${valueInWords(field, index)}`;
}

/** The map in words: its least and greatest value with their places. */
export function fieldInWords(field: Field): string {
  const extremes = extremesOf(field.values);
  if (extremes === undefined) return `${field.label} has no values yet.`;
  const { least, greatest } = extremes;
  return `Minimum: ${cellInWords(field, least)}. Maximum: ${cellInWords(field, greatest)}.`;
}
