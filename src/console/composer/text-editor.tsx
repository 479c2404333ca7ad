/**
 * The circuit as a text, which can be edited: the text follows the gates, and the gates follow the text, or else the text
 * is the source. The editor is loaded when the mouse or the focus comes to the text, which is only listed before.
 */
import { effect, type Signal, signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { LiveStates } from '../live-state/live-state.ts';
import type { Refused } from '../live-state/messages.ts';
import type { CodeEditor } from './code-editor.ts';
import { displaysOf, editedCircuit, MAX_QUBITS } from './edited-circuit.ts';
import {
  chooseLanguage,
  circuit,
  draft,
  gateSource,
  language,
  show,
  textSource,
  work,
} from './editor.ts';
import { colouredLines, LANGUAGES, textLabel } from './languages.ts';
import { messageOfAnswer } from './state-words.ts';
import { accepted, type Draft, drafted, faulted, formOf, sourceOf, textOf } from './work.ts';

/** Milliseconds without a key after which a text is read. */
const READ_AFTER_MS = 250;
/** Milliseconds without a change of the circuit after which it is written. A slider changes it with each frame. */
const WRITE_AFTER_MS = 120;
/** Most gates that are drawn. */
const MAX_DRAWN = 1000;
/** Most lines that are listed; a longer text is the editor's from the beginning. */
const MAX_LISTED = 300;

export function TextEditor({ states }: { readonly states: LiveStates }) {
  const shown = useMemo(() => new ShownText(states), [states]);
  useEffect(() => shown.follow(), [shown]);
  const isText = textSource.value !== undefined;
  return (
    <section class="card text-card" aria-labelledby="text-title">
      <div class="head">
        <h2 id="text-title">Text</h2>
        <div class="choices" role="group" aria-label="Language of the text">
          {NAMES.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === language.value}
              disabled={isText && name !== language.value}
              onClick={() => chooseLanguage(name)}
            >
              {LANGUAGES[name].title}
            </button>
          ))}
        </div>
      </div>
      <p class="note">
        {isText
          ? 'The text is the source. Undo goes back to the gates before it.'
          : 'Edit the text or the circuit: each follows the other.'}
      </p>
      <Code shown={shown} />
      <p class="small" role="status">
        {draft.value?.fault ?? shown.note.value}
      </p>
    </section>
  );
}

const NAMES = ['openqasm3', 'stim'] as const;

/** The text, listed until somebody goes to it, and then in an editor. */
function Code({ shown }: { readonly shown: ShownText }) {
  const host = useRef<HTMLDivElement>(null);
  const listing = useRef<HTMLDivElement>(null);
  const pressed = useRef<{ readonly x: number; readonly y: number }>(undefined);
  const isAsked = useSignal(false);
  const isOpen = useSignal(false);
  const lines = useComputed(() => shown.text.value.split('\n'));
  const isWanted = useComputed(
    () => isAsked.value || draft.value !== undefined || lines.value.length > MAX_LISTED,
  ).value;
  useEffect(() => {
    if (!isWanted) return;
    let editor: CodeEditor | undefined;
    let isEnded = false;
    const load = async () => {
      const { openCodeEditor } = await import('./code-editor.ts');
      if (isEnded || host.current === null) return;
      const hadFocus = document.activeElement === listing.current;
      editor = openCodeEditor(host.current, shown.text, shown.fault, (text) => shown.type(text));
      isOpen.value = true;
      if (hadFocus) editor.focus(pressed.current);
    };
    load().catch(() => {
      isAsked.value = false;
      shown.note.value = 'The editor could not be loaded. Go to the text to try it again.';
    });
    return () => {
      isEnded = true;
      editor?.close();
    };
  }, [isWanted, shown]);
  const ask = () => {
    isAsked.value = true;
  };
  return (
    <div class="editor">
      {!isOpen.value && (
        <div
          ref={listing}
          class="scroll listed"
          style={{ '--digits': String(lines.value.length).length }}
          role="textbox"
          aria-multiline="true"
          aria-readonly="true"
          aria-label={textLabel(language.value)}
          tabIndex={0}
          onPointerEnter={ask}
          onPointerDown={({ clientX: x, clientY: y }) => {
            pressed.current = { x, y };
            ask();
          }}
          onFocus={ask}
        >
          {colouredLines(lines.value.slice(0, MAX_LISTED), language.value).map((words, i) => (
            <div key={i} class="line">
              {words.map(([word, kind]) =>
                kind === null ? word : <span class={kind}>{word}</span>,
              )}
            </div>
          ))}
        </div>
      )}
      <div ref={host} />
    </div>
  );
}

