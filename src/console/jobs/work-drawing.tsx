/** The drawing that says most about a result, for the works that have one. Their fields follow below it. */
import './work.css';
import { useMemo } from 'preact/hooks';
import { Curve } from '../drawing/curve.tsx';
import {
  fitted,
  type GraphEdge,
  type GraphNode,
  type Point,
  springLayout,
} from '../drawing/graph-layout.ts';
import { percent } from '../numbers.ts';
import { useResource } from '../shell/resource.ts';
import type { Fields } from './result-shape.ts';
import {
  type Bb84Shape,
  bb84Of,
  type CurveShape,
  cutOf,
  type GraphShape,
  layoutOf,
  noiseScanOf,
  type Sent,
  type SentQubit,
  sweepOf,
  tourOf,
} from './work-shapes.ts';

interface Work {
  readonly result: Fields;
  readonly input: Fields;
}

/** Draws the result of a work: `agent/task` or `tpu/job_type`. */
export function WorkDrawing({ work, result, input }: Work & { readonly work: string }) {
  switch (work) {
    case 'research/parameter_sweep':
      return <CurvePart shape={sweepOf(result, input)} />;
    case 'research/noise_scan':
      return <CurvePart shape={noiseScanOf(result)} />;
    case 'tpu/optimization':
      return <GraphPart shape={cutOf(result, input)} />;
    case 'robotics/routing':
      return <GraphPart shape={tourOf(result, input)} />;
    case 'security/bb84':
      return <Bb84Part result={result} />;
    case 'design/route':
      return <LayoutPart result={result} input={input} />;
    default:
      return null;
  }
}

function Bb84Part({ result }: { readonly result: Fields }) {
  const shape = bb84Of(result);
  return shape === undefined ? null : <Bb84Drawing shape={shape} />;
}

function CurvePart({ shape }: { readonly shape: CurveShape | undefined }) {
  return shape === undefined ? null : <Curve {...shape} />;
}

function GraphPart({ shape }: { readonly shape: GraphShape | undefined }) {
  const places = useMemo(
    () =>
      shape &&
      (shape.places ??
        springLayout(
          shape.nodes.length,
          shape.edges.map(({ ends }) => ends),
        )),
    [JSON.stringify(shape)],
  );
  if (shape === undefined || places === undefined) return null;
  return (
    <figure class="work-graph">
      <Graph words={shape.words} places={places} nodes={shape.nodes} edges={shape.edges} />
      <figcaption class="small">{shape.words}</figcaption>
    </figure>
  );
}

/** The couplers are those of the emulated device of the same name. */
function LayoutPart({ result, input }: Work) {
  const device = input['device'];
  const { data } = useResource(
    'GET /quantum/processors/{processor_id}',
    { path: { processor_id: `emulator-${String(device)}` } },
    { isOff: typeof device !== 'string' },
  );
  const couplers = data?.coupling_map;
  return <GraphPart shape={couplers && layoutOf(result, couplers)} />;
}

const WIDTH = 640;
const MARGIN = 26;

