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
  const { width, height, left, right, wires, gates } = layout;
  // Thousands of gates are not compared anew when what is drawn over them changes.
  const drawnGates = useMemo(
    () =>
      gates.map((placed) => (
        <Gate key={placed.gate.id} placed={placed} props={gateProps?.(placed) ?? {}} />
      )),
    [gates, gateProps],
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
      {drawnGates}
      {children}
    </svg>
  );
}

function Gate({
  placed,
  props,
}: {
  readonly placed: PlacedGate;
  readonly props: SVGAttributes<SVGGElement>;
}) {
  const { gate, x, top, bottom, marks } = placed;
  const isBarrier = gate.name === 'BARRIER';
  return (
    <g {...props} class={`gate ${gate.className ?? ''}`}>
      {gate.title !== undefined && <title>{gate.title}</title>}
      {bottom > top && !isBarrier && <line x1={x} x2={x} y1={top} y2={bottom} class="link" />}
      {marks.map((mark) => (
        <Sign key={mark.qubit} placed={placed} mark={mark} />
      ))}
      {gate.caption !== undefined && (
        <text x={x} y={top - BOX.height / 2 - 5} text-anchor="middle" class="feature">
          {gate.caption}
        </text>
      )}
      {gate.condition !== undefined && (
        <text x={x} y={bottom + BOX.height / 2 + 12} text-anchor="middle" class="condition">
          {gate.condition}
        </text>
      )}
    </g>
  );
}

function Sign({ placed, mark }: { readonly placed: PlacedGate; readonly mark: Mark }) {
  const { x, gate } = placed;
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
    case 'box':
      return (
        <>
          <rect
            x={x - BOX.width / 2}
            y={y - BOX.height / 2}
            width={BOX.width}
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
