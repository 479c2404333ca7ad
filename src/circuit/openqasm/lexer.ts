/**
 * Splits OpenQASM text into tokens, one at a time, so that memory does not grow with the text.
 *
 * One lexer serves both versions: symbols of only one of them (`^`, `**`, `@`) are rejected by the other's
 * grammar. Tokens carry offsets; lines and columns are computed only for errors.
 */
import { OpenQasmSyntaxError, type SourcePosition } from '../errors.ts';

/** Kind of a token. Keywords are identifiers; the grammar decides which words are keywords. */
type TokenKind =
  | 'identifier'
  | 'integer'
  | 'real'
  /** A whole number in syntax of OpenQASM 3 only: 0xff, 0b101, 0o17, 1_000. */
  | 'based'
  | 'string'
  | 'symbol'
  | 'end';

/** A word, number, string or symbol of the text. */
export interface Token {
  readonly kind: TokenKind;
  /** Text as written; for a string, the part between the quotes. */
  readonly text: string;
  /** Offset of its beginning, in UTF-16 units. */
  readonly offset: number;
}

/** Longer numbers are rejected, because the pattern's stack grows with the number. */
const MAX_NUMBER_LENGTH = 1000;

const NUMBER =
  /0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO][0-7]+(?:_[0-7]+)*|(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?/y;
/** A word, or a qubit of the machine such as `$0`. */
const WORD = /[A-Za-z_][A-Za-z0-9_]*|\$\d+/y;
/**
 * A word with letters of any script, such as θ, as OpenQASM 3 allows. Tried only where ASCII does not
 * suffice.
 */
const UNICODE_WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;
const SYMBOL = /->|==|!=|<=|>=|<<|>>|&&|\|\||\*\*|[;,()[\]{}+\-*/^=!@#$:<>&|~%]/y;

const SLASH = 47;
const STAR = 42;

const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function numberKind(text: string): 'integer' | 'real' | 'based' {
  if (/^\d+$/.test(text)) return 'integer';
  return /^0[xXbBoO]|^[\d_]+$/.test(text) ? 'based' : 'real';
}

/** Line and column of an offset. */
export function positionAt(source: string, offset: number): SourcePosition {
  let line = 1;
  let lineStart = 0;
  for (let i = source.indexOf('\n'); i >= 0 && i < offset; i = source.indexOf('\n', i + 1)) {
    line++;
    lineStart = i + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** Reads tokens from a text. */
export class Lexer {
  readonly source: string;
  #offset: number;

  /** @param offset - Offset at which reading begins. */
  constructor(source: string, offset = 0) {
    this.source = source;
    this.#offset = offset;
  }

  /**
   * Returns the next token; `end` again and again after the last one.
   *
   * @throws {OpenQasmSyntaxError} at a character that begins no token, or an unclosed string.
   */
  next(): Token {
    this.#skipSpace();
    const offset = this.#offset;
    const { source } = this;
    if (offset >= source.length) return { kind: 'end', text: '', offset };
    const code = source.charCodeAt(offset);
    if (code === 34 || code === 39) return this.#string(source[offset]!);
    if (isDigit(code) || (code === 46 && isDigit(source.charCodeAt(offset + 1)))) {
      const text = this.#number(offset);
      return { kind: numberKind(text), text, offset };
    }
    const word = this.#word();
    if (word !== undefined) return { kind: 'identifier', text: word, offset };
    const symbol = this.#match(SYMBOL);
    if (symbol !== undefined) return { kind: 'symbol', text: symbol, offset };
    const character = String.fromCodePoint(source.codePointAt(offset) ?? code);
    throw this.#error(offset, 'a word, a number or a symbol', JSON.stringify(character));
  }

  /** Continues after the line that contains `offset`. */
  skipLine(offset: number): void {
    const end = this.source.indexOf('\n', offset);
    this.#offset = end < 0 ? this.source.length : end + 1;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const text = pattern.exec(this.source)?.[0];
    if (text !== undefined) this.#offset += text.length;
    return text;
  }

  #number(offset: number): string {
    NUMBER.lastIndex = 0;
    const text = NUMBER.exec(this.source.slice(offset, offset + 2 * MAX_NUMBER_LENGTH))?.[0] ?? '';
    if (text.length > MAX_NUMBER_LENGTH) {
      const found = `${text.slice(0, 20)}…`;
      throw this.#error(offset, `a number of at most ${MAX_NUMBER_LENGTH} characters`, found);
    }
    this.#offset += text.length;
    return text;
  }

  #word(): string | undefined {
    const start = this.#offset;
    const word = this.#match(WORD);
    const following = this.source.charCodeAt(this.#offset);
    if (!(following > 127) || (word === undefined && this.#offset !== start)) return word;
    this.#offset = start;
    return this.#match(UNICODE_WORD) ?? this.#match(WORD);
  }

  #string(quote: string): Token {
    const offset = this.#offset;
    const end = this.source.indexOf(quote, offset + 1);
    const text = this.source.slice(offset + 1, end < 0 ? undefined : end);
    if (end < 0 || text.includes('\n')) {
      throw this.#error(offset, `a closing ${quote} on the same line`, 'none');
    }
    this.#offset = end + 1;
    return { kind: 'string', text, offset };
  }

  /** Skips blanks and comments of both kinds. */
  #skipSpace(): void {
    const { source } = this;
    for (;;) {
      const code = source.charCodeAt(this.#offset);
      if (isSpace(code)) {
        this.#offset++;
      } else if (code === SLASH && source.charCodeAt(this.#offset + 1) === SLASH) {
        const end = source.indexOf('\n', this.#offset);
        this.#offset = end < 0 ? source.length : end + 1;
      } else if (code === SLASH && source.charCodeAt(this.#offset + 1) === STAR) {
        const end = source.indexOf('*/', this.#offset + 2);
        if (end < 0) throw this.#error(this.#offset, 'a closing */', 'none');
        this.#offset = end + 2;
      } else {
        return;
      }
    }
  }

  #error(offset: number, expected: string, found: string): OpenQasmSyntaxError {
    return new OpenQasmSyntaxError(positionAt(this.source, offset), expected, found);
  }
}
