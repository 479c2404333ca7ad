/** State of the composer: the circuit with its history, the cursor, the selection, and values of inputs. */

import { batch, computed, signal } from '@preact/signals';
import type { TextSource } from '../live-state/messages.ts';
import {
  columnsOf,
  type EditedCircuit,
  EMPTY,
  gateObjects,
  inputNames,
  insertSteps,
  numColumns,
  onQubits,
  removeSteps,
  type Step,
  spanOf,
  stepAt,
} from './edited-circuit.ts';
import type { PaletteGate } from './gate-table.ts';
import type { SharedCircuit } from './permalink.ts';

const MAX_HISTORY = 200;

interface History {
  readonly past: readonly EditedCircuit[];
  readonly present: EditedCircuit;
  readonly future: readonly EditedCircuit[];
  /** Edits with the same name that follow each other, as of a slider, are one. */
  readonly name: string | undefined;
}

const history = signal<History>({ past: [], present: EMPTY, future: [], name: undefined });

/** The circuit. */
export const circuit = computed(() => history.value.present);
export const canUndo = computed(
  () => history.value.past.length > 0 || textSource.value !== undefined,
);
export const canRedo = computed(() => history.value.future.length > 0);

/** Place of the grid where keys insert gates. */
export const cursor = signal({ qubit: 0, column: 0 });
/** Id of the selected gate. */
export const selectedId = signal<number | undefined>(undefined);
export const selected = computed(() =>
  circuit.value.steps.find(({ id }) => id === selectedId.value),
);
const columnRange = signal<{ readonly anchor: number; readonly head: number } | undefined>(
  undefined,
);
/** Selected columns, both ends included; undefined if there are none. */
export const selectedColumns = computed(() => {
  const range = columnRange.value;
  if (range === undefined) return undefined;
  const { anchor, head } = range;
  return { first: Math.min(anchor, head), last: Math.max(anchor, head) };
});
/** Columns whose gates have been applied in the state that is shown; undefined for all. */
export const shownColumns = signal<number | undefined>(undefined);
/** Values of inputs that sliders have set; others are 0. */
const inputValues = signal<Readonly<Record<string, number>>>({});
/** Values of the circuit's inputs. */
export const inputs = computed(() =>
  Object.fromEntries(inputNames(circuit.value).map((name) => [name, inputValues.value[name] ?? 0])),
);
/** The circuit as the API takes it, with the values of its inputs. */
export const gateSource = computed<SharedCircuit>(() => ({
  qubits: circuit.value.numQubits,
  circuit: gateObjects(circuit.value),
  ...(Object.keys(inputs.value).length > 0 && { inputs: inputs.value }),
}));
/**
 * A text that is the source in place of gates, which cannot express it: OpenQASM that computes with measured bits or with
 * inputs, with values of all these, or a text in Stim's format with more than gates. Undefined while the gates are the
 * source. The gates of before are then not shown.
 */
export const textSource = signal<TextSource | undefined>(undefined);
/** Language of the editor. */
export const language = signal<'openqasm3' | 'stim'>('openqasm3');

/** Makes a text the source. */
export function openText(source: TextSource): void {
  batch(() => {
    language.value = 'stim' in source ? 'stim' : 'openqasm3';
    textSource.value = source;
    shownColumns.value = undefined;
  });
}

/**
 * Why the text in the editor is neither the circuit that is drawn nor the source, in a sentence: it has a fault, or is
 * still being read. Undefined while text and circuit agree. A run of the circuit waits for that.
 */
export const unreadText = signal<string | undefined>(undefined);

/**
 * Makes a circuit the present one.
 *
 * @param name - Edits of the same name in a row are undone together.
 */
export function edit(next: EditedCircuit, name?: string): void {
  const { past, present, name: last } = history.value;
  if (next === present) return;
  const isSame = name !== undefined && name === last;
  const kept = isSame ? past : [...past, present].slice(-MAX_HISTORY);
  show({ past: kept, present: next, future: [], name });
}

