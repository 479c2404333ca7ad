/** The circuit to be edited: by mouse and touch, and by keys. */
import { batch, computed, signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { CircuitDrawing } from '../drawing/circuit-drawing.tsx';
import {
  type CircuitLayout,
  columnAt,
  layoutCircuit,
  type PlacedGate,
  qubitAt,
  ROW,
  wireAt,
} from '../drawing/circuit-layout.ts';
import { useWidth } from '../drawing/use-width.ts';
import { cellWords, circuitWords, columnsInWords, drawnGates, stepWords } from './circuit-words.ts';
import {
  MAX_QUBITS,
  moveStep,
  numColumns,
  replaceStep,
  spanOf,
  takesControls,
  withControlOn,
  withControls,
} from './edited-circuit.ts';
import {
  circuit,
  copyColumns,
  cursor,
  cutColumns,
  edit,
  extendColumns,
  goToCell,
  insertGate,
  type Landing,
  landMoved,
  type Place,
  paste,
  redo,
  removeSelected,
  said,
  selectColumnsTo,
  selected,
  selectedColumns,
  selectedId,
  shownColumns,
  undo,
} from './editor.ts';
import { gateOfKey } from './gate-table.ts';
import { displayed, gateFaults } from './live.ts';

/** Columns beyond the last gate. */
const FREE_COLUMNS = 3;
/** Pixels that a pointer moves before it drags. */
const DRAG_FROM = 4;

/** Pixels outside of the grid where a gate still lands in it. */
const REACH = 12;

/** Width of the grid's place. */
const room = signal(0);

/** Layout of the circuit, with free columns behind its gates. */
const layout = computed(() => {
  const now = circuit.value;
  const shown = shownColumns.value;
  const gates = drawnGates(
    now,
    ({ id }, column) => {
      const isLater = shown !== undefined && column >= shown;
      return [
        id === selectedId.value ? 'selected' : '',
        isLater ? 'later' : '',
        gateFaults.value.has(id) ? 'faulty' : '',
      ].join(' ');
    },
    displayed.value,
  );
  return layoutCircuit(now.numQubits, gates, {
    isGrid: true,
    room: room.value,
    minColumns: numColumns(now) + FREE_COLUMNS,
  });
});

/** Where the gate that is dragged would land; undefined where nothing is dragged, or outside of the grid. */
export const landed = signal<Landing | undefined>(undefined);

/** Place of the grid under a pointer, on a new wire or in a free column beside the others; undefined outside of it. */
export function placeAt({ clientX, clientY }: PointerEvent): Place | undefined {
  const drawing = document.getElementById('composer-grid')?.getBoundingClientRect();
  const host = document.querySelector('.grid-host')?.getBoundingClientRect();
  if (drawing === undefined || host === undefined) return undefined;
  const isInside =
    clientX >= host.left - REACH &&
    clientX <= host.right + REACH &&
    clientY >= host.top - REACH &&
    clientY <= host.bottom + REACH;
  if (!isInside) return undefined;
  const lowest = Math.min(circuit.value.numQubits, MAX_QUBITS - 1);
  return {
    qubit: Math.max(0, Math.min(lowest, qubitAt(clientY - drawing.top))),
    column: columnAt(layout.value, clientX - drawing.left),
  };
}

interface Drag {
  readonly id: number;
  readonly from: { readonly qubit: number; readonly x: number; readonly y: number };
  readonly isMoving: boolean;
}

interface GridProps {
  readonly onHelp: () => void;
  readonly onAngles: () => void;
}

/** The grid. `onHelp` opens the list of keys, `onAngles` goes to the fields of the selected gate. */
export function Grid(props: GridProps) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  useLayoutEffect(() => {
    room.value = width;
  }, [width]);
  const { columns, height } = layout.value;
  const { drag, begin, move, end, cancel } = usePointer(host);
  useKeys(props);
  const isDragging = drag.value?.isMoving === true || landed.value !== undefined;
  const isLeaving = drag.value?.isMoving === true && landed.value === undefined;
  return (
    <div
      class={`grid-host scroll ${isLeaving ? 'leaving' : ''}`}
      ref={host}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={cancel}
    >
      <CircuitDrawing
        layout={isDragging ? { ...layout.value, height: height + ROW } : layout.value}
        label={`${circuitWords(circuit.value)}. Arrow keys move the cursor, letters insert gates, question mark lists the keys.`}
        role="application"
        aria-describedby="composer-cell"
        tabindex={0}
        id="composer-grid"
        onPointerDown={(event: PointerEvent) => begin(event)}
        gateProps={(placed) => ({
          onPointerDown: (event: PointerEvent) => begin(event, placed),
          'data-id': placed.gate.id,
        })}
        below={<Underlay columns={columns} height={height} />}
      >
        {landed.value !== undefined && <DropMark landing={landed.value} />}
        {stepLine(columns, height)}
      </CircuitDrawing>
      <p id="composer-cell" class="unseen" role="status">
        {said.value}
      </p>
    </div>
  );
}

