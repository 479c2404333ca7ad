/**
 * Layout of the histogram, in pixels: outcomes that count −1 on the left, +1 on the right, as on
 * the number line, so that the decision is visible without colours.
 */
import { outcomesOf, signOf } from './decision.ts';

/** Contents of a histogram. */
export interface HistogramRequest {
  readonly counts: ReadonlyMap<string, number>;
  readonly numQubits: number;
  /** Qubits of the observable. */
  readonly qubits: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Bar of an outcome; the box is its filled part. */
export interface Bar {
  readonly outcome: string;
  readonly count: number;
  readonly sign: 1 | -1;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** All outcomes of one sign. */
export interface BarGroup {
  readonly sign: 1 | -1;
  readonly count: number;
  /** Left edge of its heading. */
  readonly x: number;
}

/** Layout of the whole drawing. */
export interface HistogramLayout {
  readonly bars: readonly Bar[];
  readonly groups: readonly BarGroup[];
  /** Vertical position of the bars' bottom. */
  readonly base: number;
  /** Lines of the scale, each with its count. */
  readonly ticks: readonly { readonly count: number; readonly y: number }[];
  /** Whether outcomes are written vertically, for lack of horizontal room. */
  readonly isUpright: boolean;
  readonly left: number;
}

/** Room for the headings above, the scale on the left, and half an outcome on the right. */
const MARGIN = { top: 54, left: 46, right: 3 };
/** Width of a group's heading. */
const HEADING = 106;
const BETWEEN_GROUPS = 20;
/** Width of a bar, relative to its slot. */
const FILLED = 0.72;
/** Smallest slot width, for each bit, in which outcomes are written horizontally. */
const LABEL_PX_PER_BIT = 7.5;
const LABEL_LINE = 24;
/** Round numbers up to a power of ten. */
const ROUND = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];

/** Lays out the bars for a width. */
export function layoutHistogram(request: HistogramRequest): HistogramLayout {
  const { counts, numQubits, qubits, width, height } = request;
  const outcomes = outcomesOf(numQubits);
  const pitch = (width - MARGIN.left - MARGIN.right - BETWEEN_GROUPS) / outcomes.length;
  const isUpright = pitch < LABEL_PX_PER_BIT * numQubits;
  const base = height - (isUpright ? LABEL_PX_PER_BIT * numQubits + 8 : LABEL_LINE);
  const top = niceCeiling(Math.max(1, ...counts.values()));
  const heightOf = (count: number) => ((base - MARGIN.top) * count) / top;

  const bars: Bar[] = [];
  const groups: BarGroup[] = [];
  let x = MARGIN.left;
  for (const sign of [-1, 1] as const) {
    const group = outcomes.filter((outcome) => signOf(outcome, qubits) === sign);
    const start = x;
    for (const outcome of group) {
      const count = counts.get(outcome) ?? 0;
      const barHeight = heightOf(count);
      bars.push({
        outcome,
        count,
        sign,
        x: x + (pitch * (1 - FILLED)) / 2,
        y: base - barHeight,
        width: pitch * FILLED,
        height: barHeight,
      });
      x += pitch;
    }
    const count = group.reduce((sum, outcome) => sum + (counts.get(outcome) ?? 0), 0);
    groups.push({ sign, count, x: Math.min(start, width - HEADING) });
    x += BETWEEN_GROUPS;
  }
  const ticks = [0, top / 2, top].map((count) => ({ count, y: base - heightOf(count) }));
  return { bars, groups, base, ticks, isUpright, left: MARGIN.left };
}

/** Smallest round number that is at least the value, and whose half is a whole count. */
export function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const rounds = ROUND.map((each) => Math.round(each * power));
  return rounds.find((round) => round >= value && round % 2 === 0) ?? 10 * power;
}