/** The text that is shown, and what the worker says of it. It follows the work, and the work follows what is typed. */
class ShownText {
  readonly text: Signal<string> = signal('');
  /** Why the text cannot be read. */
  readonly fault: Signal<Refused | undefined> = signal(undefined);
  readonly note: Signal<string> = signal('');
  readonly #states: LiveStates;
  /** Text that the gates were written as last. */
  #written = '';
  #isEnded = false;

  constructor(states: LiveStates) {
    this.#states = states;
  }

  /** Takes what the visitor has typed. */
  type(text: string): void {
    this.text.value = text;
    show(drafted(work.peek(), sourceOf(language.peek(), text), this.#written));
  }

  /** Follows the work. @returns Ends it. */
  follow(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.#isEnded = false;
    // A worker that failed is reported with the state.
    const end = effect(() => {
      const { draft: own } = work.value;
      void [circuit.value, language.value];
      clearTimeout(timer);
      const text = this.#source();
      if (text !== undefined) this.text.value = text;
      if (own === undefined) this.fault.value = undefined;
      if (own?.fault !== undefined) return;
      if (own !== undefined)
        timer = setTimeout(() => void this.#read(own).catch(() => {}), READ_AFTER_MS);
      else if (text === undefined)
        timer = setTimeout(() => void this.#write().catch(() => {}), WRITE_AFTER_MS);
    });
    // One that had a fault when the page was left is read, and marked, again.
    if (draft.peek()?.fault !== undefined) chooseLanguage(language.peek());
    return () => {
      this.#isEnded = true;
      clearTimeout(timer);
      end();
    };
  }

  /** The text that is there; undefined where the gates are to be written. */
  #source(): string | undefined {
    const { draft: typed, present } = work.peek();
    const source = typed?.source ?? present.text?.source;
    return source === undefined || formOf(source) !== language.peek() ? undefined : textOf(source);
  }

  async #read(own: Draft): Promise<void> {
    const { source } = own;
    const answer = await this.#states.parseText(source);
    const now = work.peek();
    // It has been edited or undone since, or the editor was closed; the draft is read when it is opened again.
    if (now.draft !== own || this.#isEnded) return;
    if (answer.kind === 'refused') {
      show(faulted(now, own, messageOfAnswer(answer)));
      this.fault.value = answer;
      return;
    }
    const { present } = now;
    const warnings = answer.warnings.map(({ message }) => message).join(' ');
    const isLarge =
      answer.circuit !== undefined &&
      (answer.qubits > MAX_QUBITS || answer.circuit.length > MAX_DRAWN);
    if (answer.circuit !== undefined && !isLarge) {
      // Displays stay where their wires do.
      const displays = displaysOf(present.circuit).filter(({ qubit }) => qubit < answer.qubits);
      const next = editedCircuit(answer.circuit, answer.qubits, displays);
      show(accepted(now, own, { ...present, circuit: next, text: { source, isDrawn: true } }));
      this.note.value = warnings;
      return;
    }
    const before = textSource.peek()?.inputs ?? {};
    const values = Object.entries(answer.inputs).map(
      ([name, value]) => [name, before[name] ?? value] as const,
    );
    const withValues =
      'stim' in source || values.length === 0
        ? source
        : { ...source, inputs: Object.fromEntries(values) };
    show(accepted(now, own, { ...present, text: { source: withValues, isDrawn: false } }));
    this.note.value = isLarge
      ? `Up to ${MAX_QUBITS} qubits and ${MAX_DRAWN} gates are drawn: the text is the source.`
      : 'stim' in source
        ? warnings
        : 'This program computes with measured bits, or with inputs: the text is the source, and is not drawn.';
  }

  /** Writes the gates. */
  async #write(): Promise<void> {
    const now = circuit.peek();
    const form = language.peek();
    const answer = await this.#states.writeText(gateSource.peek(), form);
    const isOver = this.#isEnded || this.#source() !== undefined || circuit.peek() !== now;
    if (isOver || language.peek() !== form) return;
    // A text of before would not be that of the gates.
    this.#written = answer.kind === 'refused' ? '' : answer.text;
    this.note.value = answer.kind === 'refused' ? messageOfAnswer(answer) : '';
    this.text.value = this.#written;
  }
}
