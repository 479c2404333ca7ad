/** Shows the number line of the decision. */

import { byId, drawnToWidth, svg } from '../dom.ts';
import { capitalized, signed } from '../numbers.ts';
import { tally } from './decision.ts';
import type { DemoFacts } from './demo-facts.ts';
import { layoutLine } from './line-layout.ts';
import type { PageState } from './page-state.ts';

/** Distance of the axis from the top of the drawing, and height of the drawing. */
const AXIS = 64;
const HEIGHT = 124;
const BAND = 16;
/** Smallest width of the shot-noise mark. */
const MIN_NOISE = 3;

/**
 * Creates the drawing.
 *
 * @returns A function that shows a state.
 */
export function createLine(facts: DemoFacts): (state: PageState) => void {
  const figure = byId('line');
  let result: PageState['result'];
  const redraw = drawnToWidth(figure, (width) => {
    figure.replaceChildren(drawLine(facts, result, width));
  });
  return (state) => {
    result = state.result;
    redraw();
  };
}

function drawLine(facts: DemoFacts, result: PageState['result'], width: number): SVGSVGElement {
  const { labels, labelAbove, circuit } = facts;
  const threshold = result?.answer.threshold ?? facts.threshold;
  const counted = tally(result?.answer.counts ?? new Map(), circuit.observable.qubits);
  const { expectation, standardError } = counted;
  const at = layoutLine({ width, expectation, standardError, threshold });
  const classAt = (side: 'below' | 'above') => (side === 'above' ? labelAbove : 1 - labelAbove);
  const band = (side: 'below' | 'above', from: number, to: number) =>
    svg('rect', {
      x: from,
      y: AXIS - BAND / 2,
      width: Math.max(0, to - from),
      height: BAND,
      class: `band class-${classAt(side)}`,
    });
  const side = (which: 'below' | 'above', x: number, anchor: string) =>
    svg(
      'text',
      { x, y: HEIGHT - 8, 'text-anchor': anchor, class: `side class-${classAt(which)}` },
      capitalized(labels[classAt(which)] ?? ''),
    );
  const scale = (value: number, x: number, anchor: string) =>
    svg('text', { x, y: AXIS + 27, 'text-anchor': anchor, class: 'scale' }, signed(value, 0));
  const drawing = svg(
    'svg',
    { width, height: HEIGHT, role: 'img', 'aria-label': lineInWords(facts, result) },
    band('below', at.start, at.threshold),
    band('above', at.threshold, at.end),
    scale(-1, at.start, 'start'),
    ...(at.showsZero ? [scale(0, (at.start + at.end) / 2, 'middle')] : []),
    scale(1, at.end, 'end'),
    side('below', at.start, 'start'),
    side('above', at.end, 'end'),
    svg('line', {
      x1: at.threshold,
      x2: at.threshold,
      y1: AXIS - 11,
      y2: AXIS + 13,
      class: 'edge',
    }),
    svg(
      'text',
      {
        x: at.thresholdLabel.x,
        y: AXIS + 27,
        'text-anchor': at.thresholdLabel.anchor,
        class: 'edge-label',
      },
      `threshold ${signed(threshold, 3)}`,
    ),
  );
  if (result === undefined) return drawing;
  const prediction = result.answer.prediction;
  const { from, to } = at.noise;
  const noise = Math.max(MIN_NOISE, to - from);
  const x = at.expectation;
  drawing.append(
    svg('rect', {
      x: (from + to - noise) / 2,
      y: AXIS - 13,
      width: noise,
      height: 26,
      rx: 2,
      class: 'noise',
    }),
    svg('path', { d: `M ${x} ${AXIS + 13} V ${AXIS - 10}`, class: 'needle-edge' }),
    svg('path', { d: `M ${x} ${AXIS + 13} V ${AXIS - 10}`, class: `needle class-${prediction}` }),
    svg('circle', { cx: x, cy: AXIS - 12, r: 4.5, class: `class-${prediction}` }),
    svg(
      'text',
      {
        x: at.expectationLabel.x,
        y: AXIS - 42,
        'text-anchor': at.expectationLabel.anchor,
        class: 'value',
      },
      `${circuit.observable.text} = ${signed(expectation, 3)}`,
    ),
    svg(
      'text',
      {
        x: at.expectationLabel.x,
        y: AXIS - 25,
        'text-anchor': at.expectationLabel.anchor,
        class: 'scale',
      },
      `± ${standardError.toFixed(3)} shot noise`,
    ),
  );
  return drawing;
}

function lineInWords(facts: DemoFacts, result: PageState['result']): string {
  const { labels, labelAbove, threshold, circuit } = facts;
  const above = labels[labelAbove];
  const below = labels[1 - labelAbove];
  const rule =
    `Number line from −1 to +1. Below the threshold of ${signed(threshold, 3)} lies ${below}, ` +
    `above it ${above}.`;
  if (result === undefined) return rule;
  const { expectation, standardError } = tally(result.answer.counts, circuit.observable.qubits);
  return `${rule} Measured: ${signed(expectation, 3)}, with a shot noise of ${standardError.toFixed(3)}.`;
}
