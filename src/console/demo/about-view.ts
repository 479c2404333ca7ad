/** Shows the model's accuracy, and how to call it from a program. */

import { byId, drawnToWidth, svg } from '../dom.ts';
import { grouped, percent } from '../numbers.ts';
import { layoutAccuracy } from './accuracy-layout.ts';
import type { DemoFacts } from './demo-facts.ts';

const ROW = 52;

/** Fills in the static facts of the page. */
export function showAbout(facts: DemoFacts): void {
  const { model, circuit, accuracy, shots, labels } = facts;

  byId('lede').textContent =
    `Set four measurements of a flower. A trained circuit of ${circuit.qubits} qubits runs ` +
    `${grouped(shots)} times on this service, at your request, and what it counts decides between ` +
    `${labels[0]} and ${labels[1]}.`;
  byId('model-description').textContent = model.description;
  byId('accuracy-basis').textContent = `${accuracy.basis}. Mean ± spread.`;
  const figure = byId('accuracy-figure');
  drawnToWidth(figure, (width) => figure.replaceChildren(drawAccuracy(facts, width)));
}

function drawAccuracy({ accuracy, model }: DemoFacts, width: number): SVGSVGElement {
  const rows = [
    { name: model.id, mean: accuracy.mean, spread: accuracy.spread, own: true },
    { ...accuracy.baseline, spread: accuracy.baseline.spread ?? 0, own: false },
  ];
  const layout = layoutAccuracy(rows, width);
  const words = rows.map(({ name, mean, spread }) => `${name}: ${figureOf(mean, spread)}`);
  return svg(
    'svg',
    { width, height: ROW * rows.length, role: 'img', 'aria-label': words.join('. ') },
    ...rows.flatMap(({ name, mean, spread, own }, index) => {
      const y = index * ROW;
      const { from, to, at } = layout[index] ?? { from: 0, to: 0, at: 0 };
      return [
        svg('text', { x: 0, y: y + 14, class: own ? 'name own' : 'name' }, name),
        svg(
          'text',
          { x: width, y: y + 14, 'text-anchor': 'end', class: own ? 'figure own' : 'figure' },
          figureOf(mean, spread),
        ),
        svg('line', { x1: 0, x2: width, y1: y + 32, y2: y + 32, class: 'track' }),
        svg('line', {
          x1: from,
          x2: to,
          y1: y + 32,
          y2: y + 32,
          class: own ? 'range own' : 'range',
        }),
        svg('circle', { cx: at, cy: y + 32, r: 5, class: own ? 'mean own' : 'mean' }),
      ];
    }),
  );
}

const figureOf = (mean: number, spread: number): string =>
  spread === 0 ? percent(mean) : `${percent(mean)} ± ${percent(spread)}`;
