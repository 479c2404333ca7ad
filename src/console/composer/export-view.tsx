/** The circuit as text for other tools, as JSON and as a drawing; and as an address. */

import { useSignal } from '@preact/signals';
import type { LiveStates } from '../live-state/live-state.ts';
import type { LiveSource, TextForm } from '../live-state/messages.ts';
import { Listing } from '../shell/api-panel.tsx';
import { ChoiceButtons } from '../shell/forms.tsx';
import { saveFile } from '../shell/save-file.ts';
import { circuit, draft, gateSource, inputs, textSource } from './editor.ts';
import { mirror } from './kept.ts';
import { source } from './live.ts';
import type { Framework } from './python-parts.ts';
import { messageOfAnswer } from './state-words.ts';

const FORMS = [
  'OpenQASM 3',
  'OpenQASM 2',
  'Stim',
  'Qiskit',
  'Cirq',
  'PennyLane',
  'JSON',
  'SVG',
] as const;
type Form = (typeof FORMS)[number];

const FILES: Readonly<Record<Form, string>> = {
  'OpenQASM 3': 'circuit.qasm',
  'OpenQASM 2': 'circuit.qasm',
  Stim: 'circuit.stim',
  Qiskit: 'circuit.py',
  Cirq: 'circuit.py',
  PennyLane: 'circuit.py',
  JSON: 'circuit.json',
  SVG: 'circuit.svg',
};

/** Forms that are programs, which may run the circuit at this service. */
const PROGRAMS: readonly Form[] = ['Qiskit', 'Cirq', 'PennyLane'];
const PLACES = ['on your machine', 'at this service'] as const;
type Place = (typeof PLACES)[number];

export function ExportView({ states }: { readonly states: LiveStates }) {
  const shown = useSignal<
    | {
        readonly of: LiveSource;
        readonly form: Form;
        readonly place: Place;
        readonly text: string;
        readonly isFault: boolean;
      }
    | undefined
  >(undefined);
  const said = useSignal('');
  const place = useSignal<Place>('on your machine');
  const show = async (form: Form) => {
    said.value = '';
    const of = source.value;
    const where = place.value;
    const origin = where === 'at this service' ? window.location.origin : undefined;
    try {
      const text = await textOf(form, states, origin);
      shown.value = { of, form, place: where, text, isFault: false };
    } catch (error) {
      shown.value = {
        of,
        form,
        place: where,
        text: error instanceof Error ? error.message : String(error),
        isFault: true,
      };
    }
  };
  const share = async () => {
    await copy(await mirror(), 'The link');
  };
  const copy = async (text: string, what: string) => {
    try {
      await navigator.clipboard.writeText(text);
      said.value = `${what} is copied.`;
    } catch {
      said.value = `${what} could not be copied; the browser does not allow it.`;
    }
  };
  // A text of another circuit is not shown.
  const isStale = draft.value !== undefined;
  const now = !isStale && shown.value?.of === source.value ? shown.value : undefined;
  return (
    <section class="card" aria-labelledby="export-title">
      <div class="head">
        <h2 id="export-title">Share and export</h2>
        <button type="button" disabled={isStale} onClick={() => void share()}>
          Copy a link to this circuit
        </button>
      </div>
      {isStale ? (
        <p class="note">Nothing can be shared while the text is not in step with the circuit.</p>
      ) : (
        <ChoiceButtons
          label="Export as"
          names={FORMS}
          chosen={now?.form}
          onChoose={(form) => void show(form)}
        />
      )}
      {now !== undefined && PROGRAMS.includes(now.form) && (
        <div class="places">
          <span class="note">The program runs</span>{' '}
          <ChoiceButtons
            label="Where the program runs"
            names={PLACES}
            chosen={now.place}
            onChoose={(next) => {
              place.value = next;
              void show(now.form);
            }}
          />
          {now.place === 'at this service' && (
            <p class="small">
              It needs the Python package <code>qcs-client[{now.form.toLowerCase()}]</code>, which
              the guide <a href="/docs/guides/clients">Clients</a> tells how to get, and your key in
              the environment variable <code>QCS_API_KEY</code>.
            </p>
          )}
        </div>
      )}
      {now?.isFault === true && <p class="notice bad">{now.text}</p>}
      {now?.isFault === false && (
        <>
          <Listing label={now.form} text={now.text} class="export-text" />
          <div class="choices">
            <button type="button" onClick={() => void copy(now.text, now.form)}>
              Copy
            </button>
            <button type="button" onClick={() => saveFile(FILES[now.form], now.text)}>
              Download
            </button>
          </div>
        </>
      )}
      <p class="small" role="status">
        {said.value}
      </p>
    </section>
  );
}

/** Forms that the worker writes. */
const WRITTEN: Readonly<Partial<Record<Form, TextForm>>> = {
  'OpenQASM 3': 'openqasm3',
  'OpenQASM 2': 'openqasm2',
  Stim: 'stim',
};

/** @param origin - Address of the service that a program runs the circuit at. */
async function textOf(form: Form, states: LiveStates, origin: string | undefined): Promise<string> {
  const text = textSource.value;
  const isStim = text !== undefined && 'stim' in text;
  if (text !== undefined) {
    if (form === 'Stim' && isStim) return text.stim;
    if (form === 'OpenQASM 3' && !isStim) return text.qasm;
    if (form === 'JSON') return JSON.stringify(text, null, 2);
    if (form === 'SVG' && isStim) return drawingText();
  }
  const source = text ?? gateSource.value;
  const written = WRITTEN[form];
  if (written !== undefined) {
    const answer = await states.writeText(source, written);
    if (answer.kind === 'refused') throw new Error(messageOfAnswer(answer));
    return isStim ? `// Without detectors and observables.\n${answer.text}` : answer.text;
  }
  if (text !== undefined) {
    throw new Error(`Gates cannot express this program, so that there is no ${form} of it.`);
  }
  switch (form) {
    case 'JSON':
      return JSON.stringify(source, null, 2);
    case 'SVG':
      return drawingText();
    default: {
      const answer = await states.gateMatrices(gateSource.value);
      if (answer.kind === 'refused') throw new Error(messageOfAnswer(answer));
      const { pythonText } = await import('./python-texts.ts');
      return pythonText(form as Framework, circuit.value, inputs.value, answer.matrices, origin);
    }
  }
}

/** Properties that the drawing gets from style sheets. */
const STYLES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'font-family',
  'font-size',
  'font-weight',
] as const;

/** The drawing by itself, with its styles. */
function drawingText(): string {
  const drawn = document.querySelector<SVGElement>('.composer .canvas svg.circuit');
  if (drawn === null) throw new Error('The circuit is not drawn.');
  const copy = drawn.cloneNode(true) as SVGElement;
  const originals = [drawn, ...drawn.querySelectorAll('*')];
  for (const [index, element] of [copy, ...copy.querySelectorAll('*')].entries()) {
    const original = originals[index];
    if (original === undefined) continue;
    const style = getComputedStyle(original);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute('class');
  }
  // The cursor and the selection are not the circuit.
  const marks = [...drawn.querySelectorAll('.cursor, .range, .applied, .step-line')];
  for (const mark of marks) {
    const at = originals.indexOf(mark);
    [copy, ...copy.querySelectorAll('*')][at]?.setAttribute('data-drop', '');
  }
  for (const mark of copy.querySelectorAll('[data-drop]')) mark.remove();
  for (const name of ['role', 'tabindex', 'id', 'aria-describedby']) copy.removeAttribute(name);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new XMLSerializer().serializeToString(copy);
}
