/** The number line of the decision. */
import { useRef } from 'preact/hooks';
import { useWidth } from '../drawing/use-width.ts';
import { capitalized, signed } from '../numbers.ts';
import { tally } from './decision.ts';
import type { DemoFacts } from './demo-facts.ts';
import { layoutLine } from './demo-shapes.ts';
import type { PageState } from './demo-state.ts';

/** Distance of the axis from the top of the drawing, and height of the drawing. */
const AXIS = 64;
const HEIGHT = 124;
const BAND = 16;
/** Smallest width of the shot-noise mark. */
const MIN_NOISE = 3;

type Result = PageState['result'];
type Layout = ReturnType<typeof layoutLine>;

interface LineProps {
  readonly facts: DemoFacts;
  readonly result: Result;
}

export function Line({ facts, result }: LineProps) {
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  return (
    <div id="line" ref={figure}>
      {width > 0 && <Drawing facts={facts} result={result} width={width} />}
    </div>
  );
}

function Drawing({ facts, result, width }: LineProps & { readonly width: number }) {
  const threshold = result?.answer.threshold ?? facts.threshold;
  const counts = result?.answer.counts ?? new Map<string, number>();
  const { expectation, standardError } = tally(counts, facts.circuit.observable.qubits);
  const at = layoutLine({ width, expectation, standardError, threshold });
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={lineInWords(facts, result)}>
      <Side facts={facts} side="below" from={at.start} to={at.threshold} />
      <Side facts={facts} side="above" from={at.threshold} to={at.end} />
      <Scale value={-1} x={at.start} anchor="start" />
      {at.showsZero && <Scale value={0} x={(at.start + at.end) / 2} anchor="middle" />}
      <Scale value={1} x={at.end} anchor="end" />
      <line x1={at.threshold} x2={at.threshold} y1={AXIS - 11} y2={AXIS + 13} class="edge" />
      <text
        x={at.thresholdLabel.x}
        y={AXIS + 27}
        text-anchor={at.thresholdLabel.anchor}
        class="edge-label"
      >
        {`threshold ${signed(threshold, 3)}`}
      </text>
      {result !== undefined && (
        <Needle
          at={at}
          prediction={result.answer.prediction}
          value={`${facts.circuit.observable.text} = ${signed(expectation, 3)}`}
          noise={`± ${standardError.toFixed(3)} shot noise`}
        />
      )}
    </svg>
  );
}

/** The band and the name of the class on one side of the threshold. */
function Side({
  facts: { labels, labelAbove },
  side,
  from,
  to,
}: {
  readonly facts: DemoFacts;
  readonly side: 'below' | 'above';
  readonly from: number;
  readonly to: number;
}) {
  const index = side === 'above' ? labelAbove : 1 - labelAbove;
  return (
    <>
      <rect
        x={from}
        y={AXIS - BAND / 2}
        width={Math.max(0, to - from)}
        height={BAND}
        class={`band class-${index}`}
      />
      <text
        x={side === 'above' ? to : from}
        y={HEIGHT - 8}
        text-anchor={side === 'above' ? 'end' : 'start'}
        class={`side class-${index}`}
      >
        {capitalized(labels[index] ?? '')}
      </text>
    </>
  );
}

function Scale({
  value,
  x,
  anchor,
}: {
  readonly value: number;
  readonly x: number;
  readonly anchor: 'start' | 'middle' | 'end';
}) {
  return (
    <text x={x} y={AXIS + 27} text-anchor={anchor} class="scale">
      {signed(value, 0)}
    </text>
  );
}

/** The measured value with its shot noise. */
function Needle({
  at,
  prediction,
  value,
  noise,
}: {
  readonly at: Layout;
  readonly prediction: number;
  readonly value: string;
  readonly noise: string;
}) {
  const { from, to } = at.noise;
  const width = Math.max(MIN_NOISE, to - from);
  const x = at.expectation;
  const path = `M ${x} ${AXIS + 13} V ${AXIS - 10}`;
  const { x: labelX, anchor } = at.expectationLabel;
  return (
    <>
      <rect
        x={(from + to - width) / 2}
        y={AXIS - 13}
        width={width}
        height="26"
        rx="2"
        class="noise"
      />
      <path d={path} class="needle-edge" />
      <path d={path} class={`needle class-${prediction}`} />
      <circle cx={x} cy={AXIS - 12} r="4.5" class={`class-${prediction}`} />
      <text x={labelX} y={AXIS - 42} text-anchor={anchor} class="value">
        {value}
      </text>
      <text x={labelX} y={AXIS - 25} text-anchor={anchor} class="scale">
        {noise}
      </text>
    </>
  );
}

function lineInWords(facts: DemoFacts, result: Result): string {
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
