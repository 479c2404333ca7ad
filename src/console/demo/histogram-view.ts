/** Shows the counts as bars and as a table. */

import { byId, drawnToWidth, html, svg } from '../dom.ts';
import { grouped, signed } from '../numbers.ts';
import { circuitInWords, signInWords } from './circuit-words.ts';
import { outcomesOf, signOf, tally } from './decision.ts';
import type { DemoFacts } from './demo-facts.ts';
import { type Bar, type HistogramLayout, layoutHistogram } from './histogram-layout.ts';
import { isStale, type PageState } from './page-state.ts';

const HEIGHT = 236;
/** Slot width from which on a bar has its count above it. */
const COUNT_WIDTH = 22;

/**
 * Creates drawing and table.
 *
 * @returns A function that shows a state.
 */
export function createHistogram(facts: DemoFacts): (state: PageState) => void {
  const figure = byId('histogram');
  byId('counts-note').textContent =
    `${grouped(facts.shots)} runs, ${2 ** facts.circuit.qubits} outcomes, qubit 0 rightmost. ` +
    `What counts +1 pulls the needle to the right, what counts −1 to the left.`;
  let counts: ReadonlyMap<string, number> | undefined;
  const redraw = drawnToWidth(figure, (width) => {
    figure.replaceChildren(drawHistogram(facts, counts ?? new Map(), width));
  });
  let shown: PageState['result'];
  return (state) => {
    figure.dataset['stale'] = String(isStale(state));
    if (state.result !== undefined && state.result === shown) return;
    shown = state.result;
    counts = state.result?.answer.counts;
    redraw();
    byId('counts-rows').replaceChildren(...rowsOf(facts, counts ?? new Map()));
  };
}

/** The class on a sign's side of the threshold. */
const classOf = ({ labelAbove }: DemoFacts, sign: 1 | -1): number =>
  sign === 1 ? labelAbove : 1 - labelAbove;

function drawHistogram(
  facts: DemoFacts,
  counts: ReadonlyMap<string, number>,
  width: number,
): SVGSVGElement {
  const numQubits = facts.circuit.qubits;
  const { qubits } = facts.circuit.observable;
  const layout = layoutHistogram({ counts, numQubits, qubits, width, height: HEIGHT });
  return svg(
    'svg',
    { width, height: HEIGHT, role: 'img', 'aria-label': countsInWords(facts, counts) },
    ...(counts.size === 0 ? [] : layout.ticks).map(({ count, y }) =>
      svg(
        'g',
        { class: 'tick' },
        svg('line', { x1: layout.left, x2: width, y1: y, y2: y }),
        svg('text', { x: layout.left - 8, y: y + 4, 'text-anchor': 'end' }, grouped(count)),
      ),
    ),
    ...layout.groups.flatMap(({ sign, count, x }) => [
      svg(
        'text',
        { x, y: 16, class: `group class-${classOf(facts, sign)}` },
        counts.size === 0 ? signed(sign, 0) : `${signed(sign, 0)}: ${grouped(count)}`,
      ),
      svg('text', { x, y: 34, class: 'scale' }, signInWords(facts.circuit, sign)),
    ]),
    ...layout.bars.flatMap((bar) => drawBar(facts, layout, bar)),
  );
}

function drawBar(facts: DemoFacts, layout: HistogramLayout, bar: Bar): readonly Node[] {
  const centre = bar.x + bar.width / 2;
  const label = layout.isUpright
    ? {
        x: centre,
        y: layout.base + 6,
        'text-anchor': 'end',
        'dominant-baseline': 'central',
        transform: `rotate(-90 ${centre} ${layout.base + 6})`,
      }
    : { x: centre, y: layout.base + 18, 'text-anchor': 'middle' };
  return [
    svg(
      'rect',
      {
        x: bar.x,
        y: bar.y,
        width: bar.width,
        height: bar.height,
        rx: Math.min(3, bar.height / 2),
        class: `bar class-${classOf(facts, bar.sign)}`,
      },
      svg('title', {}, `${bar.outcome}: ${grouped(bar.count)}`),
    ),
    ...(bar.width < COUNT_WIDTH || bar.count === 0
      ? []
      : [
          svg(
            'text',
            { x: centre, y: bar.y - 5, 'text-anchor': 'middle', class: 'count' },
            grouped(bar.count),
          ),
        ]),
    svg('text', { ...label, class: 'outcome' }, bar.outcome),
  ];
}

function countsInWords(facts: DemoFacts, counts: ReadonlyMap<string, number>): string {
  const { circuit, shots } = facts;
  if (counts.size === 0) return `No counts yet. ${circuitInWords(circuit, shots)}`;
  const { plus, minus } = tally(counts, circuit.observable.qubits);
  const [outcome = '', most = 0] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  return (
    `Bars of the counts of ${2 ** circuit.qubits} outcomes: ${grouped(minus)} count −1, ` +
    `${grouped(plus)} count +1. The most frequent is ${outcome}, ${grouped(most)} times.`
  );
}

function rowsOf({ circuit }: DemoFacts, counts: ReadonlyMap<string, number>): readonly Node[] {
  return outcomesOf(circuit.qubits).map((outcome) =>
    html(
      'tr',
      {},
      html('th', { scope: 'row' }, outcome),
      html('td', {}, signed(signOf(outcome, circuit.observable.qubits), 0)),
      html('td', {}, grouped(counts.get(outcome) ?? 0)),
    ),
  );
}
