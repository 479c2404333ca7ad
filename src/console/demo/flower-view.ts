/** Shows the flower of the current measurements. */

import { byId, svg } from '../dom.ts';
import type { DemoFeature } from './demo-facts.ts';
import { flowerLeaves } from './flower-shape.ts';

const RADIUS = 100;

/**
 * Creates the drawing.
 *
 * @returns A function that shows an input.
 */
export function createFlower(features: readonly DemoFeature[]): (input: readonly number[]) => void {
  const figure = byId('flower');
  const drawing = svg('svg', {
    viewBox: `${-RADIUS} ${-RADIUS} ${2 * RADIUS} ${2 * RADIUS}`,
    // The sliders beside it give the same information.
    'aria-hidden': 'true',
  });
  figure.append(drawing);
  return (input) => {
    const leaves = flowerLeaves(features, input, RADIUS);
    figure.hidden = leaves === undefined;
    drawing.replaceChildren(
      ...(leaves ?? []).flatMap(({ part, path, rib, turns }) =>
        turns.map((turn) =>
          svg(
            'g',
            { class: part, transform: `rotate(${turn})` },
            svg('path', { d: path }),
            svg('path', { d: `M 0 0 V ${-rib}`, class: 'rib' }),
          ),
        ),
      ),
      svg('circle', { r: 6, class: 'heart' }),
    );
  };
}
