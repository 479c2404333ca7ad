/**
 * Shape of a flower with the current measurements, seen from above: three sepals and three petals,
 * to scale. Only for irises; a model with other features has no such drawing.
 */
import type { DemoFeature } from './demo-facts.ts';

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
