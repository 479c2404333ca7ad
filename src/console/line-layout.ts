/** Where the parts of the number line stand that shows a decision: −1 left, +1 right, in pixels. */

/** What is drawn. */
export interface LineRequest {
  readonly width: number;
  readonly expectation: number;
  readonly standardError: number;
  readonly threshold: number;
}

/** A label's place and what of it stands there, so that none leaves the drawing. */
export interface LabelPlace {
  readonly x: number;
  readonly anchor: 'start' | 'middle' | 'end';
}

/** The whole drawing. */
export interface LineLayout {
  readonly start: number;
  readonly end: number;
  readonly threshold: number;
  readonly expectation: number;
  /** One shot noise to both sides, cut at the ends. */
  readonly noise: { readonly from: number; readonly to: number };
  /** Whether the scale's zero has room beside the threshold's. */
  readonly showsZero: boolean;
  readonly expectationLabel: LabelPlace;
  readonly thresholdLabel: LabelPlace;
}

/** At both ends, for half a mark. */
const MARGIN = 10;
/** Half of the longest label. */
const HALF_LABEL = 76;

/** Lays the line out for a width. */
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
