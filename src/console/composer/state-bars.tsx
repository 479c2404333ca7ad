/** Probabilities as bars on one axis, with their phases as colours, and the wheel of these colours. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { niceTop } from '../drawing/histogram-data.ts';
import { useWidth } from '../drawing/use-width.ts';
import type { LiveState } from '../live-state/messages.ts';
import { grouped } from '../numbers.ts';
import { ChoiceButtons } from '../shell/forms.tsx';
import {
  hueOf,
  phaseText,
  probabilityText,
  type StateRow,
  stateRows,
  wordsOfRows,
} from './state-words.ts';

/** Basis states that are drawn. */
const MAX_BARS = 32;
const PLOT_HEIGHT = 130;
const LEFT = 46;
/** Width of the place of a bar: the least, with upright texts, and the most. */
const LEAST_PITCH = 15;
const MOST_PITCH = 96;
/** Width of a letter. */
const LETTER = 8;

const ORDERS = ['by state', 'by probability'] as const;
const order = signal<(typeof ORDERS)[number]>('by state');

/** Draws the most likely basis states of a register. */
export function StateBars({ state }: { readonly state: LiveState }) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const numStates = 2 ** state.numQubits;
  const rows = stateRows(state, MAX_BARS, order.value === 'by probability');
  const rest = 1 - rows.reduce((sum, { probability }) => sum + probability, 0);
  const leastWidth = LEFT + rows.length * LEAST_PITCH;
  const isScrolled = width > 0 && leastWidth > width;
  return (
    <>
      <div
        class="scroll"
        ref={host}
        {...(isScrolled && { role: 'region', tabIndex: 0, 'aria-label': 'Bars' })}
      >
        {width > 0 && <Bars rows={rows} width={Math.max(width, leastWidth)} />}
      </div>
      <div class="bars-foot">
        <Wheel />
        <div>
          {isScrolled && <p class="small">Scroll sideways for all {rows.length} bars.</p>}
          {rows.length < numStates && (
            <p class="small">
              The {rows.length} most likely of {grouped(numStates)} basis states; the others have{' '}
              {probabilityText(rest)} together.
            </p>
          )}
          <p class="small">
            Qubit 0 is the rightmost digit. The colour of a bar is its phase, by the wheel.
          </p>
        </div>
        <ChoiceButtons
          label="Order of the bars"
          names={ORDERS}
          chosen={order.value}
          onChoose={(chosen) => {
            order.value = chosen;
          }}
        />
      </div>
    </>
  );
}

function Bars({ rows, width }: { readonly rows: readonly StateRow[]; readonly width: number }) {
  const pitch = Math.min(MOST_PITCH, (width - LEFT) / Math.max(1, rows.length));
  const longest = rows[0]?.label.length ?? 0;
  const fits = (texts: readonly string[]) => texts.every((text) => pitch >= text.length * LETTER);
  const isUpright = pitch < longest * LETTER + 4;
  const there = rows.filter(({ probability }) => probability > NOTHING);
  const areValuesUpright = !fits(there.map(({ probability }) => probabilityText(probability)));
  const hasPhases = fits(there.map(({ phase }) => phaseText(phase)));
  const base = PLOT_HEIGHT + (areValuesUpright ? 50 : 22);
  const top = niceTop(Math.max(...rows.map(({ probability }) => probability)));
  const heightOf = (share: number) => (PLOT_HEIGHT * share) / top;
  const below = isUpright ? longest * LETTER + 12 : 22;
  return (
    <svg
      class="bars"
      width={width}
      height={base + below + (hasPhases ? 18 : 0)}
      role="img"
      aria-label={`Probabilities: ${wordsOfRows(rows)}`}
    >
      {[0, top / 2, top].map((share) => (
        <g class="tick" key={share}>
          <line x1={LEFT} x2={width} y1={base - heightOf(share)} y2={base - heightOf(share)} />
          <text x={LEFT - 8} y={base - heightOf(share) + 4} text-anchor="end">
            {probabilityText(share)}
          </text>
        </g>
      ))}
      {rows.map(({ index, label, probability, phase }, at) => {
        const x = LEFT + at * pitch;
        const centre = x + pitch / 2;
        const isThere = probability > NOTHING;
        const tip = base - heightOf(probability);
        return (
          <g key={index}>
            <title>
              {`${label}: ${probabilityText(probability)}${isThere ? `, phase ${phaseText(phase)}` : ''}`}
            </title>
            {isThere && (
              <rect
                x={x + pitch * 0.1}
                y={tip}
                width={pitch * 0.8}
                height={base - tip}
                fill={colourOf(phase)}
              />
            )}
            {isThere && (
              <Text
                x={centre}
                y={tip - 6}
                isUpright={areValuesUpright}
                text={probabilityText(probability)}
              />
            )}
            <Text
              x={centre}
              y={base + (isUpright ? 6 : 18)}
              isUpright={isUpright}
              isBelow
              text={label}
            />
            {isThere && hasPhases && (
              <Text
                x={centre}
                y={base + below + 14}
                text={phaseText(phase)}
                isUpright={false}
                isSoft
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** A text above its place, or below; an upright one is read from below. */
function Text({
  x,
  y,
  text,
  isUpright,
  isBelow = false,
  isSoft = false,
}: {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly isUpright: boolean;
  readonly isBelow?: boolean;
  readonly isSoft?: boolean;
}) {
  const style = isBelow ? 'label' : isSoft ? 'scale' : 'value';
  if (!isUpright) {
    return (
      <text x={x} y={y} text-anchor="middle" class={style}>
        {text}
      </text>
    );
  }
  return (
    <text
      x={x}
      y={y}
      text-anchor={isBelow ? 'end' : 'start'}
      dominant-baseline="central"
      transform={`rotate(-90 ${x} ${y})`}
      class={style}
    >
      {text}
    </text>
  );
}

/** Probabilities up to this are of rounding. */
const NOTHING = 1e-9;

/** Colour of a phase. */
export const colourOf = (phase: number): string => `hsl(${hueOf(phase)} 62% 52%)`;

const NUM_SECTORS = 48;
const WHEEL = { radius: 24, hole: 11, centre: 42 };

/** The phases round a circle, counterclockwise from the right, in their colours. */
function Wheel() {
  const { radius, hole, centre } = WHEEL;
  const point = (phase: number, from: number) =>
    `${centre + from * Math.cos(phase)} ${centre - from * Math.sin(phase)}`;
  const step = (2 * Math.PI) / NUM_SECTORS;
  const names = [0, 1, 2, 3].map((quarter) => {
    const phase = (quarter * Math.PI) / 2;
    return {
      x: centre + (radius + 10) * Math.cos(phase),
      y: centre - (radius + 9) * Math.sin(phase) + 4,
      text: phaseText(quarter === 3 ? -Math.PI / 2 : phase),
    };
  });
  return (
    <svg
      class="wheel"
      width={2 * centre}
      height={2 * centre}
      role="img"
      aria-label="Colours of the phases 0, π/2, π and −π/2, counterclockwise from the right"
    >
      {Array.from({ length: NUM_SECTORS }, (_, sector) => {
        const phase = sector * step;
        const [first, last] = [phase - step / 2, phase + step * 0.8];
        return (
          <path
            key={sector}
            d={`M ${point(first, hole)} L ${point(first, radius)} L ${point(last, radius)} L ${point(last, hole)} Z`}
            fill={colourOf(phase)}
          />
        );
      })}
      {names.map(({ x, y, text }) => (
        <text key={text} x={x} y={y} text-anchor="middle" class="scale">
          {text}
        </text>
      ))}
    </svg>
  );
}
