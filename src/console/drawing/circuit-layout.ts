/** Layout of a circuit drawing, in pixels: time goes right, qubit 0 is at the top. */

/** A gate to draw. */
export interface DrawnGate {
  /** Number of its own within the circuit. */
  readonly id: number;
  /** Column, from 0. */
  readonly column: number;
  /** Name without the C of controls: X, RZ, M, BARRIER. */
  readonly name: string;
  readonly controls: readonly number[];
  /** Controls that act while their qubit is 0. */
  readonly open?: readonly number[] | undefined;
  readonly targets: readonly number[];
  /** Names of the boxes by target, where they differ. */
  readonly names?: readonly string[] | undefined;
  /** Second line of the box, such as an angle. */
  readonly detail?: string | undefined;
  /** Small text above the box. */
  readonly caption?: string | undefined;
  /** Text below the gate, or below the classical bits, such as a condition on them. */
  readonly condition?: string | undefined;
  /** What a display on the wire shows: a Bloch vector, or the probability of 1 that follows from it, once known. */
  readonly shows?:
    | {
        readonly as: string;
        readonly vector: readonly [x: number, y: number, z: number] | undefined;
      }
    | undefined;
  /** Classical bits that it writes, as a text; the drawing then has a line for them. */
  readonly writes?: string | undefined;
  /** Classes of the group, such as `encoding`. */
  readonly className?: string | undefined;
  /** Shown where a mouse rests on the gate. */
  readonly title?: string | undefined;
}

/** Distance between two wires. */
export const ROW = 66;
/** Size of a box with a gate's name and detail. */
export const BOX = { width: 58, height: 44 };
const TOP = 42;
const BOTTOM = 34;
/** Room for the wires' names. */
const LEFT = 44;
/** Width of a column with boxes, and of one without. */
const BOX_COLUMN = BOX.width + 14;
const LINK_COLUMN = 34;
/** Width of a column of a grid, of one with a barrier alone, and of the narrowest box. */
const GRID_COLUMN = 44;
const BARRIER_COLUMN = 20;
const GRID_BOX = 36;
/** Room for a letter of a caption, and of a name. */
const LETTER = 6.4;
const NAME_LETTER = 8;
/** Room for the line of the classical bits. */
const BITS = 44;
/** Largest factor by which columns are widened; gates farther apart no longer look like one circuit. */
const MAX_WIDENING = 1.7;

export type MarkKind = 'box' | 'dot' | 'ring' | 'plus' | 'cross' | 'meter' | 'bar' | 'display';

/** A symbol on a wire. */
export interface Mark {
  readonly kind: MarkKind;
  readonly qubit: number;
  readonly y: number;
  /** Text of a box. */
  readonly name: string;
}

/** A gate in its column. */
export interface PlacedGate {
  readonly gate: DrawnGate;
  /** Centre of its column. */
  readonly x: number;
  /** Ends of the line that joins its qubits; equal where it has one. */
  readonly top: number;
  readonly bottom: number;
  readonly marks: readonly Mark[];
  /** Width of its boxes. */
  readonly boxWidth: number;
}

/** Layout of the whole drawing. */
export interface CircuitLayout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  /** Horizontal position of the wires' ends. */
  readonly right: number;
  /** Vertical position of each wire. */
  readonly wires: readonly number[];
  /** Centre and width of each column, with the free ones at the end. */
  readonly columns: readonly { readonly x: number; readonly width: number }[];
  readonly gates: readonly PlacedGate[];
  /** Height of the line of the classical bits, if a gate writes one. */
  readonly bits: number | undefined;
}

/** Options of `layoutCircuit`. */
export interface LayoutOptions {
  /** Available width: columns are widened to fill it, but never narrowed; a grid has free ones added. */
  readonly room?: number;
  /** Columns that are drawn at least. */
  readonly minColumns?: number;
  /** Boxes and columns are as narrow as their names, angles and conditions allow. */
  readonly isGrid?: boolean;
  /** Columns are as wide as the captions in them. */
  readonly fitsCaptions?: boolean;
}

