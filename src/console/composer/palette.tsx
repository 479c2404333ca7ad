/** Gates to choose from: a press inserts one at the cursor, a mouse drags it into the circuit. One stop of the Tab key. */

import { useSignal } from '@preact/signals';
import { insertGate, landNew, type Place } from './editor.ts';
import { PALETTE, type PaletteGate, paletteName } from './gate-table.ts';
import { landed, placeAt } from './grid.tsx';

const DRAG_FROM = 5;

export function Palette() {
  const search = useSignal('');
  /** Number of the gate that Tab reaches, among those that are shown. */
  const reached = useSignal(0);
  const dragged = useSignal<
    { readonly name: string; readonly x: number; readonly y: number } | undefined
  >(undefined);
  const text = search.value.trim().toLowerCase();
  let numShown = 0;
  const groups = PALETTE.map(({ title, family, gates }) => ({
    title,
    family,
    gates: gates
      .filter(
        (gate) =>
          paletteName(gate).toLowerCase().includes(text) ||
          gate.summary.toLowerCase().includes(text),
      )
      .map((gate) => ({ gate, number: numShown++ })),
  })).filter(({ gates }) => gates.length > 0);
  const tabbed = Math.min(reached.value, numShown - 1);

  const begin = (event: PointerEvent, gate: PaletteGate) => {
    if (event.pointerType === 'touch' || event.button !== 0) return;
    const from = { x: event.clientX, y: event.clientY };
    let place: Place | undefined;
    const move = (next: PointerEvent) => {
      const far = Math.hypot(next.clientX - from.x, next.clientY - from.y) > DRAG_FROM;
      if (dragged.value === undefined && !far) return;
      dragged.value = { name: paletteName(gate), x: next.clientX, y: next.clientY };
      place = placeAt(next);
      landed.value = place && landNew(gate, place);
    };
    const end = (next: PointerEvent) => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
      landed.value = undefined;
      if (place !== undefined && next.type === 'pointerup') insertGate(gate, place);
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
      <div role="toolbar" aria-label="Gates, by arrow keys" onKeyDown={goToNext}>
        {groups.map(({ title, family, gates }) => (
          <div key={title} class="palette-group">
            <h3>{title}</h3>
            <div class="palette-gates">
              {gates.map(({ gate, number }) => (
                <button
                  key={paletteName(gate) + gate.numTargets}
                  type="button"
                  class={`palette-gate ${family}`}
                  tabIndex={number === tabbed ? 0 : -1}
                  title={`${gate.summary}${gate.key === undefined ? '' : ` (key ${gate.key})`}`}
                  aria-label={`${paletteName(gate)}: ${gate.summary}`}
                  onPointerDown={(event) => begin(event, gate)}
                  onFocus={() => {
                    reached.value = number;
                  }}
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
      </div>
      {groups.length === 0 && <p class="note">No gate is called that.</p>}
      {dragged.value !== undefined && (
        <div class="ghost" style={{ left: `${dragged.value.x}px`, top: `${dragged.value.y}px` }}>
          {dragged.value.name}
        </div>
      )}
    </section>
  );
}

/** Focuses the next gate in the direction of a key: to the sides by order, up and down by place. */
function goToNext(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const { key, currentTarget, target } = event;
  const all: HTMLElement[] = [...currentTarget.querySelectorAll<HTMLElement>('.palette-gate')];
  const at = target instanceof HTMLElement ? all.indexOf(target) : -1;
  const here = all[at]?.getBoundingClientRect();
  if (here === undefined) return;
  const towards = { ArrowUp: -1, ArrowDown: 1 }[key];
  const nearest = () =>
    all
      .map((each) => ({ each, box: each.getBoundingClientRect() }))
      .map(({ each, box }) => ({
        each,
        down: (box.top - here.top) * (towards ?? 0),
        aside: Math.abs(box.left - here.left),
      }))
      .filter(({ down }) => down > here.height / 2)
      .sort((a, b) => a.down - b.down || a.aside - b.aside)[0]?.each;
  const numbers: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: all.length - 1,
  };
  const next = towards === undefined ? all[numbers[key] ?? -1] : nearest();
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