/** Shows the present circuit of a history. */
function show(next: History): void {
  batch(() => {
    history.value = next;
    textSource.value = undefined;
    tidy();
  });
}

/** Begins anew with a circuit, which can be undone. */
export function open(next: EditedCircuit, values: Readonly<Record<string, number>> = {}): void {
  batch(() => {
    edit(next);
    inputValues.value = values;
    cursor.value = { qubit: 0, column: numColumns(next) };
    selectedId.value = undefined;
    shownColumns.value = undefined;
  });
}

/** Undoes the last edit; in place of a text, the gates before it are the source again. */
export function undo(): void {
  const { past, present, future } = history.value;
  if (textSource.value !== undefined) {
    show(history.value);
    return;
  }
  const previous = past.at(-1);
  if (previous === undefined) return;
  const kept = { past: past.slice(0, -1), future: [present, ...future] };
  show({ ...kept, present: previous, name: undefined });
}

export function redo(): void {
  const { past, present, future } = history.value;
  const [next, ...rest] = future;
  if (next === undefined) return;
  show({ past: [...past, present], present: next, future: rest, name: undefined });
}

/** Keeps cursor and selection within the circuit. */
function tidy(): void {
  const { numQubits, steps } = circuit.value;
  const { qubit, column } = cursor.value;
  const last = numColumns(circuit.value);
  if (qubit >= numQubits || column > last) {
    cursor.value = { qubit: Math.min(qubit, numQubits - 1), column: Math.min(column, last) };
  }
  if (!steps.some(({ id }) => id === selectedId.value)) selectedId.value = undefined;
  const shown = shownColumns.value;
  if (shown !== undefined && shown >= last) shownColumns.value = undefined;
  columnRange.value = undefined;
}

/** Moves the cursor and selects the gate there, if there is one. */
export function goToCell(qubit: number, column: number): void {
  const { numQubits } = circuit.value;
  const at = {
    qubit: Math.max(0, Math.min(numQubits - 1, qubit)),
    column: Math.max(0, Math.min(numColumns(circuit.value), column)),
  };
  batch(() => {
    cursor.value = at;
    selectedId.value = stepAt(circuit.value, at.qubit, at.column)?.id;
    columnRange.value = undefined;
  });
}

/** Selects the columns from the cursor's to this one; the cursor goes there when the selection begins with it. */
export function selectColumnsTo(column: number): void {
  const last = Math.max(0, numColumns(circuit.value) - 1);
  const within = (each: number) => Math.max(0, Math.min(last, each));
  batch(() => {
    const anchor = columnRange.value?.anchor ?? within(cursor.value.column);
    const head = within(column);
    selectedId.value = undefined;
    columnRange.value = { anchor, head };
    cursor.value = { ...cursor.value, column: head };
  });
}

/** Selects one more column to the left or right of the selection, or the cursor's column. */
export function extendColumns(by: -1 | 1): void {
  const range = columnRange.value;
  selectColumnsTo(range === undefined ? cursor.value.column : range.head + by);
}

/**
 * A gate of the palette on the wires from a qubit on; a controlled one has its control there and its target below, or
 * above if there is no wire below. Qubits are added if the circuit has too few.
 */
function newStep(gate: PaletteGate, qubit: number): Omit<Step, 'id'> {
  const { numQubits } = circuit.value;
  const { name, numTargets, numControls = 0, angles } = gate;
  const width = numTargets + numControls;
  if (numTargets === 0) {
    return { name, controls: [], targets: wires(0, numQubits), angles: {} };
  }
  const first = Math.max(0, Math.min(qubit, Math.max(numQubits, width) - width));
  // The control stays where the cursor is, also on the last wire.
  const all = wires(first, width);
  const on = numControls > 0 && first < qubit ? all.toReversed() : all;
  const controls = on.slice(0, numControls);
  const targets = on.slice(numControls);
  return {
    name,
    controls,
    targets: name === 'SWAP' || numTargets > 1 ? targets.toSorted((a, b) => a - b) : targets,
    angles: Object.fromEntries(angles.map((angle) => [angle, Math.PI / 2])),
    ...(name === 'M' && { bits: targets }),
    ...(name === 'UNITARY' && {
      matrix: [
        [
          [0, 0],
          [1, 0],
        ],
        [
          [1, 0],
          [0, 0],
        ],
      ],
    }),
  };
}

