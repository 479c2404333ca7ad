/** A graph: couplers of a device, edges of a cut, a tour of cities. */
import { fitted, type GraphEdge, type GraphNode, type Point } from './graph-layout.ts';
import './graph.css';

const WIDTH = 640;
const MARGIN = 26;

/** Draws nodes at given places, which are scaled to the drawing. */
export function Graph({
  words,
  places,
  nodes,
  edges,
}: {
  /** What the drawing shows. */
  readonly words: string;
  readonly places: readonly Point[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}) {
  const size = WIDTH - 2 * MARGIN;
  const unit = fitted(places);
  const at = unit.map(({ x, y }) => ({ x: MARGIN + x * size, y: MARGIN + y * size }));
  const height = 2 * MARGIN + size * Math.max(0.05, ...unit.map(({ y }) => y));
  const radius = nodes.length > 60 ? 11 : 15;
  return (
    <svg class="graph" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={words}>
      {edges.map(({ ends: [a, b], isStrong }) => (
        <line
          key={`${a} ${b}`}
          class={isStrong ? 'edge strong' : 'edge'}
          x1={at[a]?.x}
          y1={at[a]?.y}
          x2={at[b]?.x}
          y2={at[b]?.y}
        />
      ))}
      {nodes.map(({ label, group }, i) => (
        <g
          key={i}
          class={`node ${group}`}
          transform={`translate(${at[i]?.x ?? 0} ${at[i]?.y ?? 0})`}
        >
          {group === 'second' ? (
            <rect x={-radius} y={-radius} width={2 * radius} height={2 * radius} rx={3} />
          ) : (
            <circle r={radius} />
          )}
          <text text-anchor="middle" dominant-baseline="central">
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}
