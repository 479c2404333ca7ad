/** Languages of the editor, with the colours of their words. */
import { type StreamParser, StringStream } from '@codemirror/streamparser';

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

/** A name or the end of a block at the beginning of a line, then arguments and targets. */
const STIM: StreamParser<unknown> = {
  token(stream) {
    const isFirst = stream.string.slice(0, stream.pos).trim() === '';
    if (stream.eatSpace()) return null;
    if (stream.match('#')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (isFirst && stream.match(/^[A-Za-z]\w*/)) return 'keyword';
    if (stream.match(/^\[[^\]]*\]/)) return 'string';
    if (stream.match(/^(?:rec|sweep)(?=\[)/)) return 'typeName';
    if (stream.match(/^\d+\.?\d*(?:e[+-]?\d+)?/i)) return 'number';
    stream.next();
    return null;
  },
};

export const LANGUAGES = {
  openqasm3: { title: 'OpenQASM 3', parser: OPENQASM },
  stim: { title: 'Stim', parser: STIM },
} as const;

/** Name of a text in a language. */
export const textLabel = (form: keyof typeof LANGUAGES): string =>
  `${LANGUAGES[form].title} text of the circuit`;

/** The words of lines, each with the kind that gives it a colour; null for a word without one. */
export function colouredLines(
  lines: readonly string[],
  form: keyof typeof LANGUAGES,
): readonly (readonly (readonly [word: string, kind: string | null])[])[] {
  return colouredBy<unknown>(LANGUAGES[form].parser, lines);
}

function colouredBy<State>({ startState, token }: StreamParser<State>, lines: readonly string[]) {
  // Checked: a parser without a state at the beginning uses none.
  const state = startState?.(0) as State;
  return lines.map((line) => {
    const words: (readonly [string, string | null])[] = [];
    const stream = new StringStream(line, 4, 2);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = token(stream, state);
      words.push([stream.current(), kind]);
    }
    return words;
  });
}
