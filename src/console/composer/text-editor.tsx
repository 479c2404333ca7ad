/**
 * The circuit as a text, which can be edited: the text follows the gates, and the gates follow the text, or else the text
 * is the source.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LiveStates } from '../live-state/live-state.ts';
import type { Refused } from '../live-state/messages.ts';
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
import { LANGUAGES } from './languages.ts';
import { messageOfAnswer } from './state-words.ts';
import { changeTo } from './text-change.ts';
import { accepted, type Draft, drafted, faulted, formOf, sourceOf, textOf } from './work.ts';

/** Milliseconds without a key after which a text is read. */
const READ_AFTER_MS = 250;
/** Milliseconds without a change of the circuit after which it is written. A slider changes it with each frame. */
const WRITE_AFTER_MS = 120;
/** Most gates that are drawn. */
const MAX_DRAWN = 1000;

export function TextEditor({ states }: { readonly states: LiveStates }) {
  const host = useRef<HTMLDivElement>(null);
  const note = useSignal('');
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    return openEditor(element, states, (text) => {
      note.value = text;
    });
  }, [states]);
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
      <div class="editor" ref={host} />
      <p class="small" role="status">
        {draft.value?.fault ?? note.value}
      </p>
    </section>
  );
}

const NAMES = ['openqasm3', 'stim'] as const;

/** Opens the editor. @returns Closes it. */
function openEditor(
  element: HTMLElement,
  states: LiveStates,
  say: (text: string) => void,
): () => void {
  // Styles of a shadow root are no inline styles, which the page's policy forbids.
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Text that the gates were written as last. */
  let written = '';
  const syntax = new Compartment();
  const inLanguage = () => {
    const { title, parser } = LANGUAGES[language.peek()];
    return [
      StreamLanguage.define(parser),
      EditorView.contentAttributes.of({
        'aria-label': `${title} text of the circuit`,
        // So that the keyboard reaches what is scrolled.
        tabindex: '0',
      }),
    ];
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: '',
      extensions: [
        lineNumbers(),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        syntax.of(inLanguage()),
        syntaxHighlighting(COLOURS),
        FAULTS,
        LOOK,
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (!docChanged || transactions.some((each) => each.annotation(OURS) === true)) return;
          show(drafted(work.peek(), sourceOf(language.peek(), state.doc.toString()), written));
        }),
      ],
    }),
  });

  /** Shows a text that the visitor has not typed just now. */
  const put = (text: string) => {
    const before = view.state.doc.toString();
    if (text === before) return;
    view.dispatch({ changes: changeTo(before, text), annotations: OURS.of(true) });
  };
  const mark = (refused: Refused | undefined) => {
    view.dispatch({ effects: setFault.of(refused && faultIn(refused)) });
  };
  /** The word at fault. */
  const faultIn = (refused: Refused): Fault => {
    const { doc } = view.state;
    const { line = 1, column = 1 } = refused.position ?? {};
    const at = doc.line(Math.max(1, Math.min(doc.lines, line)));
    const from = Math.min(Math.max(at.from, at.to - 1), at.from + column - 1);
    const word = /^\w+|^\S/.exec(at.text.slice(from - at.from))?.[0].length ?? 0;
    return {
      from,
      to: Math.min(at.to, from + Math.max(1, word)),
      message: messageOfAnswer(refused),
    };
  };

  const read = async (own: Draft) => {
    const { source } = own;
    const answer = await states.parseText(source);
    const now = work.peek();
    // It has been edited or undone since, or the editor was closed; it then reads the draft when it is opened again.
    if (now.draft !== own || isEnded) return;
    if (answer.kind === 'refused') {
      show(faulted(now, own, messageOfAnswer(answer)));
      mark(answer);
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
      say(warnings);
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
    say(
      isLarge
        ? `Up to ${MAX_QUBITS} qubits and ${MAX_DRAWN} gates are drawn: the text is the source.`
        : 'stim' in source
          ? warnings
          : 'This program computes with measured bits, or with inputs: the text is the source, and is not drawn.',
    );
  };

  const write = async () => {
    const now = circuit.peek();
    const form = language.peek();
    const answer = await states.writeText(gateSource.peek(), form);
    const isOver = isEnded || shown() !== undefined || circuit.peek() !== now;
    if (isOver || language.peek() !== form) return;
    // A text of before would not be that of the gates.
    written = answer.kind === 'refused' ? '' : answer.text;
    say(answer.kind === 'refused' ? messageOfAnswer(answer) : '');
    put(written);
  };

  let isEnded = false;
  /** The text that is there; undefined where the gates are to be written. */
  const shown = () => {
    const { draft: typed, present } = work.peek();
    const source = typed?.source ?? present.text?.source;
    return source === undefined || formOf(source) !== language.peek() ? undefined : textOf(source);
  };
  // A worker that failed is reported with the state.
  const follow = () => {
    const { draft: own } = work.value;
    void [circuit.value, language.value];
    clearTimeout(timer);
    const text = shown();
    if (text !== undefined) put(text);
    if (own === undefined) mark(undefined);
    if (own?.fault !== undefined) return;
    if (own !== undefined) timer = setTimeout(() => void read(own).catch(() => {}), READ_AFTER_MS);
    else if (text === undefined)
      timer = setTimeout(() => void write().catch(() => {}), WRITE_AFTER_MS);
  };
  const ends = [
    language.subscribe(() => view.dispatch({ effects: syntax.reconfigure(inLanguage()) })),
    effect(follow),
  ];
  // One that had a fault when the editor was closed is marked again.
  if (draft.peek()?.fault !== undefined) chooseLanguage(language.peek());
  return () => {
    isEnded = true;
    clearTimeout(timer);
    for (const end of ends) end();
    view.destroy();
  };
}

/** Marks changes of the text that are not the visitor's. */
const OURS = Annotation.define<boolean>();

/** A part of the text that the service would refuse. */
interface Fault {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const setFault = StateEffect.define<Fault | undefined>();

/** Underlines the fault. The lint package of the editor uses inline styles, which the page's policy forbids. */
const FAULTS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setFault)) continue;
      const fault = effect.value;
      const isThere = fault !== undefined && fault.from < fault.to;
      next = isThere
        ? Decoration.set([
            Decoration.mark({ class: 'cm-fault', attributes: { title: fault.message } }).range(
              fault.from,
              fault.to,
            ),
          ])
        : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const LOOK = EditorView.theme({
  '&': {
    fontSize: '13px',
    border: '1px solid var(--control)',
    borderRadius: '10px',
    background: 'var(--card)',
    color: 'var(--ink)',
  },
  '&.cm-focused': { outline: '3px solid var(--focus)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', maxHeight: '420px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    background: 'var(--faint)',
    color: 'var(--soft)',
    border: 'none',
    borderRadius: '10px 0 0 10px',
  },
  '.cm-tooltip': {
    background: 'var(--card)',
    color: 'var(--ink)',
    border: '1px solid var(--edge)',
  },
  '.cm-fault': { textDecoration: 'underline wavy var(--bad)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    background: 'var(--input-pale) !important',
  },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--class-1)', fontWeight: '600' },
  { tag: tags.number, color: 'var(--input)' },
  { tag: tags.string, color: 'var(--class-0)' },
  { tag: tags.typeName, color: 'var(--class-1)' },
]);
