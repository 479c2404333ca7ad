/** The protocol BB84 as a drawing: the first qubits from Alice to Bob, and the error rate beside its limit. */
import { percent } from '../numbers.ts';
import './bb84.css';
import type { Bb84Shape, Sent, SentQubit } from './bb84-shape.ts';

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
export function Bb84Drawing({ shape }: { readonly shape: Bb84Shape }) {
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
