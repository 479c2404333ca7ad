/** Page to build a circuit, see its state, and run it. */

import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { CircuitSubmissionInput } from '../../client/client.ts';
import { type LiveStates, openLiveState } from '../live-state/live-state.ts';
import { RunPanel } from '../run/run-panel.tsx';
import { FactList, type Facts } from '../shell/facts.tsx';
import { Dialog, OptionList } from '../shell/forms.tsx';
import { Problem } from '../shell/notice.tsx';
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
  draft,
  edit,
  hindrance,
  inputs,
  open,
  redo,
  textSource,
  undo,
} from './editor.ts';
import { ExportView } from './export-view.tsx';
import { PALETTE, paletteName } from './gate-table.ts';
import { Grid, LettersSwitch } from './grid.tsx';
import { Inputs, Inspector } from './inspector.tsx';
import { ALL_EXAMPLES, keepingFault, keepWork, openExample } from './kept.ts';
import { exactProbabilities, followCircuit, isLive, live } from './live.ts';
import { Palette } from './palette.tsx';
import { StateView, StepControls } from './state-view.tsx';
import { TextEditor } from './text-editor.tsx';

export function ComposerPage() {
  const states = useMemo(openLiveState, []);
  const isHelp = useSignal(false);
  const showHelp = (isShown: boolean) => {
    isHelp.value = isShown;
  };
  useEffect(() => () => states.close(), [states]);
  useEffect(() => followCircuit(states), [states]);
  useEffect(keepWork, []);

  const now = circuit.value;
  const columns = numColumns(now);
  const text = textSource.value;
  const isText = text !== undefined;
  return (
    <div class="composer">
      <div class="composer-bar" role="toolbar" aria-label="Circuit">
        <h1>Composer</h1>
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
      {keepingFault.value !== undefined && (
        <p class="notice bad" role="alert">
          {keepingFault.value}
        </p>
      )}
      <div
        class={`workbench ${isText ? 'of-text' : ''} ${draft.value === undefined ? '' : 'stale'}`}
      >
        {!isText && <Palette />}
        <div class="views">
          <section class="card canvas" aria-label="Circuit">
            {hindrance.value !== undefined && <p class="notice warn">{hindrance.value}</p>}
            {text !== undefined && draft.value?.fault !== undefined ? null : text === undefined ? (
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
              <Timeline states={states} stim={text.stim} />
            ) : (
              <>
                <p class="notice">
                  The OpenQASM text is the source of the state. Gates cannot express it, so that it
                  is not drawn.
                </p>
                <Inputs />
              </>
            )}
            <Note />
          </section>
          <Run>
            <StateView />
          </Run>
          <TextEditor states={states} />
          <ExportView states={states} />
        </div>
      </div>
      {isHelp.value && (
        <Dialog title="Keys in the circuit" onClose={() => showHelp(false)}>
          <FactList class="keys" facts={KEYS} />
          <LettersSwitch />
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

/** The drawing of a text in Stim's format, which is loaded with the first one. */
function Timeline(props: { readonly states: LiveStates; readonly stim: string }) {
  const view = useSignal<ComponentType<typeof props>>();
  const problem = useSignal<unknown>(undefined);
  useEffect(() => {
    import('./stim-view.tsx').then(
      ({ StimView }) => {
        view.value = StimView;
      },
      (error: unknown) => {
        problem.value = error;
      },
    );
  }, []);
  const View = view.value;
  if (View !== undefined) return <View {...props} />;
  return problem.value === undefined ? (
    <p class="note">The text is being drawn …</p>
  ) : (
    <Problem error={problem.value} />
  );
}

/** Runs the circuit, or the text that is the source, on a processor of the service. @param children - Beside the result. */
function Run({ children }: { readonly children: ComponentChildren }) {
  const text = textSource.value;
  const values = inputs.value;
  const objects = gateObjects(circuit.value);
  // Those of a text are known once it is computed; the state of a circuit may still be that of the one before.
  const numQubits = useComputed(() =>
    isLive.value && live.value !== undefined && 'numQubits' in live.value
      ? live.value.numQubits
      : circuit.value.numQubits,
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
      exactProbabilities={exactProbabilities}
      hindrance={hindrance.value}
    >
      {children}
    </RunPanel>
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
      {found === undefined
        ? 'Put gates on qubits and watch the state, computed in this page.'
        : `${found.title}: ${found.says}`}
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
