/** Page to build a circuit, see its state, and run it. */

import { effect, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CircuitSubmissionInput } from '../../client/client.ts';
import { openLiveState } from '../live-state/live-state.ts';
import { RunPanel } from '../run/run-panel.tsx';
import { FactList, type Facts } from '../shell/facts.tsx';
import { Dialog, OptionList } from '../shell/forms.tsx';
import { Heading } from '../shell/notice.tsx';
import { place } from '../shell/route.ts';
import './composer.css';
import {
  addQubit,
  EMPTY,
  editedCircuit,
  gateObjects,
  numColumns,
  removeQubit,
} from './edited-circuit.ts';
import {
  canRedo,
  canUndo,
  circuit,
  cursor,
  edit,
  inputs,
  open,
  openText,
  redo,
  textSource,
  undo,
  unreadText,
} from './editor.ts';
import { EXAMPLES } from './examples.ts';
import { ExportView } from './export-view.tsx';
import { PALETTE, paletteName } from './gate-table.ts';
import { Grid } from './grid.tsx';
import { Inputs, Inspector } from './inspector.tsx';
import { exactProbabilities, followCircuit, live, pair, source } from './live.ts';
import { Palette } from './palette.tsx';
import { readShared } from './permalink.ts';
import { StateView, StepControls } from './state-view.tsx';
import { StimView } from './stim-view.tsx';
import { TextEditor } from './text-editor.tsx';
import { TEXT_EXAMPLES } from './text-examples.ts';

const ALL_EXAMPLES = [...EXAMPLES, ...TEXT_EXAMPLES];

export function ComposerPage() {
  const states = useMemo(openLiveState, []);
  const isHelp = useSignal(false);
  const showHelp = (isShown: boolean) => {
    isHelp.value = isShown;
  };
  useEffect(() => () => states.close(), [states]);
  useEffect(() => followCircuit(states), [states]);
  const { query } = place.value;
  const example = query.get('example');
  const shared = query.get('c');
  useEffect(() => {
    const found = ALL_EXAMPLES.find(({ name }) => name === example);
    if (found !== undefined) openExample(found);
    if (shared === null) return;
    void readShared(shared).then((read) => {
      if (read === undefined) return;
      if (!('circuit' in read)) openText(read);
      else open(editedCircuit(read.circuit, read.qubits), read.inputs);
    });
  }, [example, shared]);

  const now = circuit.value;
  const columns = numColumns(now);
  const text = textSource.value;
  const isText = text !== undefined;
  return (
    <div class="composer">
      <Heading
        title="Composer"
        lede="Put gates on qubits and watch the state, computed in this page."
      />
      <div class="composer-bar" role="toolbar" aria-label="Circuit">
        <label class="field inline">
          <span>Example</span>
          <select
            value=""
            onChange={({ currentTarget }) => {
              const found = ALL_EXAMPLES.find(({ name }) => name === currentTarget.value);
              currentTarget.value = '';
              if (found !== undefined) openExample(found);
            }}
          >
            <OptionList
              options={[
                ['', 'Choose …'],
                ...ALL_EXAMPLES.map(({ name, title }) => [name, title] as const),
              ]}
            />
          </select>
        </label>
        <button type="button" disabled={!canUndo.value} onClick={undo}>
          Undo
        </button>
        <button type="button" disabled={!canRedo.value} onClick={redo}>
          Redo
        </button>
        <button type="button" disabled={isText} onClick={() => edit(addQubit(circuit.value))}>
          Add a qubit
        </button>
        <button
          type="button"
          disabled={isText || now.numQubits === 1}
          title="The qubit of the cursor, with its gates"
          onClick={() => edit(removeQubit(circuit.value, cursor.value.qubit))}
        >
          Remove q{cursor.value.qubit}
        </button>
        <button type="button" onClick={() => open({ ...EMPTY, numQubits: now.numQubits })}>
          Clear
        </button>
        <StepControls numColumns={columns} />
        <button type="button" onClick={() => showHelp(true)}>
          Keys
        </button>
      </div>
      <Note />
      <div class={isText ? 'workbench of-text' : 'workbench'}>
        {!isText && <Palette />}
        <div class="stack">
          <section class="card canvas" aria-label="Circuit">
            {unreadText.value !== undefined && <p class="notice">{unreadText.value}</p>}
            {text === undefined ? (
              <>
                <Grid
                  onHelp={() => showHelp(true)}
                  onAngles={() =>
                    document
                      .querySelector<HTMLElement>('#composer-inspector :is(input, select)')
                      ?.focus()
                  }
                />
                <Inspector />
              </>
            ) : 'stim' in text ? (
              <StimView states={states} stim={text.stim} />
            ) : (
              <>
                <p class="notice">
                  The OpenQASM text is the source of the state. Gates cannot express it, so that it
                  is not drawn.
                </p>
                <Inputs />
              </>
            )}
          </section>
          <StateView />
        </div>
        <div class="stack text-stack">
          <Run />
          <TextEditor states={states} />
          <ExportView states={states} />
        </div>
      </div>
      {isHelp.value && (
        <Dialog title="Keys in the circuit" onClose={() => showHelp(false)}>
          <FactList class="keys" facts={KEYS} />
          <p class="actions">
            <button type="button" class="primary" onClick={() => showHelp(false)}>
              Close
            </button>
          </p>
        </Dialog>
      )}
    </div>
  );
}

