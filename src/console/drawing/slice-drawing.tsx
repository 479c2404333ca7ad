/** Draws the detecting regions of a text at one TICK, by the coordinates of its qubits. */
import { useMemo } from 'preact/hooks';
import type { DetectingRegion, StimTimeline } from '../live-state/messages.ts';
import { numberOf } from '../numbers.ts';
import { layoutSlice } from './slice-layout.ts';

export function SliceDrawing({
  timeline,
  regions,
}: {
  readonly timeline: StimTimeline;
  readonly regions: readonly DetectingRegion[];
}) {
  const {
    width,
    height,
    qubits,
    regions: placed,
  } = useMemo(() => layoutSlice(timeline, regions), [timeline, regions]);
  return (
    <svg
      class="slice"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${numberOf(regions.length, 'region')} on ${numberOf(qubits.length, 'qubit')}`}
    >
      {placed.map(({ name, look, path, isLine, title }) => (
        <path
          key={name}
          d={path}
          class={`region pauli-${look} ${isLine ? 'line' : ''} ${name.startsWith('L') ? 'observable' : ''}`}
        >
          <title>{title}</title>
        </path>
      ))}
      {qubits.map(({ qubit, x, y }) => (
        <g key={qubit} class="qubit-mark">
          <circle cx={x} cy={y} r="3" />
          <text x={x + 5} y={y - 5} class="number">
            {qubit}
          </text>
        </g>
      ))}
      {placed.map(({ name, look, letters }) =>
        letters.map(({ x, y, text }, i) => (
          <text
            key={`${name} ${i}`}
            x={x}
            y={y + 5}
            text-anchor="middle"
            class={`pauli ${look === 'mixed' ? `pauli-${text}` : ''}`}
          >
            {text}
          </text>
        )),
      )}
    </svg>
  );
}