/** Draws nodes at given places, which are scaled to the drawing. */
function Graph({
  words,
  places,
  nodes,
  edges,
}: {
  /** Description of the drawing. */
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

const COLUMN = 64;
const LEFT = 62;
const ROWS = { alice: 40, eve: 112, bob: 184, outcome: 240 } as const;
const RADIUS = 19;
const HEIGHT = 266;
/** The scale ends at the rate of guessing. */
const SCALE = { width: 320, left: 18, right: 18, y: 34, height: 78, most: 0.5 } as const;
const OUTCOMES = {
  dropped: { sign: '–', words: 'dropped' },
  same: { sign: '✓', words: 'kept' },
  error: { sign: '✗', words: 'error' },
} as const;

/** Draws a run of the protocol. */
function Bb84Drawing({ shape }: { readonly shape: Bb84Shape }) {
  const { qubits, words } = shape;
  const width = LEFT + qubits.length * COLUMN;
  return (
    <figure class="bb84">
      <div class="scroll" tabIndex={0} role="region" aria-label="The first qubits">
        <svg width={width} height={HEIGHT} role="img" aria-label={words}>
          {(['alice', 'eve', 'bob'] as const).map((who) => (
            <text key={who} x={0} y={ROWS[who] + 5} class="who">
              {who === 'alice' ? 'Alice' : who === 'eve' ? 'Eve' : 'Bob'}
            </text>
          ))}
          {qubits.map((qubit, i) => (
            <Qubit key={i} qubit={qubit} x={LEFT + (i + 0.5) * COLUMN} />
          ))}
        </svg>
      </div>
      <Rate shape={shape} />
      <figcaption class="small">
        {words} Up and down are |0⟩ and |1⟩ of the basis Z, right and left are |+⟩ and |−⟩ of X. A
        bit is dropped if the bases of Alice and Bob differ.
      </figcaption>
    </figure>
  );
}

function Qubit({
  qubit: { alice, eve, bob, outcome },
  x,
}: {
  readonly qubit: SentQubit;
  readonly x: number;
}) {
  const { sign, words } = OUTCOMES[outcome];
  return (
    <g class={outcome}>
      <line class="way" x1={x} x2={x} y1={ROWS.alice + RADIUS} y2={ROWS.bob - RADIUS} />
      <Arrow sent={alice} x={x} y={ROWS.alice} who="alice" />
      {eve !== undefined && <Arrow sent={eve} x={x} y={ROWS.eve} who="eve" />}
      <Arrow sent={bob} x={x} y={ROWS.bob} who="bob" />
      <text class="sign" x={x} y={ROWS.outcome} text-anchor="middle">
        {sign}
      </text>
      <text class="outcome" x={x} y={ROWS.outcome + 16} text-anchor="middle">
        {words}
      </text>
    </g>
  );
}

function Arrow({
  sent: { ket, x: right, up },
  x,
  y,
  who,
}: {
  readonly sent: Sent;
  readonly x: number;
  readonly y: number;
  readonly who: 'alice' | 'eve' | 'bob';
}) {
  const reach = RADIUS - 5;
  const tip = { x: x + right * reach, y: y - up * reach };
  const back = { x: tip.x - 6 * right, y: tip.y + 6 * up };
  const side = { x: 5 * up, y: 5 * right };
  return (
    <g class={who}>
      <title>{ket}</title>
      <circle cx={x} cy={y} r={RADIUS} />
      <path
        d={`M ${x - right * reach} ${y + up * reach} L ${tip.x} ${tip.y} M ${back.x - side.x} ${back.y - side.y} L ${tip.x} ${tip.y} L ${back.x + side.x} ${back.y + side.y}`}
      />
    </g>
  );
}

/** The error rate of the sample with its interval, the expected one, and the limit. */
function Rate({ shape: { rate, expected, limit, isAborted } }: { readonly shape: Bb84Shape }) {
  if (rate === undefined) return null;
  const { width, left, right, y, height, most } = SCALE;
  const at = (value: number) => left + (Math.min(most, value) / most) * (width - left - right);
  const words =
    `Error rate ${percent(rate.value)}, 95 % interval ${percent(rate.low)} to ${percent(rate.high)}` +
    `${expected === undefined ? '' : `, expected ${percent(expected)}`}; limit ${percent(limit)}.`;
  return (
    <svg
      class={isAborted ? 'rate bad' : 'rate'}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={words}
    >
      <rect class="allowed" x={at(0)} y={y - 12} width={at(limit) - at(0)} height="24" />
      <line class="axis" x1={at(0)} x2={at(most)} y1={y} y2={y} />
      <line class="interval" x1={at(rate.low)} x2={at(rate.high)} y1={y} y2={y} />
      <circle class="measured" cx={at(rate.value)} cy={y} r="7" />
      {expected !== undefined && (
        <line class="expected" x1={at(expected)} x2={at(expected)} y1={y - 12} y2={y + 12} />
      )}
      <text x={at(limit)} y={y - 18} text-anchor="middle">
        limit {percent(limit)}
      </text>
      {[0, 0.25, 0.5].map((value) => (
        <text key={value} x={at(value)} y={y + 32} text-anchor="middle">
          {percent(value, 0)}
        </text>
      ))}
    </svg>
  );
}
