/** Shapes of the drawings of the demo, in pixels: the number line of the decision, the accuracies, and the flower. */
import type { DemoFeature } from './demo-facts.ts';

/** Contents of a number line. */
export interface LineRequest {
  readonly width: number;
  readonly expectation: number;
  readonly standardError: number;
  readonly threshold: number;
}

/** Position and alignment of a label, chosen so that it stays inside the drawing. */
export interface LabelPlace {
  readonly x: number;
  readonly anchor: 'start' | 'middle' | 'end';
}

/** Layout of the whole drawing. */
export interface LineLayout {
  readonly start: number;
  readonly end: number;
  readonly threshold: number;
  readonly expectation: number;
  /** Interval of one shot noise to both sides, clipped at the ends. */
  readonly noise: { readonly from: number; readonly to: number };
  /** Whether there is room for the label of 0 beside the threshold's. */
  readonly showsZero: boolean;
  readonly expectationLabel: LabelPlace;
  readonly thresholdLabel: LabelPlace;
}

/** Room at both ends, for half a mark. */
const LINE_MARGIN = 10;
/** Half the width of the longest label. */
const HALF_LABEL = 76;

/** Lays out the number line for a width. */
export function layoutLine(request: LineRequest): LineLayout {
  const { width, expectation, standardError, threshold } = request;
  const start = LINE_MARGIN;
  const end = width - LINE_MARGIN;
  const at = (value: number) =>
    start + ((end - start) * (Math.min(1, Math.max(-1, value)) + 1)) / 2;
  return {
    start,
    end,
    threshold: at(threshold),
    expectation: at(expectation),
    noise: { from: at(expectation - standardError), to: at(expectation + standardError) },
    showsZero: Math.abs(at(threshold) - at(0)) > HALF_LABEL,
    expectationLabel: placeLabel(at(expectation), width),
    thresholdLabel: placeLabel(at(threshold), width),
  };
}

function placeLabel(x: number, width: number): LabelPlace {
  if (x < HALF_LABEL) return { x: 0, anchor: 'start' };
  if (x > width - HALF_LABEL) return { x: width, anchor: 'end' };
  return { x, anchor: 'middle' };
}

/** Accuracy of one model; fractions. */
export interface AccuracyRow {
  readonly mean: number;
  readonly spread: number;
}

/** Position of a mean and its spread, clipped at the scale's ends. */
export interface AccuracyPlace {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

/** Room for the marks at the ends. */
const ACCURACY_MARGIN = 6;
/** The scale begins at a multiple of this. */
const STEP = 0.1;

/** Lays out rows on a scale that ends at 1 and begins below the lowest spread. */
export function layoutAccuracy(
  rows: readonly AccuracyRow[],
  width: number,
): readonly AccuracyPlace[] {
  const lowest = Math.min(...rows.map(({ mean, spread }) => mean - spread));
  const start = Math.max(0, Math.floor(lowest / STEP + 1e-9) * STEP);
  const place = (value: number) => {
    const share = Math.min(1, Math.max(0, (value - start) / (1 - start)));
    return ACCURACY_MARGIN + share * (width - 2 * ACCURACY_MARGIN);
  };
  return rows.map(({ mean, spread }) => ({
    from: place(mean - spread),
    at: place(mean),
    to: place(mean + spread),
  }));
}

/** A leaf: its outline along −y from the centre, and the directions it is drawn in, in degrees. */
export interface Leaf {
  readonly part: 'sepal' | 'petal';
  readonly path: string;
  /** Length of its midrib, from the centre. */
  readonly rib: number;
  readonly turns: readonly number[];
}

/** Half of the drawing's width, in centimetres: the longest sepal of the data set and a margin. */
const REACH_CM = 8;

/**
 * The leaves, sepals first; undefined if the features are not those of an iris.
 *
 * @param radius - Half of the drawing's width, in the unit of the paths.
 */
export function flowerLeaves(
  features: readonly DemoFeature[],
  input: readonly number[],
  radius: number,
): readonly Leaf[] | undefined {
  const sizeOf = (name: string): number | undefined => {
    const value = input[features.findIndex((feature) => feature.name === name)];
    return value === undefined ? undefined : (value / REACH_CM) * radius;
  };
  const [sepalLength, sepalWidth] = [sizeOf('sepal length'), sizeOf('sepal width')];
  const [petalLength, petalWidth] = [sizeOf('petal length'), sizeOf('petal width')];
  if (sepalLength === undefined || sepalWidth === undefined) return undefined;
  if (petalLength === undefined || petalWidth === undefined) return undefined;
  return [
    {
      part: 'sepal',
      path: leafPath(sepalLength, sepalWidth),
      rib: sepalLength * RIB,
      turns: [60, 180, 300],
    },
    {
      part: 'petal',
      path: leafPath(petalLength, petalWidth),
      rib: petalLength * RIB,
      turns: [0, 120, 240],
    },
  ];
}

/** Length of a leaf's midrib, relative to the leaf. */
const RIB = 0.58;
/** Largest x of the outline below for a reach of 1. */
const OUTLINE_WIDTH = 0.6844;

/** Outline of a leaf: a drop, widest beyond its middle. */
function leafPath(length: number, width: number): string {
  const reach = width / 2 / OUTLINE_WIDTH;
  const at = (x: number, y: number) => `${x.toFixed(2)} ${(-y).toFixed(2)}`;
  return [
    `M ${at(0, 0)}`,
    `C ${at(reach * 0.5, length * 0.25)} ${at(reach * 1.25, length)} ${at(0, length)}`,
    `C ${at(-reach * 1.25, length)} ${at(-reach * 0.5, length * 0.25)} ${at(0, 0)}`,
    'Z',
  ].join(' ');
}
