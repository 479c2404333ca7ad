/** Draws circuits, for every page. */
import type { ComponentChildren, SVGAttributes } from 'preact';
import { useMemo } from 'preact/hooks';
import { BOX, type CircuitLayout, type Mark, type PlacedGate } from './circuit-layout.ts';
import './circuit.css';

interface CircuitDrawingProps extends SVGAttributes<SVGSVGElement> {
  readonly layout: CircuitLayout;
  /** The qubit of each wire; by default its number. */
  readonly qubits?: readonly number[];
  /** Description of the drawing, in words. */
  readonly label: string;
  /** Drawn below the gates. */
  readonly below?: ComponentChildren;
  /** Drawn over the gates. */
  readonly children?: ComponentChildren;
  /** Attributes of the group of a gate. */
  readonly gateProps?: (gate: PlacedGate) => SVGAttributes<SVGGElement>;
}

/** A circuit as an SVG of the layout's size. */
export function CircuitDrawing({
  layout,
  qubits,
  label,
  below,
  children,
  gateProps,
  ...rest
}: CircuitDrawingProps) {
  const { width, height, left, right, wires, gates, bits } = layout;
  // Thousands of gates are not compared anew when what is drawn over them changes.
  const drawnGates = useMemo(
    () =>
      gates.map((placed) => (
        <Gate key={placed.gate.id} placed={placed} bits={bits} props={gateProps?.(placed) ?? {}} />
      )),
    [gates, bits, gateProps],
  );
  return (
    <svg class="circuit" width={width} height={height} role="img" aria-label={label} {...rest}>
      {below}
      {wires.map((y, wire) => (
        <g key={y}>
          <line x1={left} x2={right} y1={y} y2={y} class="wire" />
          <text x={left - 12} y={y + 4} text-anchor="end" class="qubit">
            q{qubits?.[wire] ?? wire}
          </text>
        </g>
      ))}
      {bits !== undefined && (
        <g class="bits">
          <line x1={left} x2={right} y1={bits - 1.5} y2={bits - 1.5} />
          <line x1={left} x2={right} y1={bits + 1.5} y2={bits + 1.5} />
          <text x={left - 12} y={bits + 4} text-anchor="end" class="qubit">
            c
          </text>
        </g>
      )}
      {drawnGates}
      {children}
    </svg>
  );
}

function Gate({
  placed,
  bits,
  props,
}: {
  readonly placed: PlacedGate;
  /** Height of the line of the classical bits. */
  readonly bits: number | undefined;
  readonly props: SVGAttributes<SVGGElement>;
}) {
  const { gate, x, top, bottom, marks } = placed;
  const isBarrier = gate.name === 'BARRIER';
  return (
    <g {...props} class={`gate ${gate.className ?? ''}`}>
      {gate.title !== undefined && <title>{gate.title}</title>}
      {bits !== undefined && <ToBits placed={placed} bits={bits} />}
      {bottom > top && !isBarrier && <line x1={x} x2={x} y1={top} y2={bottom} class="link" />}
      {marks.map((mark) => (
        <Sign key={mark.qubit} placed={placed} mark={mark} />
      ))}
      {gate.caption !== undefined && (
        <text x={x} y={top - BOX.height / 2 - 5} text-anchor="middle" class="feature">
          {gate.caption}
        </text>
      )}
      {gate.condition !== undefined && bits === undefined && (
        <text x={x} y={bottom + BOX.height / 2 + 12} text-anchor="middle" class="condition">
          {gate.condition}
        </text>
      )}
    </g>
  );
}

/** Lines between a gate and the classical bits that it writes or reads. */
function ToBits({ placed: { gate, x, bottom }, bits }: { placed: PlacedGate; bits: number }) {
  const { writes, condition } = gate;
  if (writes === undefined && condition === undefined) return null;
  return (
    <g class="bits">
      <line x1={x - 1.5} x2={x - 1.5} y1={bottom} y2={bits} />
      <line x1={x + 1.5} x2={x + 1.5} y1={bottom} y2={bits} />
      {writes !== undefined && (
        <>
          <path d={`M ${x - 5} ${bits - 7} H ${x + 5} L ${x} ${bits} Z`} />
          <text x={x + 8} y={bits - 5} class="bit">
            {writes}
          </text>
        </>
      )}
      {condition !== undefined && (
        <>
          <circle cx={x} cy={bits} r="4" />
          <text x={x} y={bits + 18} text-anchor="middle" class="condition">
            {condition}
          </text>
        </>
      )}
    </g>
  );
}