/** Lays out a circuit. */
export function layoutCircuit(
  numQubits: number,
  gates: readonly DrawnGate[],
  { room = 0, minColumns = 0, isGrid = false, fitsCaptions = false }: LayoutOptions = {},
): CircuitLayout {
  const last = Math.max(minColumns, ...gates.map(({ column }) => column + 1));
  const narrow: number[] = new Array(last).fill(isGrid ? 0 : LINK_COLUMN);
  for (const gate of gates) {
    const ofCaption = fitsCaptions ? LETTER * (gate.caption?.length ?? 0) + 10 : 0;
    const width = Math.max(isGrid ? gridWidth(gate) : columnWidth(gate), ofCaption);
    narrow[gate.column] = Math.max(narrow[gate.column] ?? 0, width);
  }
  // A grid has no place that is too narrow for a gate of its own.
  if (isGrid) for (const [at, width] of narrow.entries()) narrow[at] = width || GRID_COLUMN;
  while (isGrid && LEFT + sum(narrow) + GRID_COLUMN + 12 <= room) narrow.push(GRID_COLUMN);
  const widening = isGrid || narrow.length === 0 ? 1 : (room - LEFT) / sum(narrow);
  const widths = narrow.map((width) => width * Math.min(MAX_WIDENING, Math.max(1, widening)));
  let end = LEFT;
  const columns = widths.map((width) => {
    end += width;
    return { x: end - width / 2, width };
  });
  const hasBits = gates.some(({ writes }) => writes !== undefined);
  return {
    width: end + 12,
    height: heightOf(numQubits) + (hasBits ? BITS : 0),
    left: LEFT,
    right: end + 12,
    wires: Array.from({ length: numQubits }, (_, qubit) => wireAt(qubit)),
    columns,
    gates: gates.map((gate) => {
      const marks = marksOf(gate);
      const heights = marks.map(({ y }) => y);
      return {
        gate,
        x: columns[gate.column]?.x ?? 0,
        top: Math.min(...heights),
        bottom: Math.max(...heights),
        marks,
        boxWidth: isGrid ? gridBox(gate) : BOX.width,
      };
    }),
    bits: hasBits ? heightOf(numQubits) + 8 : undefined,
  };
}

function columnWidth(gate: DrawnGate): number {
  const isWide = marksOf(gate).some(({ kind }) => ['box', 'meter', 'display'].includes(kind));
  return isWide ? BOX_COLUMN : 0;
}

function gridBox({ name, detail = '' }: DrawnGate): number {
  const letters = Math.max(NAME_LETTER * Math.min(6, name.length), LETTER * detail.length);
  return Math.max(GRID_BOX, letters + 12);
}

function gridWidth(gate: DrawnGate): number {
  const kinds = marksOf(gate).map(({ kind }) => kind);
  if (kinds.every((kind) => kind === 'bar')) return BARRIER_COLUMN;
  const ofBox = kinds.includes('box') ? gridBox(gate) + 8 : 0;
  return Math.max(GRID_COLUMN, ofBox, LETTER * (gate.condition?.length ?? 0) + 8);
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
/** Height of a wire. */
export const wireAt = (qubit: number): number => TOP + qubit * ROW;
const heightOf = (numQubits: number): number => TOP + (numQubits - 1) * ROW + BOTTOM;

/** The wire nearest to a height of the drawing, negative above the first one. */
export function qubitAt(y: number): number {
  return Math.round((y - TOP) / ROW);
}

/** The column at a width of the drawing; the first one left of the drawing, the number of columns right of it. */
export function columnAt({ columns }: CircuitLayout, x: number): number {
  const found = columns.findIndex(({ x: centre, width }) => x < centre + width / 2);
  return found < 0 ? columns.length : found;
}

function marksOf({ name, names, controls, open, targets, shows }: DrawnGate): readonly Mark[] {
  const kind = shows === undefined ? targetKind(name, controls.length) : 'display';
  return [
    ...controls.map((qubit): Mark => {
      const isOpen = open?.includes(qubit) === true;
      return { kind: isOpen ? 'ring' : 'dot', qubit, y: wireAt(qubit), name };
    }),
    ...targets.map(
      (qubit, i): Mark => ({ kind, qubit, y: wireAt(qubit), name: names?.[i] ?? name }),
    ),
  ];
}

/** Symbol of a gate on its targets. */
function targetKind(name: string, numControls: number): MarkKind {
  if (name === 'M') return 'meter';
  if (name === 'BARRIER') return 'bar';
  if (name === 'SWAP') return 'cross';
  if (numControls > 0 && name === 'X') return 'plus';
  if (numControls > 0 && name === 'Z') return 'dot';
  return 'box';
}

/**
 * Column of each gate of a list, each as far left as earlier gates on its wires allow. The line between its qubits
 * covers the wires in between.
 */
export function leftmostColumns(
  gates: readonly Pick<DrawnGate, 'controls' | 'targets'>[],
  numQubits: number,
): readonly number[] {
  const next: number[] = new Array(numQubits).fill(0);
  return gates.map(({ controls, targets }) => {
    const on = [...controls, ...targets];
    const first = Math.min(...on);
    const last = Math.max(...on);
    const column = Math.max(0, ...next.slice(first, last + 1));
    next.fill(column + 1, first, last + 1);
    return column;
  });
}
