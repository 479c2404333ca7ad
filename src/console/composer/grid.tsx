/** The circuit to be edited: by mouse and touch, and by keys. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { CircuitDrawing } from '../drawing/circuit-drawing.tsx';
import {
  type CircuitLayout,
  columnAt,
  type DrawnGate,
  layoutCircuit,
  type PlacedGate,
  qubitAt,
  ROW,
} from '../drawing/circuit-layout.ts';
import { cellWords, circuitWords, columnsInWords, drawnGates } from './circuit-words.ts';
import {
  moveStep,
  numColumns,
  replaceStep,
  spanOf,
  takesControls,
  withControlOn,
  withControls,
  withQubit,
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
  paste,
  redo,
  removeSelected,
  selectColumnsTo,
  selected,
  selectedColumns,
  selectedId,
  shownColumns,
  undo,
} from './editor.ts';
import { gateOfKey } from './gate-table.ts';
import { gateFaults } from './live.ts';

/** Columns beyond the last gate. */
const FREE_COLUMNS = 3;
/** Pixels that a pointer moves before it drags. */
const DRAG_FROM = 4;

/** Layout of the circuit with gates of a look of their own, and free columns behind them. */
export function gridLayout(gates: readonly DrawnGate[]): CircuitLayout {
  const now = circuit.value;
  return layoutCircuit(now.numQubits, gates, {
    isGrid: true,
    minColumns: numColumns(now) + FREE_COLUMNS,
  });
}

interface Drag {
  readonly id: number;
  /** Qubit of the control that is dragged; undefined for the whole gate. */
  readonly control: number | undefined;
  readonly from: { readonly qubit: number; readonly x: number; readonly y: number };
  readonly isMoving: boolean;
  readonly qubit: number;
  readonly column: number;
}

interface GridProps {
  readonly onHelp: () => void;
  readonly onAngles: () => void;
}

/** The grid. `onHelp` opens the list of keys, `onAngles` goes to the fields of the selected gate. */
export function Grid(props: GridProps) {
  const host = useRef<HTMLDivElement>(null);
  const said = useSignal('');
  const layout = useComputed(() => {
    const now = circuit.value;
    const shown = shownColumns.value;
    const gates = drawnGates(now, ({ id }, column) => {
      const isLater = shown !== undefined && column >= shown;
      return [
        id === selectedId.value ? 'selected' : '',
        isLater ? 'later' : '',
        gateFaults.value.has(id) ? 'faulty' : '',
      ].join(' ');
    });
    return gridLayout(gates);
  });
  const { columns, height } = layout.value;
  const { drag, begin, move, end, cancel } = usePointer(host, layout);
  const press = (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey;
    const done = isCommand ? command(event) : plainKey(event, layout.value, props);
    if (!done) return;
    event.preventDefault();
    const range = selectedColumns.value;
    said.value =
      range === undefined
        ? cellWords(circuit.value, cursor.value.qubit, cursor.value.column)
        : `${columnsInWords(range)} selected`;
  };
  return (
    <div
      class="grid-host scroll"
      ref={host}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={cancel}
    >
      <CircuitDrawing
        layout={layout.value}
        label={`${circuitWords(circuit.value)}. Arrow keys move the cursor, letters insert gates, question mark lists the keys.`}
        role="application"
        aria-describedby="composer-cell"
        tabindex={0}
        id="composer-grid"
        onKeyDown={press}
        onPointerDown={(event: PointerEvent) => begin(event)}
        gateProps={(placed) => ({
          onPointerDown: (event: PointerEvent) => begin(event, placed),
          'data-id': placed.gate.id,
        })}
        below={<Underlay columns={columns} height={height} />}
      >
        <DropMark columns={columns} drag={drag.value} />
        {stepLine(columns, height)}
      </CircuitDrawing>
      <p id="composer-cell" class="unseen" role="status">
        {said.value}
      </p>
    </div>
  );
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
          y={ROW * qubit + 42 - ROW / 2 + 3}
          width={centre.width - 4}
          height={ROW - 6}
          rx="9"
          class="cursor"
        />
      )}
    </>
  );
}

/** Mark of the place where a dragged gate would land. */
function DropMark({
  columns,
  drag,
}: {
  readonly columns: CircuitLayout['columns'];
  readonly drag: Drag | undefined;
}) {
  const target = drag?.isMoving === true ? columns[drag.column] : undefined;
  if (target === undefined || drag === undefined) return null;
  return (
    <rect
      x={target.x - target.width / 2}
      y={ROW * drag.qubit + 42 - ROW / 2}
      width={target.width}
      height={ROW}
      rx="9"
      class="drop"
    />
  );
}

/** Dragging gates and selecting columns by a pointer. */
function usePointer(host: RefObject<HTMLDivElement | null>, layout: ReadonlySignal<CircuitLayout>) {
  const drag = useSignal<Drag | undefined>(undefined);
  /** Column where a mouse went down beside the gates: it selects columns from there. */
  const sweepFrom = useSignal<number | undefined>(undefined);

  /** Place of the grid under a pointer. */
  const placeOf = (event: PointerEvent) => {
    const box = host.current?.querySelector('svg')?.getBoundingClientRect();
    const x = event.clientX - (box?.left ?? 0);
    const y = event.clientY - (box?.top ?? 0);
    return { x, y, qubit: qubitAt(layout.value, y), column: columnAt(layout.value, x) };
  };
  const begin = (event: PointerEvent, placed?: PlacedGate) => {
    if (event.button !== 0) return;
    const at = placeOf(event);
    if (at.qubit === undefined) return;
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
    const { gate } = placed;
    selectedId.value = gate.id;
    const isControl = gate.controls.includes(at.qubit);
    host.current?.setPointerCapture(event.pointerId);
    drag.value = {
      id: gate.id,
      control: isControl ? at.qubit : undefined,
      from: { qubit: at.qubit, x: at.x, y: at.y },
      isMoving: false,
      qubit: at.qubit,
      column: gate.column,
    };
  };
  const move = (event: PointerEvent) => {
    const now = drag.value;
    const at = placeOf(event);
    const isSweep = sweepFrom.value !== undefined && at.column !== sweepFrom.value;
    if (isSweep || (sweepFrom.value !== undefined && selectedColumns.value !== undefined)) {
      selectColumnsTo(at.column);
    }
    if (now === undefined) return;
    const far = Math.hypot(at.x - now.from.x, at.y - now.from.y) > DRAG_FROM;
    if (!now.isMoving && !far) return;
    drag.value = { ...now, isMoving: true, qubit: at.qubit ?? now.qubit, column: at.column };
  };
  const end = () => {
    const now = drag.value;
    drag.value = undefined;
    sweepFrom.value = undefined;
    if (now === undefined || !now.isMoving) return;
    const step = circuit.value.steps.find(({ id }) => id === now.id);
    if (step === undefined) return;
    if (now.control !== undefined) {
      const moved = withQubit(step, now.control, now.qubit);
      if (moved !== undefined) edit(replaceStep(circuit.value, moved));
      return;
    }
    const { first, last } = spanOf(step);
    const wires = Math.max(
      -first,
      Math.min(circuit.value.numQubits - 1 - last, now.qubit - now.from.qubit),
    );
    edit(moveStep(circuit.value, now.id, now.column, wires));
  };
  const cancel = () => {
    drag.value = undefined;
    sweepFrom.value = undefined;
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
      // A gate that leaves its column to the right goes behind the gates of the next one.
      edit(moveStep(circuit.value, one.id, from + (wide > 0 ? 2 : wide), qubits));
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
