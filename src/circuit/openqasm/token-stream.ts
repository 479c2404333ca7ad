/** Token stream of a parser: one token of lookahead, expected tokens, errors with places, and warnings. */
import { lineEndAt, positionAt } from '../../errors/text-position.ts';
import {
  OpenQasmLimitError,
  OpenQasmMeaningError,
  OpenQasmSyntaxError,
  OpenQasmUnsupportedError,
} from '../errors.ts';
import { Lexer, type Token } from './lexer.ts';

/** Longest part of the text that a message quotes. */
const MAX_QUOTED = 40;

/**
 * Words and symbols that may be in memory at a time, per allowed gate. `rz(0.5) q[0];` has 9, and a gate
 * definition or a block needs all of its own at once. Each takes up to 150 bytes in a syntax tree.
 */
const TOKENS_PER_GATE = 12;
/** Further words and symbols, so that a small limit of gates leaves room for declarations. */
const SPARE_TOKENS = 250_000;

/** A part of a program that was accepted but has no effect. */
export interface ProgramWarning {
  /** Stable. */
  readonly code: string;
  readonly message: string;
  readonly line?: number;
}

/** Warnings that are listed one by one. */
const MAX_WARNINGS = 20;

/** Quotes a part of the text in a message, shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

/**
 * One token of lookahead over a lexer, and errors that name a place in the text.
 *
 * The stream also limits the memory of reading: it counts the tokens of the current statement, and those of
 * earlier statements that stay in memory (definitions, declarations).
 */
export class TokenStream {
  #lexer: Lexer;
  readonly #maxGates: number;
  /** Most tokens in memory. */
  readonly #maxHeld: number;
  /** Tokens of statements that stay in memory until the program is read. */
  #numKept = 0;
  /** Tokens in memory, with those of the current statement. */
  #numHeld = 0;
  readonly #warnings: ProgramWarning[] = [];
  #numWarnings = 0;
  /** The token that `next` takes. */
  current: Token;

  /**
   * @param maxGates - Limit of gates, from which the limit of tokens follows; no limit unless given.
   * @param offset - Offset at which reading begins.
   */
  constructor(source: string, maxGates = Number.POSITIVE_INFINITY, offset = 0) {
    this.#lexer = new Lexer(source, offset);
    this.#maxGates = maxGates;
    this.#maxHeld = TOKENS_PER_GATE * maxGates + SPARE_TOKENS;
    this.current = this.#lexer.next();
  }

  /** Takes the current token. */
  next(): Token {
    const token = this.current;
    this.hold(1, token.offset);
    this.current = this.#lexer.next();
    return token;
  }

  /** Code of the first character after the current token and the blanks behind it; NaN at the end. */
  get following(): number {
    return this.#lexer.following;
  }

  /** Begins a statement. The one before it is no longer in memory, unless `keepStatement` was called. */
  beginStatement(): void {
    this.#numHeld = this.#numKept;
  }

  /** Records that the statement just read stays in memory. */
  keepStatement(): void {
    this.#numKept = this.#numHeld;
  }

  /**
   * Counts `count` parts of the current statement; `next` counts tokens by itself.
   *
   * @throws {OpenQasmLimitError} when the statement, with all that is kept, has too many.
   */
  hold(count: number, offset: number): void {
    this.#numHeld += count;
    if (this.#numHeld > this.#maxHeld) throw this.#tooManyHeld(offset);
  }

  #tooManyHeld(offset: number): OpenQasmLimitError {
    const most = this.#maxHeld;
    const what = 'This statement, with the definitions and declarations before it,';
    const limit = `the limit follows from max_gates, which is ${this.#maxGates}`;
    return this.pastLimit(offset, `${what} has more than ${most} words and symbols; ${limit}.`);
  }

  /**
   * Goes to the end of the statement that begins at `offset`, from anywhere in it.
   *
   * @returns Whether the text goes on in words and symbols that can be read.
   */
  skipStatement(offset: number): boolean {
    const lexer = new Lexer(this.#lexer.source, offset);
    const open: ('block' | 'set' | 'bracket')[] = [];
    let before = '';
    try {
      for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) {
        const { kind, text } = token;
        const mayEnd = kind === 'symbol' && passBracket(open, text, before);
        before = text;
        if (!mayEnd || open.some((each) => each !== 'bracket')) continue;
        const next = lexer.next();
        if (next.text === 'else') continue;
        this.#lexer = lexer;
        this.current = next;
        return next.kind !== 'end';
      }
    } catch (error) {
      // Text that is no word or symbol.
      if (!(error instanceof OpenQasmSyntaxError)) throw error;
    }
    return false;
  }

  /** Skips the rest of the current token's line. */
  skipLine(): void {
    this.#lexer.skipLine(this.current.offset);
    this.current = this.#lexer.next();
  }

  /** Text from the current token to the end of its line. */
  restOfLine(): string {
    const { source } = this.#lexer;
    const { offset } = this.current;
    return source.slice(offset, lineEndAt(source, offset));
  }

