/** Data of curves and heat maps, apart from their drawing: ranges, orders and colours, and their values in words. */
import { listed, rounded } from '../numbers.ts';

/** Numbers along one axis. */
export interface Axis {
  readonly label: string;
  readonly values: ArrayLike<number>;
}

/** Values at the points of the axis. NaN stands for a value that has not arrived or does not exist. */
export interface Series {
  readonly label: string;
  readonly values: ArrayLike<number>;
  /** Standard errors of the values. */
  readonly errors?: ArrayLike<number> | undefined;
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

/** Least and greatest value of all series, their errors included; undefined without any value. */
export function rangeOf(series: readonly Series[]): readonly [number, number] | undefined {
  let least = Infinity;
  let greatest = -Infinity;
  for (const { values, errors } of series) {
    for (let i = 0; i < values.length; i += 1) {
      const value = Number(values[i]);
      if (!Number.isFinite(value)) continue;
      const error = errors?.[i] ?? 0;
      const margin = Number.isFinite(error) ? error : 0;
      least = Math.min(least, value - margin);
      greatest = Math.max(greatest, value + margin);
    }
  }
  return least <= greatest ? [least, greatest] : undefined;
}

/** One point in words: "a = 0.5: Z0 = 0.8776". */
export function pointInWords(x: Axis, series: readonly Series[], index: number): string {
  const values = series.map((each) => `${each.label} = ${valueInWords(each, index)}`);
  return `${x.label} = ${rounded(Number(x.values[index]))}: ${values.join(', ')}`;
}

/** A value with its error: "0.88 ± 0.02"; "none" if there is none. */
export function valueInWords({ values, errors }: Series, index: number): string {
  const value = Number(values[index]);
  if (!Number.isFinite(value)) return 'none';
  const error = errors?.[index];
  return error === undefined || !Number.isFinite(error)
    ? rounded(value)
    : `${rounded(value)} ± ${rounded(error)}`;
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
