/** The circuit as OpenQASM 3, which can be edited: the text follows the gates, and the gates follow the text. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  HighlightStyle,
  StreamLanguage,
  type StreamParser,
  syntaxHighlighting,
} from '@codemirror/language';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LiveStates } from '../live-state/live-state.ts';
import type { Refused, TextSource } from '../live-state/messages.ts';
import { type EditedCircuit, editedCircuit, MAX_QUBITS } from './edited-circuit.ts';
import { circuit, edit, gateSource, inputs, textSource, unreadText } from './editor.ts';
import { messageOfAnswer } from './state-words.ts';
import { changeTo } from './text-change.ts';

/** Milliseconds without a key after which a text is read. */
const READ_AFTER_MS = 250;
/** Milliseconds without a change of the circuit after which it is written. A slider changes it with each frame. */
const WRITE_AFTER_MS = 120;
/** Most gates that are drawn. */
const MAX_DRAWN = 1000;

export function QasmEditor({ states }: { readonly states: LiveStates }) {
  const host = useRef<HTMLDivElement>(null);
  const note = useSignal('');
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    return openEditor(element, states, (text) => {
      note.value = text;
    });
  }, [states]);
  return (
    <section class="card" aria-labelledby="text-title">
      <h2 id="text-title">OpenQASM 3</h2>
      <p class="note">Edit the text or the circuit: each follows the other.</p>
      <div class="editor" ref={host} />
      <p class="small" role="status">
        {note.value}
      </p>
    </section>
  );
}

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
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: '',
      extensions: [
        lineNumbers(),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        StreamLanguage.define(OPENQASM),
        syntaxHighlighting(COLOURS),
        FAULTS,
        LOOK,
        EditorView.contentAttributes.of({ 'aria-label': 'OpenQASM 3 text of the circuit' }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          if (update.state.doc.toString() === known) {
            unreadText.value = undefined;
            return;
          }
          numEdits += 1;
          unreadText.value = 'The text has changed and is being read.';
          clearTimeout(timer);
          timer = setTimeout(() => void read().catch(() => {}), READ_AFTER_MS);
        }),
      ],
    }),
  });

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
    const answer = await states.parseOpenqasm(text);
    // It has been edited since.
    if (isEnded || view.state.doc.toString() !== text) return;
    if (answer.kind === 'refused') {
      mark(answer);
      say(messageOfAnswer(answer));
      unreadText.value =
        'The text has a fault, so drawing and state are of the circuit before it. Mend the text, or undo.';
      return;
    }
    mark(undefined);
    known = text;
    unreadText.value = undefined;
    const asText = () => {
      const before = textSource.peek()?.inputs ?? {};
      const values = Object.entries(answer.inputs).map(
        ([name, value]) => [name, before[name] ?? value] as const,
      );
      textSource.value = {
        qasm: text,
        ...(values.length > 0 && { inputs: Object.fromEntries(values) }),
      };
    };
    if (answer.circuit === undefined) {
      asText();
      say(
        'This program computes with measured bits, or with inputs: the text is the source, and is not drawn.',
      );
      return;
    }
    if (answer.qubits > MAX_QUBITS || answer.circuit.length > MAX_DRAWN) {
      asText();
      say(`Up to ${MAX_QUBITS} qubits and ${MAX_DRAWN} gates are drawn: the text is the source.`);
      return;
    }
    say(answer.warnings.map(({ message }) => message).join(' '));
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
    const answer = await states.writeOpenqasm(gateSource.peek(), 3);
    if (isOver() || answer.kind === 'refused') return;
    const before = view.state.doc.toString();
    known = answer.text;
    fromText = undefined;
    unreadText.value = undefined;
    if (answer.text === before) return;
    view.dispatch({ changes: changeTo(before, answer.text) });
    mark(undefined);
    say('');
  };

  // A worker that failed is reported with the state.
  const follow = () => {
    clearTimeout(writing);
    const edits = numEdits;
    writing = setTimeout(() => void write(edits).catch(() => {}), WRITE_AFTER_MS);
  };
  /** Shows a text that became the source elsewhere: by a link, or before this editor was opened. */
  const showSource = (source: TextSource | undefined) => {
    if (source === undefined || source.qasm === known) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: source.qasm } });
  };
  const ends = [
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

const KEYWORDS = new Set(
  'OPENQASM include gate measure reset barrier if else for while in return def defcal let const input output ctrl negctrl inv pow end break continue opaque pragma box delay'.split(
    ' ',
  ),
);
const TYPES = new Set(
  'qubit qreg bit creg int uint float angle bool duration stretch complex'.split(' '),
);

const OPENQASM: StreamParser<{ isInComment: boolean }> = {
  startState: () => ({ isInComment: false }),
  token(stream, state) {
    if (state.isInComment) {
      if (stream.skipTo('*/')) {
        stream.match('*/');
        state.isInComment = false;
      } else stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match('/*')) {
      state.isInComment = true;
      return 'comment';
    }
    if (stream.match(/^"[^"]*"/)) return 'string';
    if (stream.match(/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i) || stream.match(/^(?:pi|tau|π|τ)\b/)) {
      return 'number';
    }
    const word = stream.match(/^[A-Za-z_]\w*/);
    if (word !== null && word !== true && word !== false) {
      const [name = ''] = word;
      if (KEYWORDS.has(name)) return 'keyword';
      return TYPES.has(name) ? 'typeName' : null;
    }
    stream.next();
    return null;
  },
};