  /** Takes the rest of the line as a stream of its own; this stream continues with the next line. */
  takeLine(): TokenStream {
    const { offset } = this.current;
    const text = this.#lexer.source.slice(0, offset + this.restOfLine().length);
    const line = new TokenStream(text, this.#maxGates, offset);
    this.skipLine();
    return line;
  }

  /** Warns that the text at `offset` has no effect; with `once`, only for the first of its code. */
  warn(code: string, offset: number, message: string, once = false): void {
    if (once && this.#warnings.some((warning) => warning.code === code)) return;
    this.#numWarnings++;
    if (this.#warnings.length === MAX_WARNINGS) return;
    const line = this.lineAt(offset);
    this.#warnings.push({ code, message: `OpenQASM line ${line}: ${message}`, line });
  }

  /** First warnings, and the number of the others. */
  get warnings(): readonly ProgramWarning[] {
    const further = this.#numWarnings - this.#warnings.length;
    if (further === 0) return this.#warnings;
    const message = `${further} further warnings are not listed.`;
    return [...this.#warnings, { code: 'CIRCUIT_MORE_IGNORED', message }];
  }

  /** Whether the current token is a symbol. */
  isSymbol(text: string): boolean {
    return this.current.kind === 'symbol' && this.current.text === text;
  }

  /** Whether the current token is a word. */
  isWord(text: string): boolean {
    return this.current.kind === 'identifier' && this.current.text === text;
  }

  /** Takes a symbol if it is next. */
  accept(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.next();
    return true;
  }

  /** Takes a symbol, which must be next. */
  expect(symbol: string): Token {
    if (!this.isSymbol(symbol)) throw this.unexpected(quoted(symbol));
    return this.next();
  }

  /** Reads a list of one or more items with commas up to `close`, which is left; a comma may precede it. */
  separated(close: string, read: () => void): void {
    do read();
    while (this.accept(',') && !this.isSymbol(close));
  }

  /** Whether nothing but blanks and tabs, if anything, is between a token and the current one. */
  isBeside({ offset, text }: Token): boolean {
    return /^[ \t]*$/.test(this.#lexer.source.slice(offset + text.length, this.current.offset));
  }

  /** Takes a word, which must be next; `what` names it in the error. */
  expectWord(what: string): Token {
    if (this.current.kind !== 'identifier') throw this.unexpected(what);
    return this.next();
  }

  /** Takes a whole number. Past 2^53 it is inexact, but every use rejects such a number as too large. */
  expectInteger(what: string): number {
    if (this.current.kind !== 'integer') throw this.unexpected(what);
    return Number(this.next().text);
  }

  /** Line of the text at an offset, from 1. */
  lineAt(offset: number): number {
    return this.#position(offset).line;
  }

  /** Error that the grammar does not allow the current token. */
  unexpected(expected: string): OpenQasmSyntaxError {
    const { kind, text, offset } = this.current;
    const found = kind === 'end' ? 'the end of the text' : quoted(text);
    return new OpenQasmSyntaxError(this.#position(offset), expected, found);
  }

  /** Error that the text at `offset` is invalid. */
  invalid(offset: number, problem: string): OpenQasmMeaningError {
    return new OpenQasmMeaningError(this.#position(offset), problem);
  }

  /** Error that this service does not run the construct at `offset`. */
  unsupported(offset: number, construct: string): OpenQasmUnsupportedError {
    return new OpenQasmUnsupportedError(this.#position(offset), construct);
  }

  /** Error that the text at `offset` exceeds a limit. */
  pastLimit(offset: number, problem: string): OpenQasmLimitError {
    return new OpenQasmLimitError(this.#position(offset), problem);
  }

  #position(offset: number) {
    return positionAt(this.#lexer.source, offset);
  }
}

/** Symbols and words that a set of values follows; any other brace begins a block. */
const BEFORE_SET: readonly string[] = ['in', '=', '[', '(', ','];

/**
 * Opens or closes what a symbol does; a fault may have left brackets open.
 *
 * @param before - The text before the symbol.
 * @returns Whether a statement ends with the symbol, unless blocks are open.
 */
function passBracket(open: ('block' | 'set' | 'bracket')[], text: string, before: string): boolean {
  switch (text) {
    case '{': {
      const isSet = BEFORE_SET.includes(before) || (before === '{' && open.at(-1) === 'set');
      open.push(isSet ? 'set' : 'block');
      return false;
    }
    case '(':
    case '[':
      open.push('bracket');
      return false;
    case ')':
    case ']':
      if (open.at(-1) === 'bracket') open.pop();
      return false;
    case '}':
      while (open.at(-1) === 'bracket') open.pop();
      return open.pop() !== 'set';
    case ';':
      // No bracket and no set reaches across it.
      while (open.length > 0 && open.at(-1) !== 'block') open.pop();
      return true;
    default:
      return false;
  }
}
