/** The flower of the current measurements. */
import type { DemoFeature } from './demo-facts.ts';
import { flowerLeaves } from './flower-shape.ts';

const RADIUS = 100;

export function Flower({
  features,
  input,
}: {
  readonly features: readonly DemoFeature[];
  readonly input: readonly number[];
}) {
  const leaves = flowerLeaves(features, input, RADIUS);
  return (
    <div id="flower" hidden={leaves === undefined}>
      {/* The sliders beside it give the same information. */}
      <svg viewBox={`${-RADIUS} ${-RADIUS} ${2 * RADIUS} ${2 * RADIUS}`} aria-hidden="true">
        {leaves?.flatMap(({ part, path, rib, turns }) =>
          turns.map((turn) => (
            <g key={`${part} ${turn}`} class={part} transform={`rotate(${turn})`}>
              <path d={path} />
              <path d={`M 0 0 V ${-rib}`} class="rib" />
            </g>
          )),
        )}
        <circle r="6" class="heart" />
      </svg>
    </div>
  );
}
