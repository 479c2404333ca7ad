/** Shape of a small curve over the last minutes. */
import type { Point } from './fleet-history.ts';

/** Width and height of the drawing, in its own units. */
export const SPARK = { width: 600, height: 100 } as const;

/** Least time that the width stands for. */
const MIN_SPAN_MS = 60_000;

/** A curve and its figures. */
export interface SparkShape {
  /** SVG path of the line. */
  readonly line: string;
  /** SVG path of the area below the line. */
  readonly area: string;
  /** Time from the first to the last point, milliseconds. */
  readonly spanMs: number;
  readonly last: number;
  readonly greatest: number;
}

/**
 * Lays out a curve; time ends at the right edge. Undefined without two points.
 *
 * @param top - Value at the upper edge; the greatest value if that is larger.
 */
export function sparkShape(points: readonly Point[], top: number): SparkShape | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return undefined;
  const spanMs = last.at - first.at;
  const greatest = Math.max(...points.map(({ value }) => value));
  const scale = Math.max(top, greatest);
  const shownMs = Math.max(spanMs, MIN_SPAN_MS);
  const xOf = (at: number) => rounded(SPARK.width * (1 - (last.at - at) / shownMs));
  const yOf = (value: number) => rounded(SPARK.height * (1 - value / scale));
  const line = points
    .map(({ at, value }, i) => `${i === 0 ? 'M' : 'L'}${xOf(at)} ${yOf(value)}`)
    .join('');
  const area = `${line}L${SPARK.width} ${SPARK.height}L${xOf(first.at)} ${SPARK.height}Z`;
  return { line, area, spanMs, last: last.value, greatest };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