function Sign({ placed, mark }: { readonly placed: PlacedGate; readonly mark: Mark }) {
  const { x, gate, boxWidth } = placed;
  const { y } = mark;
  switch (mark.kind) {
    case 'dot':
      return <circle cx={x} cy={y} r="5" class="control" />;
    case 'ring':
      return <circle cx={x} cy={y} r="5.5" class="control ring" />;
    case 'plus':
      return (
        <>
          <circle cx={x} cy={y} r="11" class="target" />
          <path d={`M ${x - 11} ${y} H ${x + 11} M ${x} ${y - 11} V ${y + 11}`} class="cross" />
        </>
      );
    case 'cross':
      return (
        <>
          <circle cx={x} cy={y} r="11" class="hit" />
          <path
            d={`M ${x - 8} ${y - 8} L ${x + 8} ${y + 8} M ${x - 8} ${y + 8} L ${x + 8} ${y - 8}`}
            class="cross"
          />
        </>
      );
    case 'bar':
      return <line x1={x} x2={x} y1={y - 26} y2={y + 26} class="barrier" />;
    case 'meter':
      return (
        <g class="measurement">
          <rect x={x - 17} y={y - 17} width="34" height="34" rx="7" class="box" />
          <path d={`M ${x - 10} ${y + 7} A 10 10 0 0 1 ${x + 10} ${y + 7}`} />
          <path d={`M ${x} ${y + 7} L ${x + 7} ${y - 7}`} />
        </g>
      );
    case 'display':
      return <Display shows={gate.shows} x={x} y={y} />;
    case 'box':
      return (
        <>
          <rect
            x={x - boxWidth / 2}
            y={y - BOX.height / 2}
            width={boxWidth}
            height={BOX.height}
            rx="7"
            class="box"
          />
          <text
            x={x}
            y={gate.detail === undefined ? y + 5 : y - 3}
            text-anchor="middle"
            class="name"
          >
            {shownName(mark.name)}
          </text>
          {gate.detail !== undefined && (
            <text x={x} y={y + 15} text-anchor="middle" class="angle">
              {gate.detail}
            </text>
          )}
        </>
      );
  }
}

/** Half the side of a display. */
const HALF = 20;

/** A display on a wire: how likely 1 is, as a part that is filled, or a Bloch vector seen from the front. */
function Display({
  shows,
  x,
  y,
}: {
  readonly shows: PlacedGate['gate']['shows'];
  readonly x: number;
  readonly y: number;
}) {
  const { as, vector } = shows ?? {};
  const frame = (
    <rect x={x - HALF} y={y - HALF} width={2 * HALF} height={2 * HALF} rx="4" class="box" />
  );
  if (vector === undefined) {
    return (
      <>
        {frame}
        <text x={x} y={y + 5} text-anchor="middle" class="angle">
          …
        </text>
      </>
    );
  }
  const [a, b, c] = vector;
  if (as !== 'bloch') {
    const one = Math.max(0, Math.min(1, (1 - c) / 2));
    const height = 2 * HALF * one;
    return (
      <>
        {frame}
        <rect x={x - HALF} y={y + HALF - height} width={2 * HALF} height={height} class="filled" />
        <text x={x} y={y + 4} text-anchor="middle" class="angle">
          {percentText(one)}
        </text>
      </>
    );
  }
  const radius = HALF - 2;
  const left = x + radius * (b - 0.35 * a);
  const top = y - radius * (c - 0.28 * a);
  return (
    <>
      <circle cx={x} cy={y} r={radius} class="box" />
      <ellipse cx={x} cy={y} rx={radius} ry={radius * 0.28} class="equator" />
      <line x1={x} y1={y} x2={left} y2={top} class="arrow" />
      <circle cx={left} cy={top} r="2.6" class="tip" />
    </>
  );
}

/** A probability in the room of a display: only 0 and 1 are written as 0% and 100%. */
function percentText(probability: number): string {
  const percents = 100 * probability;
  if (percents > 1e-7 && percents < 0.05) return '<0.1%';
  if (percents < 100 - 1e-7 && percents > 99.95) return '>99.9%';
  return `${Number(percents.toFixed(1))}%`;
}

/** Names as physicists write them, where they fit the box. */
function shownName(name: string): string {
  const names: Readonly<Record<string, string>> = {
    SDG: 'S†',
    TDG: 'T†',
    SX: '√X',
    SXDG: '√X†',
    UNITARY: 'U*',
    RESET: '|0⟩',
    SQRTISWAP: '√iSW',
    ISWAP: 'iSW',
    GPHASE: 'e^iγ',
  };
  return names[name] ?? name.slice(0, 6);
}
