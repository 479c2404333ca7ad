/** Gates to choose from: a press inserts one at the cursor, a mouse drags it into the circuit. */

import { useSignal } from '@preact/signals';
import { columnAt, qubitAt } from '../drawing/circuit-layout.ts';
import { drawnGates } from './circuit-words.ts';
import { circuit, insertGate } from './editor.ts';
import { PALETTE, type PaletteGate, paletteName } from './gate-table.ts';
import { gridLayout } from './grid.tsx';

const DRAG_FROM = 5;

export function Palette() {
  const search = useSignal('');
  const dragged = useSignal<
    { readonly name: string; readonly x: number; readonly y: number } | undefined
  >(undefined);
  const text = search.value.trim().toLowerCase();
  const groups = PALETTE.map(({ title, gates }) => ({
    title,
    gates: gates.filter(
      (gate) =>
        paletteName(gate).toLowerCase().includes(text) || gate.summary.toLowerCase().includes(text),
    ),
  })).filter(({ gates }) => gates.length > 0);

  const begin = (event: PointerEvent, gate: PaletteGate) => {
    if (event.pointerType === 'touch' || event.button !== 0) return;
    const from = { x: event.clientX, y: event.clientY };
    const move = (next: PointerEvent) => {
      const far = Math.hypot(next.clientX - from.x, next.clientY - from.y) > DRAG_FROM;
      if (dragged.value === undefined && !far) return;
      dragged.value = { name: paletteName(gate), x: next.clientX, y: next.clientY };
    };
    const end = (next: PointerEvent) => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
      if (dragged.value !== undefined && next.type === 'pointerup') dropGate(gate, next);
      // The click that follows a drag inserts nothing.
      setTimeout(() => {
        dragged.value = undefined;
      });
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
  };

  return (
    <section class="card palette" aria-label="Gates">
      <div class="head">
        <h2>Gates</h2>
        <input
          type="search"
          placeholder="Find a gate"
          aria-label="Find a gate"
          value={search.value}
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
          }}
        />
      </div>
      {groups.map(({ title, gates }) => (
        <div key={title} class="palette-group">
          <h3>{title}</h3>
          <div class="palette-gates">
            {gates.map((gate) => (
              <button
                key={paletteName(gate) + gate.numTargets}
                type="button"
                class="palette-gate"
                title={`${gate.summary}${gate.key === undefined ? '' : ` (key ${gate.key})`}`}
                aria-label={`${paletteName(gate)}: ${gate.summary}`}
                onPointerDown={(event) => begin(event, gate)}
                onClick={() => {
                  if (dragged.value === undefined) insertGate(gate);
                }}
              >
                {paletteName(gate)}
              </button>
            ))}
          </div>
        </div>
      ))}
      {groups.length === 0 && <p class="note">No gate is called that.</p>}
      {dragged.value !== undefined && (
        <div class="ghost" style={{ left: `${dragged.value.x}px`, top: `${dragged.value.y}px` }}>
          {dragged.value.name}
        </div>
      )}
    </section>
  );
}

/** Inserts a gate of the palette where a pointer let go of it over the grid. @returns False elsewhere. */
function dropGate(gate: PaletteGate, event: PointerEvent): boolean {
  const grid = document.getElementById('composer-grid');
  const box = grid?.getBoundingClientRect();
  if (box === undefined || grid === null) return false;
  const isInside =
    event.clientX >= box.left &&
    event.clientX <= box.right &&
    event.clientY >= box.top &&
    event.clientY <= box.bottom;
  if (!isInside) return false;
  const layout = gridLayout(drawnGates(circuit.value, () => ''));
  const qubit = qubitAt(layout, event.clientY - box.top);
  if (qubit === undefined) return false;
  const column = columnAt(layout, event.clientX - box.left);
  insertGate(gate, { qubit, column });
  return true;
}
