/** The live state: probabilities with phases, Bloch spheres, the density matrix of a pair, amplitudes. */

import { useSignal } from '@preact/signals';
import type { LiveState } from '../live-state/messages.ts';
import { basisLabel, plain } from '../numbers.ts';
import { SelectField } from '../shell/forms.tsx';
import { Table } from '../shell/table.tsx';
import { circuit, draft, shownColumns, textSource } from './editor.ts';
import { isLive, live, liveColumns, liveFailure, pair, seed } from './live.ts';
import { colourOf, StateBars } from './state-bars.tsx';
import {
  blochWords,
  messageOfAnswer,
  phaseText,
  probabilityText,
  stateRows,
} from './state-words.ts';

/** Rows of the table of basis states. */
const MAX_ROWS = 256;

export function StateView() {
  const answer = live.value;
  if (textSource.value !== undefined && draft.value?.fault !== undefined)
    return <None look="note" why="There is none while the text has a fault." />;
  if (liveFailure.value !== undefined) return <None look="notice bad" why={liveFailure.value} />;
  if (answer === undefined) return <None look="note" why="The engine is being loaded." />;
  if (answer.kind === 'state') return <Shown state={answer} />;
  const look = answer.kind === 'refused' ? 'notice bad' : 'notice';
  return <None look={look} why={messageOfAnswer(answer)} />;
}

/** In place of a state that there is none of. */
function None({ look, why }: { readonly look: string; readonly why: string }) {
  return (
    <section class="card" aria-labelledby="state-title">
      <h2 id="state-title">The state</h2>
      <p class={look}>{why}</p>
    </section>
  );
}

function Shown({ state }: { readonly state: LiveState }) {
  const columns = liveColumns.value;
  const where = columns === undefined ? 'after all gates' : `after column ${columns}`;
  const isStale = draft.value !== undefined;
  return (
    <>
      <section
        class={isLive.value ? 'card state-card' : 'card state-card waiting'}
        aria-labelledby="state-title"
      >
        <div class="head">
          <h2 id="state-title">The state {where}</h2>
          {isStale && <span class="chip warn">not of the text</span>}
          <p class="small">computed in this page in {state.computeMs.toFixed(1)} ms</p>
        </div>
        {state.trajectory !== undefined && <Course state={state} />}
        <StateBars state={state} />
        <Amplitudes state={state} />
      </section>
      <section class="card" aria-labelledby="bloch-title">
        <h2 id="bloch-title">Qubits one by one</h2>
        <p class="note">
          An arrow that does not reach the sphere belongs to a qubit that is entangled with others.
        </p>
        <ul class="spheres">
          {Array.from({ length: state.numQubits }, (_, qubit) => (
            <li key={qubit}>
              <Bloch
                qubit={qubit}
                x={state.bloch[3 * qubit] ?? 0}
                y={state.bloch[3 * qubit + 1] ?? 0}
                z={state.bloch[3 * qubit + 2] ?? 0}
              />
            </li>
          ))}
        </ul>
      </section>
      {state.numQubits > 1 && <Pair state={state} />}
    </>
  );
}

/** Random outcomes that were drawn, in a circuit whose state depends on them. */
function Course({ state }: { readonly state: LiveState }) {
  const bits = state.trajectory?.bits ?? [];
  const read = bits.map((bit, index) => (bit === null ? '' : `c${index} = ${bit}`)).filter(Boolean);
  return (
    <div class="notice">
      <p>
        This circuit depends on chance: what you see is one course of it
        {read.length > 0 ? `, in which ${read.join(', ')}` : ''}.
      </p>
      <button
        type="button"
        onClick={() => {
          seed.value += 1;
        }}
      >
        Draw another
      </button>
    </div>
  );
}

function Amplitudes({ state }: { readonly state: LiveState }) {
  const isOpen = useSignal(false);
  const rows = isOpen.value ? stateRows(state, MAX_ROWS) : [];
  return (
    <details
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>Amplitudes as a table</summary>
      {isOpen.value && (
        <Table
          label="Amplitudes"
          class="amplitudes"
          columns={['State', 'Amplitude', 'Probability', 'Phase']}
          rows={rows.map(({ label, re, im, probability, phase }) => [
            label,
            `${plain(re, 4)} ${im < 0 ? '−' : '+'} ${Math.abs(im).toFixed(4)}i`,
            probabilityText(probability),
            probability > 1e-9 ? phaseText(phase) : '',
          ])}
        />
      )}
    </details>
  );
}

const RADIUS = 38;

