/** Tokens of a text in LLVM's intermediate representation. */
import { positionAt } from '../../errors/text-position.ts';
import { QirError } from '../errors.ts';

/** What a token is; `label` ends with a colon, `metadata` begins with `!`, `group` with `#`. */
export type TokenKind =
  | 'word'
  | 'local'
  | 'global'
  | 'label'
  | 'number'
  | 'string'
  | 'characters'
  | 'group'
  | 'metadata'
  | 'mark'
  | 'end';

/** A token. */
export interface Token {
  readonly kind: TokenKind;
  /** A name without its sign and its quotes, the characters of a string; else as it is written. */
  readonly text: string;
  readonly at: number;
  /** Whether it is the first of its line. */
  readonly startsLine: boolean;
}

const SPACE = /(?:\s|;[^\n]*)+/y;
const TOKEN =
  /(?<label>(?:"[^"]*"|[-\w$.]+):(?!:))|(?<local>%(?:"[^"]*"|[-\w$.]+))|(?<global>@(?:"[^"]*"|[-\w$.]+))|(?<group>#[-\w$.]+)|(?<metadata>![-\w$.\\]*)|(?<characters>c"[^"]*")|(?<string>"[^"]*")|(?<number>0x[KLMHR]?[\da-fA-F]+|[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(?<word>[a-zA-Z_$.][-\w$.]*)|(?<mark>\.\.\.|[=,*(){}[\]<>|:])/y;

/** Reads tokens one by one, with one token ahead. */
export class LlvmTokens {
  readonly #text: string;
  #offset = 0;
  #ahead: Token;

  constructor(text: string) {
    this.#text = text;
    this.#ahead = this.#read();
  }

  /** The next token, which stays. */
  peek(): Token {
    return this.#ahead;
  }

  /** Takes the next token. */
  take(): Token {
    const token = this.#ahead;
    this.#ahead = this.#read();
    return token;
  }

  /** Takes the next token if it is this mark or word. */
  takes(text: string): boolean {
    const { kind } = this.#ahead;
    if (this.#ahead.text !== text || (kind !== 'word' && kind !== 'mark')) return false;
    this.take();
    return true;
  }

  /** Takes the next token, which has to be this mark or word. */
  expect(text: string): void {
    if (!this.takes(text)) throw this.unexpected(`"${text}"`);
  }

  /** Takes the next token, which has to be of this kind, and returns its text. */
  expectKind(kind: TokenKind, what: string): string {
    if (this.#ahead.kind !== kind) throw this.unexpected(what);
    return this.take().text;
  }

  /** Takes everything up to the bracket that closes the one that comes next, if one does. */
  skipBrackets(): void {
    const open = this.#ahead.at;
    let depth = 0;
    do {
      const { kind, text } = this.#ahead;
      if (kind === 'end') throw this.fault('This bracket is never closed.', open);
      if (kind === 'mark' && '([{<'.includes(text)) depth++;
      if (kind === 'mark' && ')]}>'.includes(text)) depth--;
      this.take();
    } while (depth > 0);
  }

  /** Takes what is left of the line, which has no meaning here. */
  skipLine(): void {
    while (!this.#ahead.startsLine && this.#ahead.kind !== 'end') this.skipBrackets();
  }

  /** Error that something else is expected in place of the next token. */
  unexpected(what: string): QirError {
    const { kind, text, at } = this.#ahead;
    const found = kind === 'end' ? 'the end of the text' : `"${text.slice(0, 60)}"`;
    return this.fault(`expected ${what}, found ${found}.`, at);
  }

  /** Error at an offset, or at the next token. */
  fault(problem: string, at: number = this.#ahead.at, code?: string): QirError {
    return new QirError(this.describe(at), problem, code);
  }

  /** Line and column of an offset. */
  describe(at: number): string {
    const { line, column } = positionAt(this.#text, at);
    return `line ${line}, column ${column}`;
  }

  #read(): Token {
    const before = this.#offset;
    SPACE.lastIndex = before;
    if (SPACE.test(this.#text)) this.#offset = SPACE.lastIndex;
    const at = this.#offset;
    const startsLine = before === 0 || this.#text.slice(before, at).includes('\n');
    if (at >= this.#text.length) return { kind: 'end', text: '', at, startsLine: true };
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(this.#text);
    if (found === null) {
      const character = String.fromCodePoint(this.#text.codePointAt(at)!);
      throw this.fault(`the character "${character}" begins nothing that LLVM has.`, at);
    }
    this.#offset = TOKEN.lastIndex;
    const [kind, text] = Object.entries(found.groups!).find(([, part]) => part !== undefined)!;
    // Checked: the groups have the names of the kinds.
    return { kind: kind as TokenKind, text: meaningOf(kind, text), at, startsLine };
  }
}

function meaningOf(kind: string, text: string): string {
  switch (kind) {
    case 'local':
    case 'global':
      return unquoted(text.slice(1));
    case 'characters':
      return unquoted(text.slice(1));
    case 'label':
      return unquoted(text.slice(0, -1));
    case 'string':
      return unquoted(text);
    default:
      return text;
  }
}

/** Text between quotes, if there are any; `\22` is the character of that number. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  return text
    .slice(1, -1)
    .replaceAll(/\\([\da-fA-F]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}
