/**
 * The circuit as a text, which can be edited: the text follows the gates, and the gates follow the text, or else the text
 * is the source.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LiveStates } from '../live-state/live-state.ts';
import type { Refused, TextSource } from '../live-state/messages.ts';
import { type EditedCircuit, editedCircuit, MAX_QUBITS } from './edited-circuit.ts';
import {
  circuit,
  edit,
  gateSource,
  inputs,
  language,
  openText,
  textSource,
  unreadText,
} from './editor.ts';
import { LANGUAGES } from './languages.ts';
import { messageOfAnswer } from './state-words.ts';
import { changeTo } from './text-change.ts';

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
    <section class="card" aria-labelledby="text-title">
      <div class="head">
        <h2 id="text-title">Text</h2>
        <div class="choices" role="group" aria-label="Language of the text">
          {NAMES.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === language.value}
              disabled={isText && name !== language.value}
              onClick={() => {
                language.value = name;
              }}
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
        {note.value}
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
  let writing: ReturnType<typeof setTimeout> | undefined;
  /** Text that the circuit was written as last, or that was read as the present circuit. */
  let known = '';
  let isEnded = false;
  /** The circuit that the text was read as last. */
  let fromText: EditedCircuit | undefined;
  /** Number of edits of the visitor. A circuit that was there before one of them does not replace the text. */
  let numEdits = 0;
  /** Number of readings that began, or were given up because gates are the source again. */
  let numReadings = 0;
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
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          if (update.state.doc.toString() === known) {
            unreadText.value = undefined;
            return;
          }
          readLater();
        }),
      ],
    }),
  });

  function readLater(): void {
    numEdits += 1;
    unreadText.value = 'The text has changed and is being read.';
    clearTimeout(timer);
    timer = setTimeout(() => void read().catch(() => {}), READ_AFTER_MS);
  }
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

  const read = async () => {
    const text = view.state.doc.toString();
    const isStim = language.peek() === 'stim';
    numReadings += 1;
    const own = numReadings;
    const answer = await states.parseText(isStim ? { stim: text } : { qasm: text });
    // It has been edited since.
    if (isEnded || own !== numReadings || view.state.doc.toString() !== text) return;
    if (isStim !== (language.peek() === 'stim')) return;
    if (answer.kind === 'refused') {
      mark(answer);
      say(messageOfAnswer(answer));
      unreadText.value =
        'The text has a fault, so what is shown is the circuit before it. Mend the text, or undo.';
      return;
    }
    mark(undefined);
    known = text;
    unreadText.value = undefined;
    const asText = () => {
      if (isStim) {
        openText({ stim: text });
        return;
      }
      const before = textSource.peek()?.inputs ?? {};
      const values = Object.entries(answer.inputs).map(
        ([name, value]) => [name, before[name] ?? value] as const,
      );
      openText({
        qasm: text,
        ...(values.length > 0 && { inputs: Object.fromEntries(values) }),
      });
    };
    const warnings = answer.warnings.map(({ message }) => message).join(' ');
    if (answer.circuit === undefined) {
      asText();
      say(
        isStim
          ? warnings
          : 'This program computes with measured bits, or with inputs: the text is the source, and is not drawn.',
      );
      return;
    }
    if (answer.qubits > MAX_QUBITS || answer.circuit.length > MAX_DRAWN) {
      asText();
      say(`Up to ${MAX_QUBITS} qubits and ${MAX_DRAWN} gates are drawn: the text is the source.`);
      return;
    }
    say(warnings);
    const next = editedCircuit(answer.circuit, answer.qubits);
    fromText = next;
    edit(next, 'text');
  };

  const write = async (editsBefore: number) => {
    const now = circuit.peek();
    const isOver = () => isEnded || circuit.peek() !== now || numEdits !== editsBefore;
    // A text that was read stays as the visitor wrote it.
    const isAsWritten = now === fromText && view.state.doc.toString() === known;
    if (textSource.peek() !== undefined || isAsWritten || isOver()) return;
    const form = language.peek();
    const answer = await states.writeText(gateSource.peek(), form);
    if (isOver() || language.peek() !== form) return;
    // A text of before would not be that of the gates.
    const text = answer.kind === 'refused' ? '' : answer.text;
    const before = view.state.doc.toString();
    known = text;
    fromText = undefined;
    unreadText.value = undefined;
    say(answer.kind === 'refused' ? messageOfAnswer(answer) : '');
    if (text === before) return;
    view.dispatch({ changes: changeTo(before, text) });
    mark(undefined);
  };

  // A worker that failed is reported with the state.
  const follow = () => {
    clearTimeout(writing);
    const edits = numEdits;
    writing = setTimeout(() => void write(edits).catch(() => {}), WRITE_AFTER_MS);
  };
  /** Shows a text that became the source elsewhere: by a link, or before this editor was opened. */
  const showSource = (source: TextSource | undefined) => {
    if (source === undefined) {
      // Else a text that is still being read would become the source again after it was undone.
      clearTimeout(timer);
      numReadings += 1;
      follow();
      return;
    }
    const text = 'stim' in source ? source.stim : source.qasm;
    if (text === view.state.doc.toString()) return;
    known = '';
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  };
  /** Reads a text that is not read yet in the new language, or writes the circuit in it. */
  const changeLanguage = () => {
    view.dispatch({ effects: syntax.reconfigure(inLanguage()) });
    mark(undefined);
    fromText = undefined;
    if (unreadText.peek() === undefined) follow();
    else readLater();
  };
  const ends = [
    language.subscribe(changeLanguage),
    circuit.subscribe(follow),
    inputs.subscribe(follow),
    textSource.subscribe(showSource),
  ];
  return () => {
    isEnded = true;
    clearTimeout(timer);
    clearTimeout(writing);
    for (const end of ends) end();
    unreadText.value = undefined;
    view.destroy();
  };
}

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
