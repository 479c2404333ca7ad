/** The editor of the circuit's text, by CodeMirror. Loaded when somebody goes to the text. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { effect, type ReadonlySignal } from '@preact/signals';
import type { Refused } from '../live-state/messages.ts';
import { language } from './editor.ts';
import { LANGUAGES, textLabel } from './languages.ts';
import { messageOfAnswer } from './state-words.ts';
import { changeTo } from './text-change.ts';

/** An editor that is open. */
export interface CodeEditor {
  /** Puts the cursor at a place of the window, if one is given, and the focus into the text. */
  focus(place: { readonly x: number; readonly y: number } | undefined): void;
  close(): void;
}

/**
 * Opens an editor that shows a text and underlines its fault, as both change.
 *
 * @param onType - Receives the text that the visitor has typed.
 */
export function openCodeEditor(
  element: HTMLElement,
  text: ReadonlySignal<string>,
  fault: ReadonlySignal<Refused | undefined>,
  onType: (text: string) => void,
): CodeEditor {
  // Styles of a shadow root are no inline styles, which the page's policy forbids.
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
  const syntax = new Compartment();
  const inLanguage = () => [
    StreamLanguage.define(LANGUAGES[language.peek()].parser),
    EditorView.contentAttributes.of({
      'aria-label': textLabel(language.peek()),
      // So that the keyboard reaches what is scrolled.
      tabindex: '0',
    }),
  ];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text.peek(),
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
          onType(state.doc.toString());
        }),
      ],
    }),
  });
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
  const ends = [
    language.subscribe(() => view.dispatch({ effects: syntax.reconfigure(inLanguage()) })),
    effect(() => {
      const before = view.state.doc.toString();
      if (text.value === before) return;
      view.dispatch({ changes: changeTo(before, text.value), annotations: OURS.of(true) });
    }),
    effect(() => {
      const refused = fault.value;
      view.dispatch({ effects: setFault.of(refused && faultIn(refused)) });
    }),
  ];
  return {
    focus(place) {
      const at = place && view.posAtCoords(place);
      if (typeof at === 'number') view.dispatch({ selection: { anchor: at } });
      view.focus();
    },
    close() {
      for (const end of ends) end();
      view.destroy();
    },
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
