/**
 * Splits OpenQASM text into tokens, one at a time, so that memory does not grow with the text.
 *
 * One lexer serves both versions: symbols of only one of them (`^`, `**`, `@`) are rejected by the other's
 * grammar. Tokens carry offsets; lines and columns are computed only for errors.
 */
import { lineEndAt, positionAt } from '../../errors/text-position.ts';
import { OpenQasmSyntaxError } from '../errors.ts';

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

/** Numbers of all forms; those without underscores in base ten are read without it. */
const NUMBER =
  /0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO][0-7]+(?:_[0-7]+)*|(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?/y;
/** A word, or a qubit of the machine such as `$0`. */
const WORD = /[A-Za-z_][A-Za-z0-9_]*|\$\d+/y;
/**
 * A word with letters of any script, such as θ, as OpenQASM 3 allows. Tried only where ASCII does not
 * suffice.
 */
const UNICODE_WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;

/** Class of each ASCII character: the kind of token that begins with it. */
const CLASSES = new Uint8Array(128);
const [SPACE, LETTER, DIGIT, SYMBOL] = [1, 2, 3, 4] as const;
for (const code of [9, 10, 11, 12, 13, 32]) CLASSES[code] = SPACE;
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz') {
  CLASSES[letter.charCodeAt(0)] = LETTER;
}
for (const digit of '0123456789') CLASSES[digit.charCodeAt(0)] = DIGIT;

/** Symbols of one character, by its code: one string each, so that comparing them compares pointers. */
const SINGLE: string[] = [];
for (const symbol of ';,()[]{}+-*/^=!@#$:<>&|~%') {
  CLASSES[symbol.charCodeAt(0)] = SYMBOL;
  SINGLE[symbol.charCodeAt(0)] = symbol;
}
/** Symbols of two characters, by the code of their first. */
const DOUBLE: (readonly string[])[] = [];
for (const symbol of ['->', '==', '!=', '<=', '>=', '<<', '>>', '&&', '||', '**', '++']) {
  const code = symbol.charCodeAt(0);
  DOUBLE[code] = [...(DOUBLE[code] ?? []), symbol];
}

const SLASH = 47;
const STAR = 42;
const DOT = 46;
const UNDERSCORE = 95;
const ZERO = 48;
const LOWER_E = 101;
/** Bit that tells a small letter from a large one. */
const CASE = 32;

const classOf = (code: number): number => (code < 128 ? CLASSES[code]! : 0);
const isSpace = (code: number): boolean =>
  classOf(code) === SPACE || code === 0xa0 || code === 0xfeff;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function numberKind(text: string): 'integer' | 'real' | 'based' {
  if (/^\d+$/.test(text)) return 'integer';
  return /^0[xXbBoO]|^[\d_]+$/.test(text) ? 'based' : 'real';
}

/**
 * Short words and numbers that were read recently, by a hash of their characters. A text repeats few words
 * many times: one string for all of them needs no copy, and keeps its hash for the look-ups that follow.
 */
const RECENT: string[] = new Array<string>(512).fill('');
/** A longer part of a text would keep the whole text in memory. */
const MAX_RECENT_LENGTH = 12;

