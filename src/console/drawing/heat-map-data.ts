/** What a heat map shows, apart from its drawing: colours, ticks, and its values in words. */
import { rounded } from '../numbers.ts';
import { type Axis, valueInWords } from './curve-data.ts';

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
