/** What a parser asks of its tokens: look at one, take one if it is the right one, or fail there. */
import {
  OpenQasmLimitError,
  OpenQasmMeaningError,
  OpenQasmSyntaxError,
  OpenQasmUnsupportedError,
} from '../errors.ts';
import { Lexer, positionAt, type Token } from './lexer.ts';

/** The longest part of the text that a message quotes. */
const MAX_QUOTED = 40;

/**
 * Words and symbols that may be held at a time for each gate allowed. `rz(0.5) q[0];` has 9, and a gate
 * definition or a block needs them all at once. Each takes up to 150 bytes in a syntax tree.
 */
const TOKENS_PER_GATE = 12;
/** Allowed on top, so that a small limit of gates leaves room for declarations. */
const SPARE_TOKENS = 250_000;

/** Something in a program that was taken but not acted on. */
export interface ProgramWarning {
  /** Stable. */
  readonly code: string;
  readonly message: string;
  readonly line?: number;
}

/** Warnings that are listed one by one. */
const MAX_WARNINGS = 20;

/** A part of the text, quoted and cut for a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

/**
 * One token of lookahead over a lexer, and the errors that name a place in the text.
 *
 * The stream also bounds the memory of reading: it counts the tokens of the statement that is being
 * read, and those of earlier statements that stay in memory (definitions, declarations).
 */
export class TokenStream {
  readonly #lexer: Lexer;
  readonly #maxGates: number;
  /** Tokens of statements that stay in memory until the program is read. */
  #numKept = 0;
  /** The same, with the tokens of the statement that is being read. */
  #numHeld = 0;
  readonly #warnings: ProgramWarning[] = [];
  #numWarnings = 0;
  /** The token that `next` would take. */
  current: Token;

  /**
   * @param maxGates - The limit of gates, from which the limit of tokens follows; none unless given.
   * @param offset - Where reading begins.
   */
  constructor(source: string, maxGates = Number.POSITIVE_INFINITY, offset = 0) {
    this.#lexer = new Lexer(source, offset);
    this.#maxGates = maxGates;
    this.current = this.#lexer.next();
  }

  /** Takes the current token. */
  next(): Token {
    const token = this.current;
    this.hold(1, token.offset);
    this.current = this.#lexer.next();
    return token;
  }

  /** Begins a statement: the one before it is no longer in memory, unless `keepStatement` was called. */
  beginStatement(): void {
    this.#numHeld = this.#numKept;
  }

  /** Notes that the statement just read stays in memory. */
  keepStatement(): void {
    this.#numKept = this.#numHeld;
  }

  /**
   * Counts `count` parts of the statement that is being read; `next` counts tokens by itself.
   *
   * @throws {OpenQasmLimitError} when the statement, with all that is kept, has too many.
   */
  hold(count: number, offset: number): void {
    this.#numHeld += count;
    const most = TOKENS_PER_GATE * this.#maxGates + SPARE_TOKENS;
    if (this.#numHeld <= most) return;
    const what = 'This statement, with the definitions and declarations before it,';
    const limit = `the limit follows from max_gates, which is ${this.#maxGates}`;
    throw this.pastLimit(offset, `${what} has more than ${most} words and symbols; ${limit}.`);
  }

  /** Drops the rest of the line that the current token is on. */
  skipLine(): void {
    this.#lexer.skipLine(this.current.offset);
    this.current = this.#lexer.next();
  }

  /** The text from the current token to the end of its line. */
  restOfLine(): string {
    const { source } = this.#lexer;
    const { offset } = this.current;
    const end = source.indexOf('\n', offset);
    return source.slice(offset, end < 0 ? undefined : end);
  }

  /** The rest of the line as a stream that ends with it; this one goes on with the next line. */
  takeLine(): TokenStream {
    const { offset } = this.current;
    const text = this.#lexer.source.slice(0, offset + this.restOfLine().length);
    const line = new TokenStream(text, this.#maxGates, offset);
    this.skipLine();
    return line;
  }

  /** Notes that what stands at `offset` is not acted on; with `once`, only the first of its code. */
  warn(code: string, offset: number, message: string, once = false): void {
    if (once && this.#warnings.some((warning) => warning.code === code)) return;
    this.#numWarnings++;
    if (this.#warnings.length === MAX_WARNINGS) return;
    const { line } = this.#position(offset);
    this.#warnings.push({ code, message: `OpenQASM line ${line}: ${message}`, line });
  }

  /** The first warnings, and how many there are beside them. */
  get warnings(): readonly ProgramWarning[] {
    const further = this.#numWarnings - this.#warnings.length;
    if (further === 0) return this.#warnings;
    const message = `${further} further warnings are not listed.`;
    return [...this.#warnings, { code: 'CIRCUIT_MORE_IGNORED', message }];
  }

  /** Whether the current token is that symbol. */
  isSymbol(text: string): boolean {
    return this.current.kind === 'symbol' && this.current.text === text;
  }

  /** Whether the current token is that word. */
  isWord(text: string): boolean {
    return this.current.kind === 'identifier' && this.current.text === text;
  }

  /** Takes the symbol if it is there. */
  accept(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.next();
    return true;
  }

  /** Takes the symbol; the text must have it here. */
  expect(symbol: string): Token {
    if (!this.isSymbol(symbol)) throw this.unexpected(quoted(symbol));
    return this.next();
  }

  /** Takes a word; the text must have `what` here. */
  expectWord(what: string): Token {
    if (this.current.kind !== 'identifier') throw this.unexpected(what);
    return this.next();
  }

  /** Takes a whole number; past 2^53 it is inexact, which every use refuses as too large anyway. */
  expectInteger(what: string): number {
    if (this.current.kind !== 'integer') throw this.unexpected(what);
    return Number(this.next().text);
  }

  /** The error that the current token is not what the grammar allows. */
  unexpected(expected: string): OpenQasmSyntaxError {
    const { kind, text, offset } = this.current;
    const found = kind === 'end' ? 'the end of the text' : quoted(text);
    return new OpenQasmSyntaxError(this.#position(offset), expected, found);
  }

  /** The error that the text at `offset` means nothing. */
  meaningless(offset: number, problem: string): OpenQasmMeaningError {
    return new OpenQasmMeaningError(this.#position(offset), problem);
  }

  /** The error that the construct at `offset` is not run by this service. */
  unsupported(offset: number, construct: string): OpenQasmUnsupportedError {
    return new OpenQasmUnsupportedError(this.#position(offset), construct);
  }

  /** The error that the text at `offset` goes past a limit. */
  pastLimit(offset: number, problem: string): OpenQasmLimitError {
    return new OpenQasmLimitError(this.#position(offset), problem);
  }

  #position(offset: number) {
    return positionAt(this.#lexer.source, offset);
  }
}
