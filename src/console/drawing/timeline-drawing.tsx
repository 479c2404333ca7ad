/** Draws a text in Stim's format along time, as a circuit with its TICKs and REPEAT blocks. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { StimTimeline } from '../live-state/messages.ts';
import { numberOf } from '../numbers.ts';
import { CircuitDrawing } from './circuit-drawing.tsx';
import { type CircuitLayout, layoutCircuit } from './circuit-layout.ts';
import { tickAt, tickName } from './timeline-ticks.ts';

/** Room below the wires for the names of TICKs and blocks. */
const FOOT = 44;

export function TimelineDrawing({
  timeline,
  tick,
}: {
  readonly timeline: StimTimeline;
  /** TICK that is marked. */
  readonly tick: number;
}) {
  const { qubits, signs, blocks, ticks, numTicks, numDetectors } = timeline;
  const layout = useMemo(
    () =>
      layoutCircuit(
        qubits.length,
        signs.map(({ kind, ...sign }) => ({ ...sign, className: `is-${kind}` })),
        { fitsCaptions: true, minColumns: timeline.numColumns },
      ),
    [timeline],
  );
  const { height } = layout;
  const marked = tickAt(ticks, tick)?.tick;
  const host = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // The beginning is seen first.
    if (!isFirst.current && host.current !== null && marked !== undefined) {
      host.current.scrollLeft = edgeOf(layout, marked.column) - host.current.clientWidth / 2;
    }
    isFirst.current = false;
  }, [marked]);
  const words = [
    numberOf(qubits.length, 'qubit'),
    numberOf(numTicks, 'TICK'),
    numberOf(numDetectors, 'detector'),
  ];
  return (
    <div
      ref={host}
      class="scroll timeline"
      tabIndex={0}
      role="region"
      aria-label="Timeline of the text"
    >
      <CircuitDrawing
        layout={{ ...layout, height: height + FOOT }}
        qubits={qubits}
        label={`Timeline of ${words.join(', ')}`}
        below={blocks.map(({ first, end, count, letter }, i) => {
          const [left, right] = [edgeOf(layout, first), edgeOf(layout, end)];
          return (
            <g key={i} class="block">
              <rect x={left} y={2} width={right - left} height={height + FOOT - 4} rx="9" />
              <text x={left + 8} y={height + FOOT - 8}>
                REPEAT {count}, {letter} = 0 to {count - 1}
              </text>
            </g>
          );
        })}
      >
        {ticks.map((each, i) => {
          const x = edgeOf(layout, each.column);
          return (
            <g key={i} class={each === marked ? 'tick-line marked' : 'tick-line'}>
              <line x1={x} x2={x} y1={8} y2={height} />
              <text x={x} y={height + 14} text-anchor="middle">
                {tickName(each)}
              </text>
            </g>
          );
        })}
      </CircuitDrawing>
    </div>
  );
}

/** Left edge of a column, which may be the one behind the last. */
function edgeOf({ columns, left }: CircuitLayout, column: number): number {
  const at = columns[column];
  if (at !== undefined) return at.x - at.width / 2;
  const last = columns.at(-1);
  return last === undefined ? left : last.x + last.width / 2;
}
