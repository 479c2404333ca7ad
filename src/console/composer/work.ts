/**
 * What the composer edits, as one value: the gates or a text in their place, what was there before and after, and a text
 * that is neither yet. Functions return a new value; `editor.ts` holds the present one.
 */
import type { TextForm, TextSource } from '../live-state/messages.ts';
import type { EditedCircuit } from './edited-circuit.ts';

/** A text as it was typed. */
export interface TypedText {
  readonly source: TextSource;
  /** Whether the gates were read from it, and are drawn. Else it is the source, as gates cannot express it. */
  readonly isDrawn: boolean;
}

/** What is drawn and computed at a time. */
export interface Version {
  /** The gates; of a text that is the source, those before it, which are not shown. */
  readonly circuit: EditedCircuit;
  /** Values of inputs that sliders have set, by name; others are 0. */
  readonly values?: Readonly<Record<string, number>> | undefined;
  /** Absent where the gates are the source: their text is written from them. */
  readonly text?: TypedText | undefined;
  /** Of a version in the past or future: the draft that was there when another one came in its place. */
  readonly draft?: Draft | undefined;
  /** Another circuit was opened in its place. A reload keeps the version, so that Undo goes back to it. */
  readonly isLeft?: true | undefined;
}

/** A text of the editor that is not what is drawn and computed: it is still to be read, or has a fault. */
export interface Draft {
  readonly source: TextSource;
  /** Absent until it has been read. */
  readonly fault?: string;
}

/** All of it. */
export interface Work {
  readonly past: readonly Version[];
  readonly present: Version;
  readonly future: readonly Version[];
  /** Edits with the same name that follow each other, as of a slider, are one. */
  readonly name?: string | undefined;
  /** While there is one, drawing and state are out of step with the text, and nothing is run. */
  readonly draft?: Draft | undefined;
}

const MAX_HISTORY = 200;

/** The text itself. */
export const textOf = (source: TextSource): string =>
  'stim' in source ? source.stim : source.qasm;
/** The language of a text. */
export const formOf = (source: TextSource): Extract<TextForm, 'openqasm3' | 'stim'> =>
  'stim' in source ? 'stim' : 'openqasm3';
/** A text in a language. */
export const sourceOf = (form: TextForm, text: string): TextSource =>
  form === 'stim' ? { stim: text } : { qasm: text };

/** Another version is present. The one before is in the past, with its draft. */
export function changed(work: Work, { isLeft: _, ...next }: Version, name?: string): Work {
  const isSame = name !== undefined && name === work.name && work.draft === undefined;
  const past = isSame ? work.past : [...work.past, withDraft(work)];
  const [first] = past;
  // Of those that were left for another circuit, few are kept, but long.
  const isFull = past.length > MAX_HISTORY;
  const dropped = isFull ? (past.find(({ isLeft }) => isLeft === undefined) ?? first) : undefined;
  return { past: past.filter((each) => each !== dropped), present: next, future: [], name };
}

/** The present version as the past or the future has it. */
const withDraft = ({ present, draft }: Work): Version =>
  draft === undefined ? present : { ...present, draft };

/** Another circuit is opened in the place of the present one. */
export function opened(work: Work, next: Version): Work {
  return changed({ ...work, present: { ...work.present, isLeft: true } }, next);
}

/** The editor's text has changed. Typed back to what it was, it is no draft. */
export function drafted(work: Work, source: TextSource, written?: string): Work {
  const { draft: _, ...inStep } = work;
  const typed = work.present.text?.source;
  const known = typed === undefined || formOf(typed) !== formOf(source) ? written : textOf(typed);
  return textOf(source) === known ? inStep : { ...work, draft: { source } };
}

/** The draft has a fault. One that has been typed on meanwhile is another draft. */
export function faulted(work: Work, draft: Draft, fault: string): Work {
  return work.draft === draft ? { ...work, draft: { ...draft, fault } } : work;
}

/** The draft has been read: its gates are drawn, or it is the source in place of those before it. */
export function accepted(work: Work, draft: Draft, next: Version): Work {
  if (work.draft !== draft) return work;
  const { draft: _, ...inStep } = work;
  return changed(inStep, next, next.text?.isDrawn === true ? 'text' : 'text in place of gates');
}

/** The last edit is undone; of a draft, all that was typed since the text was in step. */
export function undone(work: Work): Work {
  const { past, present, future, draft } = work;
  const previous = past.at(-1);
  if (draft !== undefined) return { past, present, future };
  if (previous === undefined) return work;
  return { past: past.slice(0, -1), ...atVersion(previous), future: [present, ...future] };
}

/** The edit that was undone last is made again. A draft is in the past then. */
export function redone(work: Work): Work {
  const [next, ...rest] = work.future;
  return next === undefined
    ? work
    : { past: [...work.past, withDraft(work)], ...atVersion(next), future: rest };
}

const atVersion = ({ draft, ...present }: Version): Pick<Work, 'present' | 'draft'> => ({
  present,
  ...(draft && { draft }),
});