/** The characters from `start` to `end`; `hash` depends on them alone. */
function textOf(source: string, start: number, end: number, hash: number): string {
  const length = end - start;
  if (length > MAX_RECENT_LENGTH) return source.slice(start, end);
  const slot = (hash ^ (hash >>> 9)) & 511;
  const recent = RECENT[slot]!;
  if (recent.length === length) {
    let i = 0;
    while (i < length && recent.charCodeAt(i) === source.charCodeAt(start + i)) i++;
    if (i === length) return recent;
  }
  const text = source.slice(start, end);
  RECENT[slot] = text;
  return text;
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
    switch (classOf(code)) {
      case LETTER:
        return { kind: 'identifier', text: this.#word(offset, code), offset };
      case DIGIT:
        return this.#number(offset);
      case SYMBOL:
        // `$0` is a word.
        if (code !== 36 || !isDigit(source.charCodeAt(offset + 1))) {
          return { kind: 'symbol', text: this.#symbol(offset, code), offset };
        }
        break;
      default:
        if (code === DOT && isDigit(source.charCodeAt(offset + 1))) return this.#number(offset);
        if (code === 34 || code === 39) return this.#string(source[offset]!);
    }
    const word = this.#match(UNICODE_WORD) ?? this.#match(WORD);
    if (word !== undefined) return { kind: 'identifier', text: word, offset };
    const character = String.fromCodePoint(source.codePointAt(offset) ?? code);
    throw this.#error(offset, 'a word, a number or a symbol', JSON.stringify(character));
  }

  /** Code of the first character after the last token and the blanks behind it; NaN at the end. */
  get following(): number {
    const { source } = this;
    let at = this.#offset;
    while (isSpace(source.charCodeAt(at))) at++;
    return source.charCodeAt(at);
  }

  /** Continues after the line that contains `offset`. */
  skipLine(offset: number): void {
    this.#offset = lineEndAt(this.source, offset);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const text = pattern.exec(this.source)?.[0];
    if (text !== undefined) this.#offset += text.length;
    return text;
  }

  /** Reads a number, whose first character is a digit, or a dot before one. */
  #number(offset: number): Token {
    const { source } = this;
    let at = offset;
    let code = source.charCodeAt(at);
    let hash = 0;
    for (; isDigit(code); code = source.charCodeAt(++at)) hash = (31 * hash + code) | 0;
    const isReal = code === DOT || (code | CASE) === LOWER_E;
    if (code === DOT)
      for (code = source.charCodeAt(++at); isDigit(code); ) code = source.charCodeAt(++at);
    if ((code | CASE) === LOWER_E) {
      const sign = source.charCodeAt(at + 1);
      const first = sign === 43 || sign === 45 ? at + 2 : at + 1;
      // Without a digit it is no exponent, and no common number.
      if (!isDigit(source.charCodeAt(first))) return this.#uncommonNumber(offset);
      at = first;
      while (isDigit(source.charCodeAt(at))) at++;
      code = source.charCodeAt(at);
    }
    // Underscores, and digits of another base after a zero.
    const isOfBase =
      at === offset + 1 && source.charCodeAt(offset) === ZERO && classOf(code) === LETTER;
    if (code === UNDERSCORE || isOfBase || at - offset > MAX_NUMBER_LENGTH) {
      return this.#uncommonNumber(offset);
    }
    this.#offset = at;
    return isReal
      ? { kind: 'real', text: source.slice(offset, at), offset }
      : { kind: 'integer', text: textOf(source, offset, at, hash), offset };
  }

  #uncommonNumber(offset: number): Token {
    NUMBER.lastIndex = 0;
    const text = NUMBER.exec(this.source.slice(offset, offset + 2 * MAX_NUMBER_LENGTH))?.[0] ?? '';
    if (text.length > MAX_NUMBER_LENGTH) {
      const found = `${text.slice(0, 20)}…`;
      throw this.#error(offset, `a number of at most ${MAX_NUMBER_LENGTH} characters`, found);
    }
    this.#offset += text.length;
    return { kind: numberKind(text), text, offset };
  }

  /** Reads a word that begins with an ASCII letter. */
  #word(offset: number, first: number): string {
    const { source } = this;
    let at = offset;
    let code = first;
    let hash = 0;
    for (let of = LETTER as number; of === LETTER || of === DIGIT; of = classOf(code)) {
      hash = (31 * hash + code) | 0;
      code = source.charCodeAt(++at);
    }
    if (code > 127) return this.#match(UNICODE_WORD) ?? '';
    this.#offset = at;
    return textOf(source, offset, at, hash);
  }

  #symbol(offset: number, code: number): string {
    const following = this.source.charCodeAt(offset + 1);
    const double = DOUBLE[code]?.find((symbol) => symbol.charCodeAt(1) === following);
    this.#offset += double === undefined ? 1 : 2;
    return double ?? SINGLE[code]!;
  }

  #string(quote: string): Token {
    const offset = this.#offset;
    const end = this.source.indexOf(quote, offset + 1);
    const text = this.source.slice(offset + 1, end < 0 ? undefined : end);
    if (end < 0 || lineEndAt(text, 0) < text.length) {
      throw this.#error(offset, `a closing ${quote} on the same line`, 'none');
    }
    this.#offset = end + 1;
    return { kind: 'string', text, offset };
  }

  /** Skips blanks and comments of both kinds. */
  #skipSpace(): void {
    const { source } = this;
    let at = this.#offset;
    for (;;) {
      const code = source.charCodeAt(at);
      if (isSpace(code)) {
        at++;
      } else if (code === SLASH && source.charCodeAt(at + 1) === SLASH) {
        at = lineEndAt(source, at);
      } else if (code === SLASH && source.charCodeAt(at + 1) === STAR) {
        const end = source.indexOf('*/', at + 2);
        if (end < 0) throw this.#error(at, 'a closing */', 'none');
        at = end + 2;
      } else {
        this.#offset = at;
        return;
      }
    }
  }

  #error(offset: number, expected: string, found: string): OpenQasmSyntaxError {
    return new OpenQasmSyntaxError(positionAt(this.source, offset), expected, found);
  }
}