const wires = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => first + i);

/** Inserts a gate of the palette, selects it, and moves the cursor behind it. */
export function insertGate(gate: PaletteGate, { qubit, column } = cursor.value): void {
  const step = newStep(gate, qubit);
  const before = new Set(circuit.value.steps.map(({ id }) => id));
  batch(() => {
    edit(insertSteps(circuit.value, column, [step]));
    const at = circuit.value.steps.findIndex(({ id }) => !before.has(id));
    const added = circuit.value.steps[at];
    if (added === undefined) return;
    selectedId.value = added.id;
    shownColumns.value = undefined;
    cursor.value = { qubit, column: (columnsOf(circuit.value)[at] ?? 0) + 1 };
  });
}

/** Takes the selected gate out, or the gates of the selected columns. */
export function removeSelected(): void {
  const ids = selectedSteps().map(({ id }) => id);
  if (ids.length > 0) edit(removeSteps(circuit.value, ids));
}

/** The gates of the selected columns, or the selected gate. */
function selectedSteps(): readonly Step[] {
  const range = selectedColumns.value;
  const one = selected.value;
  if (range === undefined) return one === undefined ? [] : [one];
  const columns = columnsOf(circuit.value);
  return circuit.value.steps.filter((_, index) => {
    const column = columns[index] ?? -1;
    return range.first <= column && column <= range.last;
  });
}

/** Sets the value of an input. */
export function setInput(name: string, value: number): void {
  inputValues.value = { ...inputValues.value, [name]: value };
}

/** Sets the value of an input of the text that is the source. */
export function setTextInput(name: string, value: number | boolean): void {
  const text = textSource.value;
  if (text !== undefined && 'qasm' in text) {
    textSource.value = { ...text, inputs: { ...text.inputs, [name]: value } };
  }
}

/** Copied gates, and the number of their columns. */
const copied = signal<{ readonly steps: readonly Step[]; readonly numColumns: number }>({
  steps: [],
  numColumns: 1,
});

/** Copies the selected columns or gate, or else the gates of the cursor's column. @returns Number of gates. */
export function copyColumns(): number {
  if (selected.value === undefined && columnRange.value === undefined) {
    const { column } = cursor.value;
    columnRange.value = { anchor: column, head: column };
  }
  const { first, last } = selectedColumns.value ?? { first: 0, last: 0 };
  copied.value = { steps: selectedSteps(), numColumns: last - first + 1 };
  return copied.value.steps.length;
}

/** Cuts the selected gates. @returns Number of gates. */
export function cutColumns(): number {
  const count = copyColumns();
  const first = selectedColumns.value?.first;
  batch(() => {
    removeSelected();
    if (first !== undefined) goToCell(cursor.value.qubit, first);
  });
  return count;
}

/** Inserts the copied gates at the cursor. A single gate moves to the cursor's wire if it fits there. */
export function paste(): number {
  const { steps, numColumns: width } = copied.value;
  const [one] = steps;
  if (one === undefined) return 0;
  const { qubit, column } = cursor.value;
  const { first, last } = spanOf(one);
  const isAlone = steps.length === 1 && one.name !== 'BARRIER';
  const by = isAlone ? Math.min(qubit, circuit.value.numQubits - 1 - (last - first)) - first : 0;
  const moved = steps.map((step) => onQubits(step, (each) => each + by));
  batch(() => {
    edit(insertSteps(circuit.value, column, moved));
    cursor.value = { qubit, column: Math.min(numColumns(circuit.value), column + width) };
  });
  return moved.length;
}