const LETTERS = 'qcs-letters';
/** Whether letters insert gates wherever the focus is, except in a text; else in the grid alone. */
const areLettersEverywhere = signal(localStorage.getItem(LETTERS) !== 'grid');

/** Turns letters outside of the grid off, for those whom they are in the way of. */
export function LettersSwitch() {
  return (
    <label>
      <input
        type="checkbox"
        checked={areLettersEverywhere.value}
        onChange={({ currentTarget }) => {
          areLettersEverywhere.value = currentTarget.checked;
          localStorage.setItem(LETTERS, currentTarget.checked ? 'page' : 'grid');
        }}
      />{' '}
      Letters work on the whole page, except in a text
    </label>
  );
}

/** Keys of the grid; letters and commands also work elsewhere on the page, except where a text is typed. */
function useKeys(props: GridProps): void {
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      const grid = document.getElementById('composer-grid');
      if (event.defaultPrevented || !(target instanceof Element) || grid === null) return;
      if (target.closest('input, select, textarea, dialog, .editor') !== null) return;
      const before = said.value;
      if (!pressed(event, target === grid, latest.current)) return;
      event.preventDefault();
      const range = selectedColumns.value;
      if (said.value !== before) return;
      said.value =
        range === undefined
          ? cellWords(circuit.value, cursor.value.qubit, cursor.value.column, displayed.value)
          : `${columnsInWords(range)} selected`;
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** Does what a key is for; false for a key that is for nothing. */
function pressed(event: KeyboardEvent, isInGrid: boolean, props: GridProps): boolean {
  if (event.altKey) return false;
  if (event.ctrlKey || event.metaKey) {
    // What is selected on the page is copied, not the gates.
    const hasSelection = !isInGrid && document.getSelection()?.isCollapsed === false;
    return !hasSelection && command(event);
  }
  if (!isInGrid && (event.key.length > 1 || !areLettersEverywhere.value)) {
    return /^(?:Delete|Backspace)$/.test(event.key) && plainKey(event, layout.value, props);
  }
  // On a button, the space bar presses it.
  return event.key !== ' ' && plainKey(event, layout.value, props);
}

/** Layer below the gates: the steps that are applied, the selected columns, the cursor. */
function Underlay({
  columns,
  height,
}: {
  readonly columns: CircuitLayout['columns'];
  readonly height: number;
}) {
  const { qubit, column } = cursor.value;
  const range = selectedColumns.value;
  const centre = columns[column];
  return (
    <>
      {shownColumns.value !== undefined && (
        <rect
          x={0}
          y={0}
          width={edgeOf(columns, shownColumns.value)}
          height={height}
          class="applied"
        />
      )}
      {range !== undefined && (
        <rect
          x={edgeOf(columns, range.first)}
          y={0}
          width={edgeOf(columns, range.last + 1) - edgeOf(columns, range.first)}
          height={height}
          class="range"
        />
      )}
      {centre !== undefined && (
        <rect
          x={centre.x - centre.width / 2 + 2}
          y={wireAt(qubit) - ROW / 2 + 3}
          width={centre.width - 4}
          height={ROW - 6}
          rx="9"
          class="cursor"
        />
      )}
    </>
  );
}

/** Mark of the wires and the column where a dragged gate would land, and the wire that would be added. */
function DropMark({ landing: { circuit: next, step, column } }: { readonly landing: Landing }) {
  const { columns, left, right } = layout.value;
  const target = columns[column];
  if (target === undefined) return null;
  const { first, last } = spanOf(step);
  const isAdded = next.numQubits > circuit.value.numQubits;
  return (
    <>
      {isAdded && (
        <line
          x1={left}
          x2={right}
          y1={wireAt(next.numQubits - 1)}
          y2={wireAt(next.numQubits - 1)}
          class="wire added"
        />
      )}
      <rect
        x={target.x - target.width / 2}
        y={wireAt(first) - ROW / 2}
        width={target.width}
        height={ROW * (last - first + 1)}
        rx="9"
        class="drop"
      />
    </>
  );
}

/** Dragging gates and selecting columns by a pointer. */
function usePointer(host: RefObject<HTMLDivElement | null>) {
  const drag = useSignal<Drag | undefined>(undefined);
  /** Column where a mouse went down beside the gates: it selects columns from there. */
  const sweepFrom = useSignal<number | undefined>(undefined);

  const begin = (event: PointerEvent, placed?: PlacedGate) => {
    const at = placeAt(event);
    if (event.button !== 0 || at === undefined) return;
    goToCell(at.qubit, at.column);
    if (placed === undefined) {
      // A finger scrolls instead.
      if (event.pointerType === 'mouse') {
        sweepFrom.value = at.column;
        host.current?.setPointerCapture(event.pointerId);
      }
      return;
    }
    event.stopPropagation();
    selectedId.value = placed.gate.id;
    host.current?.setPointerCapture(event.pointerId);
    drag.value = {
      id: placed.gate.id,
      from: { qubit: at.qubit, x: event.clientX, y: event.clientY },
      isMoving: false,
    };
  };
  const move = (event: PointerEvent) => {
    const now = drag.value;
    const at = placeAt(event);
    if (sweepFrom.value !== undefined && at !== undefined) {
      if (at.column !== sweepFrom.value || selectedColumns.value !== undefined) {
        selectColumnsTo(at.column);
      }
    }
    if (now === undefined) return;
    const far = Math.hypot(event.clientX - now.from.x, event.clientY - now.from.y) > DRAG_FROM;
    if (!now.isMoving && !far) return;
    batch(() => {
      drag.value = { ...now, isMoving: true };
      landed.value = at && landMoved(now.id, now.from.qubit, at);
    });
  };
  const end = () => {
    const now = drag.value;
    const to = landed.value;
    cancel();
    if (now === undefined || !now.isMoving) return;
    if (to !== undefined) {
      edit(to.circuit);
      said.value = `${stepWords(to.step)}, moved to column ${to.column + 1}`;
      return;
    }
    // Dragged out, it is deleted.
    selectedId.value = now.id;
    removeSelected();
    said.value = 'The gate is deleted.';
  };
  const cancel = () => {
    batch(() => {
      drag.value = undefined;
      landed.value = undefined;
      sweepFrom.value = undefined;
    });
  };
  return { drag, begin, move, end, cancel };
}

/** Runs the command of a key with Ctrl or Command; false for a key without one. */
function command({ key, shiftKey }: KeyboardEvent): boolean {
  const commands: Readonly<Record<string, () => unknown>> = {
    z: shiftKey ? redo : undo,
    y: redo,
    c: copyColumns,
    x: cutColumns,
    v: paste,
  };
  const towards: Readonly<Record<string, -1 | 1>> = { ArrowLeft: -1, ArrowRight: 1 };
  const by = shiftKey ? towards[key] : undefined;
  if (by !== undefined) {
    extendColumns(by);
    return true;
  }
  const run = commands[key.toLowerCase()];
  run?.();
  return run !== undefined;
}

/** Runs the command of a key by itself; false for a key without one. */
function plainKey(
  { key, shiftKey }: KeyboardEvent,
  { gates }: CircuitLayout,
  { onHelp, onAngles }: GridProps,
): boolean {
  const at = cursor.value;
  const one = selected.value;
  const by = (qubits: number, wide: number) => {
    if (shiftKey && one !== undefined) {
      const found = gates.find(({ gate }) => gate.id === one.id);
      const from = found?.gate.column ?? at.column;
      const isLast = spanOf(one).last === circuit.value.numQubits - 1;
      // A gate that leaves its column to the right goes behind the gates of the next one. Keys add no wires.
      edit(
        moveStep(
          circuit.value,
          one.id,
          from + (wide > 0 ? 2 : wide),
          isLast ? Math.min(0, qubits) : qubits,
        ),
      );
      selectedId.value = one.id;
      return;
    }
    goToCell(at.qubit + qubits, at.column + wide);
  };
  switch (key) {
    case 'ArrowLeft':
      by(0, -1);
      return true;
    case 'ArrowRight':
      by(0, 1);
      return true;
    case 'ArrowUp':
      by(-1, 0);
      return true;
    case 'ArrowDown':
      by(1, 0);
      return true;
    case 'Home':
      goToCell(at.qubit, 0);
      return true;
    case 'End':
      goToCell(at.qubit, numColumns(circuit.value));
      return true;
    case 'Delete':
      removeSelected();
      return true;
    case 'Backspace':
      if (one === undefined && at.column > 0) goToCell(at.qubit, at.column - 1);
      removeSelected();
      return true;
    case 'Enter':
      if (one === undefined) return false;
      onAngles();
      return true;
    case 'Escape':
      if (selectedColumns.value === undefined) return false;
      goToCell(at.qubit, at.column);
      return true;
    case '.':
      return addControl(gates);
    case 'o':
      return flipControl();
    case '?':
      onHelp();
      return true;
    default: {
      const gate = gateOfKey(key.toLowerCase());
      if (gate !== undefined) insertGate(gate);
      return gate !== undefined;
    }
  }
}

/** A control on the cursor's wire for the gate of the column that is nearest to it. */
function addControl(gates: CircuitLayout['gates']): boolean {
  const { qubit: wire, column: at } = cursor.value;
  const near = gates
    .filter(({ gate }) => gate.column === at && takesControls(gate))
    .map(({ gate }) => ({
      gate,
      distance: Math.min(
        ...[...gate.controls, ...gate.targets].map((each) => Math.abs(each - wire)),
      ),
    }))
    .sort((a, b) => a.distance - b.distance)[0];
  const step = circuit.value.steps.find(({ id }) => id === near?.gate.id);
  if (step === undefined || near?.distance === 0) return false;
  edit(replaceStep(circuit.value, withControls(step, [...step.controls, wire])));
  return true;
}

/** Makes the control on the cursor's wire act on 0, or on 1 again. */
function flipControl(): boolean {
  const { qubit: wire } = cursor.value;
  const step = selected.value;
  if (step === undefined || !step.controls.includes(wire)) return false;
  const value = step.open?.includes(wire) === true ? 1 : 0;
  edit(replaceStep(circuit.value, withControlOn(step, wire, value)));
  return true;
}

/** Line at the step whose state is shown. */
function stepLine(
  columns: readonly { readonly x: number; readonly width: number }[],
  height: number,
) {
  const shown = shownColumns.value;
  if (shown === undefined) return null;
  const x = edgeOf(columns, shown);
  return <line x1={x} x2={x} y1={4} y2={height - 4} class="step-line" />;
}

/** Left edge of a column. */
function edgeOf(
  columns: readonly { readonly x: number; readonly width: number }[],
  column: number,
): number {
  const one = columns[column];
  return one === undefined ? 0 : one.x - one.width / 2;
}