function openExample(example: (typeof ALL_EXAMPLES)[number]): void {
  pair.value = undefined;
  if ('stim' in example) openText({ stim: example.stim });
  else open(editedCircuit(example.circuit, example.qubits), example.inputs);
}

/** Milliseconds without a change of the state after which views that follow it slowly are shown again. */
const SETTLED_MS = 200;

/** The exact probabilities of a circuit that has not changed for a moment; undefined before. */
function useSettledProbabilities(): ReadonlyMap<string, number> | undefined {
  const [settled, setSettled] = useState<ReadonlyMap<string, number>>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = effect(() => {
      // The probabilities are of the circuit of the last answer, which may be another one already.
      void [source.value, live.value];
      setSettled(undefined);
      clearTimeout(timer);
      timer = setTimeout(() => setSettled(exactProbabilities.peek()), SETTLED_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  return settled;
}

/** Runs the circuit, or the text that is the source, on a processor of the service. */
function Run() {
  const text = textSource.value;
  const values = inputs.value;
  const objects = gateObjects(circuit.value);
  const exact = useSettledProbabilities();
  // Those of a text are known once it is read; the state of a circuit may still be that of the one before.
  const numQubits = useComputed(() =>
    textSource.value === undefined || live.value === undefined || live.value.kind === 'refused'
      ? circuit.value.numQubits
      : live.value.numQubits,
  ).value;
  return (
    <RunPanel
      submission={
        text === undefined
          ? {
              // The cast is safe: the service's schema of gate objects is the one of the composer's.
              circuit: objects as unknown as NonNullable<CircuitSubmissionInput['circuit']>,
              ...(Object.keys(values).length > 0 && { inputs: values }),
            }
          : text
      }
      numQubits={numQubits}
      exactProbabilities={exact}
      hindrance={unreadText.value}
    />
  );
}

/** The sentence of the example that is shown. */
function Note() {
  const text = textSource.value;
  const now = JSON.stringify(gateObjects(circuit.value));
  const found = ALL_EXAMPLES.find((each) =>
    'stim' in each
      ? text !== undefined && 'stim' in text && each.stim === text.stim
      : text === undefined &&
        JSON.stringify(gateObjects(editedCircuit(each.circuit, each.qubits))) === now,
  );
  return (
    <p class="example-note" role="status">
      {found === undefined ? '' : `${found.title}: ${found.says}`}
    </p>
  );
}

const INSERTS = PALETTE.flatMap(({ gates }) =>
  gates.flatMap((gate) => (gate.key === undefined ? [] : [`${gate.key} ${paletteName(gate)}`])),
);

const KEYS: Facts = [
  ['Arrows, Home, End', 'move the cursor'],
  ['Shift and arrows', 'move the selected gate'],
  ['Letters', `insert a gate: ${INSERTS.join(', ')}`],
  ['. (full stop)', 'adds a control on the cursor’s qubit to the gate of the column'],
  ['Enter', 'goes to the fields of the selected gate'],
  ['Delete, Backspace', 'take a gate out'],
  ['o', 'makes the control under the cursor act on 0, or on 1 again'],
  ['Ctrl+Shift+← and →', 'select columns; a mouse does it beside the gates'],
  ['Ctrl+C, Ctrl+X, Ctrl+V', 'copy, cut and paste the selected columns or gate, or the column'],
  ['Ctrl+Z, Ctrl+Y', 'undo and redo'],
  ['?', 'shows this list'],
];
