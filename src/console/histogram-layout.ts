/**
 * Where the bars of the counts stand, in pixels: outcomes that count −1 on the left, +1 on the right,
 * as on the number line, so that the decision can be seen without colours.
 */
import { outcomesOf, signOf } from './decision.ts';

/** What is drawn. */
export interface HistogramRequest {
  readonly counts: ReadonlyMap<string, number>;
  readonly numQubits: number;
  /** Of the observable. */
  readonly qubits: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** An outcome's bar; its box is that of the filled part. */
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
  /** Where its heading begins. */
  readonly x: number;
}

/** The whole drawing. */
export interface HistogramLayout {
  readonly bars: readonly Bar[];
  readonly groups: readonly BarGroup[];
  /** Where the bars stand. */
  readonly base: number;
  /** Lines of the scale, each with its count. */
  readonly ticks: readonly { readonly count: number; readonly y: number }[];
  /** Whether outcomes are written upwards, there being no room beside one another. */
  readonly isUpright: boolean;
  readonly left: number;
}

/** Room for the groups' headings above, the scale on the left, half an outcome on the right. */
const MARGIN = { top: 54, left: 46, right: 3 };
/** Of a group's heading. */
const HEADING = 106;
const BETWEEN_GROUPS = 20;
/** A bar's share of its place. */
const FILLED = 0.72;
/** Narrower places have no room for an outcome beside the next. */
const LABEL_PX_PER_BIT = 7.5;
const LABEL_LINE = 24;
/** Times a power of ten. */
const ROUND = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];

/** Lays the bars out for a width. */
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

/** The next round number whose half is a count as well. */
export function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const rounds = ROUND.map((each) => Math.round(each * power));
  return rounds.find((round) => round >= value && round % 2 === 0) ?? 10 * power;
}
