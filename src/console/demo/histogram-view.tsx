/** The counts as bars, grouped by the sign that they count as, and as a table. */
import { useRef } from 'preact/hooks';
import { useWidth } from '../drawing/use-width.ts';
import { grouped, signed } from '../numbers.ts';
import { outcomesOf, signOf, tally } from './decision.ts';
import { circuitInWords, signInWords } from './demo-circuit.ts';
import type { DemoFacts } from './demo-facts.ts';
import { type Bar, type HistogramLayout, layoutHistogram } from './histogram-layout.ts';

const HEIGHT = 236;
/** Slot width from which on a bar has its count above it. */
const COUNT_WIDTH = 22;

interface CountsProps {
  readonly facts: DemoFacts;
  /** Empty before the first run. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The drawing. */
export function Counts({ isStale, ...contents }: CountsProps & { readonly isStale: boolean }) {
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  return (
    <div id="histogram" data-stale={isStale} ref={figure}>
      {width > 0 && <Drawing {...contents} width={width} />}
    </div>
  );
}

/** The class on a sign's side of the threshold. */
const classOf = ({ labelAbove }: DemoFacts, sign: 1 | -1): number =>
  sign === 1 ? labelAbove : 1 - labelAbove;

function Drawing({ facts, counts, width }: CountsProps & { readonly width: number }) {
  const numQubits = facts.circuit.qubits;
  const { qubits } = facts.circuit.observable;
  const layout = layoutHistogram({ counts, numQubits, qubits, width, height: HEIGHT });
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={countsInWords(facts, counts)}>
      {(counts.size === 0 ? [] : layout.ticks).map(({ count, y }) => (
        <g class="tick" key={count}>
          <line x1={layout.left} x2={width} y1={y} y2={y} />
          <text x={layout.left - 8} y={y + 4} text-anchor="end">
            {grouped(count)}
          </text>
        </g>
      ))}
      {layout.groups.map(({ sign, count, x }) => (
        <g key={sign}>
          <text x={x} y="16" class={`group class-${classOf(facts, sign)}`}>
            {counts.size === 0 ? signed(sign, 0) : `${signed(sign, 0)}: ${grouped(count)}`}
          </text>
          <text x={x} y="34" class="scale">
            {signInWords(facts.circuit, sign)}
          </text>
        </g>
      ))}
      {layout.bars.map((bar) => (
        <BarOf key={bar.outcome} facts={facts} layout={layout} bar={bar} />
      ))}
    </svg>
  );
}

function BarOf({
  facts,
  layout,
  bar,
}: {
  readonly facts: DemoFacts;
  readonly layout: HistogramLayout;
  readonly bar: Bar;
}) {
  const centre = bar.x + bar.width / 2;
  return (
    <g>
      <rect
        x={bar.x}
        y={bar.y}
        width={bar.width}
        height={bar.height}
        rx={Math.min(3, bar.height / 2)}
        class={`bar class-${classOf(facts, bar.sign)}`}
      >
        <title>{`${bar.outcome}: ${grouped(bar.count)}`}</title>
      </rect>
      {bar.width >= COUNT_WIDTH && bar.count > 0 && (
        <text x={centre} y={bar.y - 5} text-anchor="middle" class="count">
          {grouped(bar.count)}
        </text>
      )}
      {layout.isUpright ? (
        <text
          x={centre}
          y={layout.base + 6}
          text-anchor="end"
          dominant-baseline="central"
          transform={`rotate(-90 ${centre} ${layout.base + 6})`}
          class="outcome"
        >
          {bar.outcome}
        </text>
      ) : (
        <text x={centre} y={layout.base + 18} text-anchor="middle" class="outcome">
          {bar.outcome}
        </text>
      )}
    </g>
  );
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

/** The table. */
export function CountsTable({ facts: { circuit }, counts }: CountsProps) {
  return (
    <details>
      <summary>The counts as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Counts as</th>
            <th scope="col">Times</th>
          </tr>
        </thead>
        <tbody id="counts-rows">
          {outcomesOf(circuit.qubits).map((outcome) => (
            <tr key={outcome}>
              <th scope="row">{outcome}</th>
              <td>{signed(signOf(outcome, circuit.observable.qubits), 0)}</td>
              <td>{grouped(counts.get(outcome) ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