/** A Bloch sphere seen from the front, a little from above and from the right. */
function Bloch({
  qubit,
  x,
  y,
  z,
}: {
  readonly qubit: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}) {
  // x comes towards the viewer and to the left, y goes right, z up.
  const project = (a: number, b: number, c: number) => ({
    left: 50 + RADIUS * (b - 0.35 * a),
    top: 50 - RADIUS * (c - 0.28 * a),
  });
  const tip = project(x, y, z);
  const foot = project(x, y, 0);
  const axes = [
    { end: project(1, 0, 0), text: 'x' },
    { end: project(0, 1, 0), text: 'y' },
    { end: project(0, 0, 1), text: '0' },
    { end: project(0, 0, -1), text: '1' },
  ];
  const length = Math.hypot(x, y, z);
  return (
    <figure class="bloch">
      <svg viewBox="0 0 100 100" role="img" aria-label={blochWords(qubit, x, y, z)}>
        <circle cx="50" cy="50" r={RADIUS} class="sphere" />
        <ellipse cx="50" cy="50" rx={RADIUS} ry={RADIUS * 0.28} class="equator" />
        {axes.map(({ end, text }) => (
          <g key={text}>
            <line x1="50" y1="50" x2={end.left} y2={end.top} class="axis" />
            <text
              x={50 + (end.left - 50) * 1.2}
              y={50 + (end.top - 50) * 1.2 + 3}
              text-anchor="middle"
              class="axis-name"
            >
              {text}
            </text>
          </g>
        ))}
        {length > 0.02 && (
          <>
            <line x1={foot.left} y1={foot.top} x2={tip.left} y2={tip.top} class="drop-line" />
            <line x1="50" y1="50" x2={tip.left} y2={tip.top} class="arrow" />
          </>
        )}
        <circle cx={tip.left} cy={tip.top} r="3.6" class="tip" />
      </svg>
      <figcaption>
        q{qubit} · |r| = {length.toFixed(2)}
      </figcaption>
    </figure>
  );
}

/** The density matrix of two qubits as a heat map: size is magnitude, colour is phase. */
function Pair({ state }: { readonly state: LiveState }) {
  const chosen = pair.value;
  const qubits = Array.from({ length: state.numQubits }, (_, qubit) => qubit);
  const set = (place: 0 | 1, qubit: number) => {
    const [a, b] = chosen ?? [0, 1];
    const next: readonly [number, number] = place === 0 ? [qubit, b] : [a, qubit];
    // The same qubit twice is no pair: they change places.
    pair.value = next[0] === next[1] ? [b, a] : next;
  };
  const density = chosen === undefined ? undefined : state.pair;
  return (
    <section class="card" aria-labelledby="pair-title">
      <h2 id="pair-title">Two qubits together</h2>
      {chosen === undefined ? (
        <button
          type="button"
          class="pair-button"
          onClick={() => {
            pair.value = [0, 1];
          }}
        >
          Show a density matrix
        </button>
      ) : (
        <>
          <div class="fields">
            {([0, 1] as const).map((place) => (
              <SelectField
                key={place}
                label={place === 0 ? 'Right digit' : 'Left digit'}
                value={`${chosen[place]}`}
                options={qubits.map((qubit) => [`${qubit}`, `q${qubit}`])}
                onChoose={(qubit) => set(place, Number(qubit))}
              />
            ))}
          </div>
          {density !== undefined && <Density entries={density.density} />}
        </>
      )}
    </section>
  );
}

function Density({ entries }: { readonly entries: Float64Array }) {
  const labels = [0, 1, 2, 3].map((index) => basisLabel(index, 2));
  return (
    <div class="scroll">
      <table class="density">
        <thead>
          <tr>
            <td />
            {labels.map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, row) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {labels.map((other, column) => {
                const at = 2 * (4 * row + column);
                const re = entries[at] ?? 0;
                const im = entries[at + 1] ?? 0;
                const size = Math.hypot(re, im);
                return (
                  <td key={other}>
                    <span
                      class="cell"
                      style={{
                        opacity: size < 1e-9 ? 0 : 0.25 + 0.75 * Math.min(1, 2 * size),
                        background: colourOf(Math.atan2(im, re)),
                      }}
                    />
                    <span>{size < 1e-9 ? '0' : complexText(re, im)}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function complexText(re: number, im: number): string {
  const part = (value: number) => plain(value, 2);
  if (Math.abs(im) < 0.005) return part(re);
  if (Math.abs(re) < 0.005) return `${part(im)}i`;
  return `${part(re)}${im < 0 ? '' : '+'}${part(im)}i`;
}

/** Steps through the circuit, column by column. */
export function StepControls({ numColumns }: { readonly numColumns: number }) {
  const shown = shownColumns.value;
  const at = shown ?? numColumns;
  const goTo = (column: number) => {
    shownColumns.value = column >= numColumns ? undefined : Math.max(0, column);
  };
  const isOff = textSource.value !== undefined || circuit.value.steps.length === 0;
  return (
    <div class="steps" role="group" aria-label="Step through the circuit">
      <button
        type="button"
        disabled={isOff || at === 0}
        onClick={() => goTo(0)}
        aria-label="To the start"
      >
        |◀
      </button>
      <button
        type="button"
        disabled={isOff || at === 0}
        onClick={() => goTo(at - 1)}
        aria-label="One column back"
      >
        ◀
      </button>
      <output>{isOff ? 'No columns' : `Column ${at} of ${numColumns}`}</output>
      <button
        type="button"
        disabled={isOff || at >= numColumns}
        onClick={() => goTo(at + 1)}
        aria-label="One column on"
      >
        ▶
      </button>
      <button
        type="button"
        disabled={isOff || at >= numColumns}
        onClick={() => goTo(numColumns)}
        aria-label="To the end"
      >
        ▶|
      </button>
    </div>
  );
}
