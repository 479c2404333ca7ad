/** Layout of a circuit drawing, in pixels: time goes right, qubit 0 is at the top. */
import type { DemoCircuit, DemoOperation } from './demo-facts.ts';

/** Distance between two wires. */
export const ROW = 66;
/** Size of a box with a gate's name and angle. */
export const BOX = { width: 58, height: 44 };
const TOP = 42;
const BOTTOM = 34;
/** Room for the wires' names. */
const LEFT = 44;
/** Room for the final measurements. */
const RIGHT = 56;
/** Width of a column with boxes, and of one without. */
const BOX_COLUMN = BOX.width + 14;
const LINK_COLUMN = 34;
/**
 * Largest factor by which columns are widened; gates farther apart no longer look like one circuit.
 */
const MAX_STRETCH = 1.7;

/** A symbol on a wire. */
export interface Mark {
  readonly kind: 'box' | 'dot' | 'plus';
  readonly y: number;
}

/** A gate in its column. */
export interface PlacedGate {
  readonly operation: DemoOperation;
  readonly column: number;
  /** Centre of its column. */
  readonly x: number;
  /** Ends of the line that joins its qubits; equal where it has one. */
  readonly top: number;
  readonly bottom: number;
  readonly marks: readonly Mark[];
}

/** Layout of the whole drawing. */
export interface CircuitLayout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  /** Vertical position of each wire. */
  readonly wires: readonly number[];
  readonly gates: readonly PlacedGate[];
  /** Horizontal position of the measurements. */
  readonly measuredAt: number;
}

/**
 * Lays out a circuit, each gate as far left as earlier gates on its wires allow.
 *
 * @param room - Available width: columns are widened to fill it, but never narrowed.
 */
export function layoutCircuit({ qubits, operations }: DemoCircuit, room = 0): CircuitLayout {
  const columns = columnsOf(operations, qubits);
  const narrow: number[] = [];
  for (const [index, operation] of operations.entries()) {
    const column = columns[index] ?? 0;
    const width = marksOf(operation).some(({ kind }) => kind === 'box') ? BOX_COLUMN : LINK_COLUMN;
    narrow[column] = Math.max(narrow[column] ?? 0, width);
  }
  const stretch = (room - LEFT - RIGHT) / sum(narrow);
  const widths = narrow.map((width) => width * Math.min(MAX_STRETCH, Math.max(1, stretch)));
  const starts = widths.map((_, column) => LEFT + sum(widths.slice(0, column)));
  const gates = operations.map((operation, index) => {
    const column = columns[index] ?? 0;
    const marks = marksOf(operation);
    const heights = marks.map(({ y }) => y);
    return {
      operation,
      column,
      x: (starts[column] ?? 0) + (widths[column] ?? 0) / 2,
      top: Math.min(...heights),
      bottom: Math.max(...heights),
      marks,
    };
  });
  const end = LEFT + sum(widths);
  return {
    width: end + RIGHT,
    height: TOP + (qubits - 1) * ROW + BOTTOM,
    left: LEFT,
    wires: Array.from({ length: qubits }, (_, qubit) => wireAt(qubit)),
    gates,
    measuredAt: end + RIGHT / 2,
  };
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const wireAt = (qubit: number): number => TOP + qubit * ROW;

/** Column of each operation: the first one after all symbols on the wires it covers. */
function columnsOf(operations: readonly DemoOperation[], qubits: number): readonly number[] {
  const next: number[] = new Array(qubits).fill(0);
  return operations.map(({ controls, targets }) => {
    const on = [...controls, ...targets];
    const first = Math.min(...on);
    const last = Math.max(...on);
    // The vertical line also crosses the wires between the qubits.
    const column = Math.max(0, ...next.slice(first, last + 1));
    next.fill(column + 1, first, last + 1);
    return column;
  });
}

function marksOf({ gate, controls, targets }: DemoOperation): readonly Mark[] {
  const kind = controls.length === 0 ? 'box' : targetKind(gate);
  return [
    ...controls.map((qubit): Mark => ({ kind: 'dot', y: wireAt(qubit) })),
    ...targets.map((qubit): Mark => ({ kind, y: wireAt(qubit) })),
  ];
}

/** Symbol of the target of a controlled gate. */
function targetKind(gate: string): Mark['kind'] {
  if (/^C*X$/.test(gate)) return 'plus';
  return /^C*Z$/.test(gate) ? 'dot' : 'box';
}
