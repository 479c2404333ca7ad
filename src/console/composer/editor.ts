/** State of the composer: the circuit with its history, the cursor, the selection, and values of inputs. */

import { batch, computed, signal } from '@preact/signals';
import type { TextSource } from '../live-state/messages.ts';
import { stepWords } from './circuit-words.ts';
import {
  columnsOf,
  type EditedCircuit,
  EMPTY,
  insertSteps,
  MAX_QUBITS,
  moveStep,
  numColumns,
  onQubits,
  removeSteps,
  replaceStep,
  type Step,
  spanOf,
  stepAt,
  withQubit,
} from './edited-circuit.ts';
import type { PaletteGate } from './gate-table.ts';
import { gatesOf, type SharedCircuit } from './permalink.ts';
import { changed, formOf, opened, redone, sourceOf, textOf, undone, type Work } from './work.ts';

/** What is edited, and its history. */
export const work = signal<Work>({ past: [], present: { circuit: EMPTY }, future: [] });

/** The circuit. */
export const circuit = computed(() => work.value.present.circuit);
/**
 * A text that is the source in place of gates, which cannot express it: OpenQASM that computes with measured bits or with
 * inputs, with values of all these, or a text in Stim's format with more than gates. Undefined while the gates are the
 * source. The gates of before are then not shown.
 */
export const textSource = computed(() => {
  const { text } = work.value.present;
  return text?.isDrawn === false ? text.source : undefined;
});
/** A text that is neither the circuit that is drawn nor the source. */
export const draft = computed(() => work.value.draft);
export const canUndo = computed(() => work.value.past.length > 0 || draft.value !== undefined);
export const canRedo = computed(() => work.value.future.length > 0);
/** Why nothing can be run, in a sentence; undefined while text and drawing are in step. */
export const hindrance = computed(() => {
  if (draft.value === undefined) return undefined;
  if (draft.value.fault === undefined) return 'The text has changed and is being read.';
  const shown = textSource.value === undefined ? ', so what is shown is the circuit before it' : '';
  return `The text has a fault${shown}. Mend the text, or undo.`;
});

const chosenLanguage = signal<'openqasm3' | 'stim'>('openqasm3');
/** Language of the editor: of the text that is there, or the chosen one, in which the gates are written. */
export const language = computed(() => {
  const source = draft.value?.source ?? textSource.value;
  return source === undefined ? chosenLanguage.value : formOf(source);
});

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
/** Values of the circuit's inputs. */
export const inputs = computed(() => gateSource.value.inputs ?? {});
/** The circuit as the API takes it, with the values of its inputs. */
export const gateSource = computed<SharedCircuit>(() => gatesOf(work.value.present));

/** Writes the gates, or reads the text that is not read yet, in a language. */
export function chooseLanguage(form: 'openqasm3' | 'stim'): void {
  const { draft: now, ...inStep } = work.value;
  batch(() => {
    chosenLanguage.value = form;
    if (now === undefined) return;
    work.value = { ...inStep, draft: { source: sourceOf(form, textOf(now.source)) } };
  });
}

/** Makes what was edited another value. */
export function show(next: Work): void {
  batch(() => {
    work.value = next;
    tidy();
  });
}

/** Makes a text the source. */
export function openText(source: TextSource): void {
  const { circuit: before, values } = work.value.present;
  restore(opened(work.value, { circuit: before, values, text: { source, isDrawn: false } }));
}

/**
 * Makes a circuit the present one.
 *
 * @param name - Edits of the same name in a row are undone together.
 */
export function edit(next: EditedCircuit, name?: string): void {
  const { circuit: now, values } = work.value.present;
  if (next !== now) show(changed(work.value, { circuit: next, values }, name));
}

/** Begins anew with a circuit, which can be undone. */
export function open(next: EditedCircuit, values: Readonly<Record<string, number>> = {}): void {
  restore(opened(work.value, { circuit: next, values }));
}

/** Goes on with what was kept, from its end. */
export function restore(next: Work): void {
  batch(() => {
    show(next);
    const { text, circuit: now } = next.present;
    if (text !== undefined) chosenLanguage.value = formOf(text.source);
    cursor.value = { qubit: 0, column: numColumns(now) };
    selectedId.value = undefined;
    shownColumns.value = undefined;
  });
}

/** Undoes the last edit, or what was typed since text and drawing were in step. */
export const undo = (): void => show(undone(work.value));
export const redo = (): void => show(redone(work.value));

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

/** A place of the grid. One wire below the others is a new one. */
export interface Place {
  readonly qubit: number;
  readonly column: number;
}

/** A circuit after a gate has landed in it, and where it is then. */
export interface Landing {
  readonly circuit: EditedCircuit;
  readonly step: Step;
  readonly column: number;
}

function landing(next: EditedCircuit, isIt: (step: Step) => boolean): Landing | undefined {
  const at = next.steps.findIndex(isIt);
  const step = next.steps[at];
  return step && { circuit: next, step, column: columnsOf(next)[at] ?? 0 };
}

/**
 * A gate of the palette on the wires from a place down: a controlled one has its control there. Wires are added if there
 * are too few below.
 */
export function landNew(gate: PaletteGate, { qubit, column }: Place): Landing | undefined {
  const now = circuit.value;
  const { name, numTargets, numControls = 0, angles } = gate;
  const width = numTargets + numControls;
  const on =
    numTargets === 0 ? wires(0, now.numQubits) : wires(Math.min(qubit, MAX_QUBITS - width), width);
  const targets = on.slice(numControls);
  const step: Omit<Step, 'id'> = {
    name,
    controls: on.slice(0, numControls),
    targets,
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
  const before = new Set(now.steps.map(({ id }) => id));
  return landing(insertSteps(now, column, [step]), ({ id }) => !before.has(id));
}

const wires = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => first + i);

/** A gate of the circuit, taken by one of its qubits to a place; by one of its controls, this control alone moves. */
export function landMoved(id: number, from: number, { qubit, column }: Place): Landing | undefined {
  const now = circuit.value;
  const step = now.steps.find((each) => each.id === id);
  if (step === undefined) return undefined;
  if (step.controls.includes(from)) {
    const moved = withQubit(step, from, qubit);
    return landing(moved === undefined ? now : replaceStep(now, moved), (each) => each.id === id);
  }
  const by = Math.max(-spanOf(step).first, qubit - from);
  return landing(moveStep(now, id, column, by), (each) => each.id === id);
}

/** What screen readers are told of the last edit or move. */
export const said = signal('');

/** Inserts a gate of the palette, selects it, and moves the cursor behind it. */
export function insertGate(gate: PaletteGate, place: Place = cursor.value): void {
  const landed = landNew(gate, place);
  if (landed === undefined) return;
  const { step, column } = landed;
  batch(() => {
    edit(landed.circuit);
    selectedId.value = step.id;
    shownColumns.value = undefined;
    cursor.value = { qubit: place.qubit, column: column + 1 };
    said.value = `${stepWords(step)}, inserted in column ${column + 1}`;
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
  const { present } = work.value;
  work.value = {
    ...work.value,
    present: { ...present, values: { ...present.values, [name]: value } },
  };
}

/** Sets the value of an input of the text that is the source. */
export function setTextInput(name: string, value: number | boolean): void {
  const text = textSource.value;
  if (text === undefined || !('qasm' in text)) return;
  const source = { ...text, inputs: { ...text.inputs, [name]: value } };
  const { present } = work.value;
  work.value = { ...work.value, present: { ...present, text: { source, isDrawn: false } } };
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
