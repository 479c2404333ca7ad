/** Layout of the number line that shows a decision, in pixels: −1 on the left, +1 on the right. */

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
const MARGIN = 10;
/** Half the width of the longest label. */
const HALF_LABEL = 76;

/** Lays out the number line for a width. */
export function layoutLine(request: LineRequest): LineLayout {
  const { width, expectation, standardError, threshold } = request;
  const start = MARGIN;
  const end = width - MARGIN;
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
