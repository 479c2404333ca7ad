/** Parses expressions by precedence climbing; `expressions.ts` evaluates them. */
import { MAX_CLASSICAL_BITS } from '../circuit-limits.ts';
import { FUNCTIONS } from '../classical-evaluation.ts';
import { type Scalar, type ScalarType, scalar } from '../classical-expression.ts';
import { ALWAYS, DecisionDiagrams, NEVER } from './decision-diagram.ts';
import { UNITS } from './duration-arithmetic.ts';
import type { OperandSyntax, RangeSyntax, Selector } from './expressions.ts';
import {
  type Expression,
  type Instruction,
  literal,
  type WrittenType,
  withPlace,
} from './expressions.ts';
import { binary, call, unary } from './operators.ts';
import { quoted, type TokenStream } from './token-stream.ts';
import type { Value } from './values.ts';

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['π', Math.PI],
  ['tau', 2 * Math.PI],
  ['τ', 2 * Math.PI],
  ['euler', Math.E],
  ['ℇ', Math.E],
]);

/** Precedence of binary operators. `**` (in OpenQASM 2 also `^`) is handled separately. */
const PRECEDENCE_3: ReadonlyMap<string, number> = new Map([
  ['++', 0.5],
  ['||', 1],
  ['&&', 2],
  ['|', 3],
  ['^', 4],
  ['&', 5],
  ['==', 6],
  ['!=', 6],
  ['<', 7],
  ['<=', 7],
  ['>', 7],
  ['>=', 7],
  ['<<', 8],
  ['>>', 8],
  ['+', 9],
  ['-', 9],
  ['*', 10],
  ['/', 10],
  ['%', 10],
]);
const PRECEDENCE_2: ReadonlyMap<string, number> = new Map(
  [...PRECEDENCE_3].filter(([operator]) => ['+', '-', '*', '/'].includes(operator)),
);

const CASTS: ReadonlySet<string> = new Set(['int', 'uint', 'float', 'angle', 'bool', 'bit']);
const isCast = (name: string): name is ScalarType | 'bit' => CASTS.has(name);

/** Nesting of parentheses, signs and powers; deeper text is rejected before the stack overflows. */
const MAX_DEPTH = 256;

/** Whole numbers of as many digits are exact. */
const MAX_EXACT_DIGITS = 15;

/** A sign before an operand. */
interface Sign {
  readonly operator: string;
  readonly offset: number;
}

/** Whether a character begins a number. */
const isOfNumber = (code: number): boolean => (code >= 48 && code <= 57) || code === 46;
/** Whether a character ends an expression: one of `) , ; ]`. */
const isEnd = (code: number): boolean => code === 41 || code === 44 || code === 59 || code === 93;

/** Constants contain no measured bits, so folding makes no diagrams. */
const NO_DIAGRAMS = new DecisionDiagrams();

/** Parses the expressions of one program. */
export class ExpressionParser {
  readonly #tokens: TokenStream;
  readonly #version: 2 | 3;
  readonly #isOfRegisters: boolean;
  readonly #precedence: ReadonlyMap<string, number>;
  #instructions: Instruction[] = [];
  #depth = 0;

  /** @param isOfRegisters - Whether every name is a register, as in the assignments of Quantinuum's version 2. */
  constructor(tokens: TokenStream, version: 2 | 3, isOfRegisters = false) {
    this.#tokens = tokens;
    this.#version = version;
    this.#isOfRegisters = isOfRegisters;
    this.#precedence = version === 2 ? PRECEDENCE_2 : PRECEDENCE_3;
  }

  /**
   * Parses one expression.
   *
   * @throws {OpenQasmError} if there is none or it nests too deep.
   */
  parse(): Expression {
    const { offset } = this.#tokens.current;
    const parsed = this.parseOrNumber();
    return 'instructions' in parsed ? parsed : literal(parsed, offset);
  }

  /**
   * Parses one expression. If it is a number, which most angles and indices are, nothing else is made of it.
   *
   * @throws as `parse`.
   */
  parseOrNumber(): Expression | Scalar {
    const { offset } = this.#tokens.current;
    const isNegative = this.#tokens.isSymbol('-') && isOfNumber(this.#tokens.following);
    if (isNegative) this.#tokens.next();
    return this.#onlyNumber(isNegative) ?? this.#expression(offset, isNegative);
  }

  /** Takes a number if the expression ends with it; undefined otherwise. */
  #onlyNumber(isNegative: boolean): Scalar | undefined {
    const { kind, text } = this.#tokens.current;
    if ((kind !== 'integer' && kind !== 'real') || !isEnd(this.#tokens.following)) return undefined;
    const isInteger = kind === 'integer' && this.#version === 3;
    // The general way reads long whole numbers, -0 and underscores.
    if (isInteger ? isNegative || text.length > MAX_EXACT_DIGITS : text.includes('_')) {
      return undefined;
    }
    this.#tokens.next();
    const value = Number(text);
    return scalar(isInteger ? 'int' : 'float', isNegative ? -value : value);
  }

  #expression(offset: number, isNegative: boolean): Expression {
    const outer = this.#instructions;
    this.#instructions = [];
    this.#nested(() => this.#operation(0, isNegative ? [{ operator: '-', offset }] : []));
    // A copy has no spare capacity: an array that was pushed to has room for 17 entries, and most have one.
    const instructions = this.#instructions.slice();
    this.#instructions = outer;
    return { instructions, offset };
  }

  /** Parses `q` with any number of `[…]`. */
  operand(what: string): OperandSyntax {
    const { text: name, offset } = this.#tokens.expectWord(what);
    return { name, selectors: this.selectors(), offset };
  }

  /** Parses a width in brackets, `[4]` or `[2 * n]`, if there is one. */
  width(): Expression | undefined {
    if (!this.#tokens.accept('[')) return undefined;
    const width = this.parse();
    this.#tokens.expect(']');
    return width;
  }

  /** Parses `{a, b, c}`. */
  set(): readonly Expression[] {
    this.#tokens.expect('{');
    const members: Expression[] = [];
    this.#tokens.separated('}', () => members.push(this.parse()));
    this.#tokens.expect('}');
    return members;
  }

  /** Parses `a:b`, `a:step:b` or one index. */
  indexOrRange(): RangeSyntax | { readonly kind: 'index'; readonly index: Expression } {
    const { offset } = this.#tokens.current;
    const start = this.#tokens.isSymbol(':') ? undefined : this.parse();
    if (start !== undefined && !this.#tokens.isSymbol(':')) return { kind: 'index', index: start };
    this.#tokens.expect(':');
    const isEnd = () => this.#tokens.isSymbol(']') || this.#tokens.isSymbol(':');
    const second = isEnd() ? undefined : this.parse();
    if (!this.#tokens.accept(':')) {
      return { kind: 'range', start, step: undefined, stop: second, offset };
    }
    return { kind: 'range', start, step: second, stop: isEnd() ? undefined : this.parse(), offset };
  }

  /** Parses any number of `[…]`. */
  selectors(): readonly Selector[] {
    if (!this.#tokens.isSymbol('[')) return [];
    const selectors: Selector[] = [];
    while (this.#tokens.accept('[')) {
      const { offset } = this.#tokens.current;
      const each: Selector[] = [];
      this.#tokens.separated(']', () => {
        if (this.#tokens.isSymbol('{')) each.push({ kind: 'set', indices: this.set() });
        else each.push(this.indexOrRange());
      });
      this.#tokens.expect(']');
      // `a[1, 0]` of an array is `a[1][0]`; `a[1:2, 0]` is not `a[1:2][0]`.
      const isChain = each.length === 1 || each.every(({ kind }) => kind === 'index');
      if (isChain) selectors.push(...each);
      else selectors.push({ kind: 'dimensions', each, offset });
    }
    return selectors.slice();
  }

  /** Parses an operand and all operators after it that bind tighter than `above`. */
  #operation(above: number, signs: Sign[] = []): void {
    this.#signed(signs);
    for (;;) {
      const { kind, text, offset } = this.#tokens.current;
      const precedence = kind === 'symbol' ? this.#precedence.get(text) : undefined;
      if (precedence === undefined || precedence <= above) return;
      this.#tokens.next();
      this.#operation(precedence);
      this.#operate(text, offset);
    }
  }

  /**
   * Parses signs, after those taken already, and powers. A power binds tighter than a sign before it, and to the right:
   * −2^3^2 = −(2^9).
   */
  #signed(signs: Sign[] = []): void {
    for (;;) {
      const { text, offset } = this.#tokens.current;
      const isSign = this.#tokens.isSymbol('-') || this.#tokens.isSymbol('+');
      const isLogic =
        this.#version === 3 && (this.#tokens.isSymbol('!') || this.#tokens.isSymbol('~'));
      if (!isSign && !isLogic) break;
      this.#tokens.next();
      if (text !== '+') signs.push({ operator: text, offset });
    }
    this.#primary();
    const { offset } = this.#tokens.current;
    if ((this.#version === 2 && this.#tokens.accept('^')) || this.#tokens.accept('**')) {
      this.#nested(() => this.#signed());
      this.#operate('**', offset);
    }
    for (const { operator, offset } of signs.reverse()) {
      const operand = this.#takeConstant();
      if (operand === undefined) this.#instructions.push({ kind: 'unary', operator, offset });
      else this.#push(this.#fold(offset, () => unary(NO_DIAGRAMS, operator, operand)));
    }
  }

  /** Parses an operand, and the indices of one that has no name. */
  #primary(): void {
    const { offset } = this.#tokens.current;
    this.#unindexed();
    if (this.#version === 2 || !this.#tokens.isSymbol('[')) return;
    this.#instructions.push({ kind: 'select', selectors: this.selectors(), offset });
  }

  #unindexed(): void {
    const { kind, text, offset } = this.#tokens.current;
    switch (kind) {
      case 'integer':
      case 'real':
      case 'based':
        this.#number();
        return;
      case 'identifier':
        this.#name(text, offset);
        return;
      case 'string':
        this.#bitString(text);
        return;
      case 'symbol':
        if (text !== '(') throw this.#unexpected();
        this.#tokens.next();
        this.#nested(() => this.#operation(0));
        this.#tokens.expect(')');
        return;
      case 'end':
        throw this.#unexpected();
    }
  }

  #number(): void {
    const { kind, text, offset } = this.#tokens.current;
    if (this.#version === 2) {
      // Syntax of OpenQASM 3 only; Number would read underscores as NaN.
      if (kind === 'based' || text.includes('_')) throw this.#unexpected();
      this.#tokens.next();
      this.#push(scalar('float', Number(text)));
      return;
    }
    const number = this.#tokens.next();
    const following = this.#tokens.current;
    if (following.kind === 'identifier' && UNITS.has(following.text)) {
      this.#tokens.next();
      const scale = UNITS.get(following.text);
      const count = Number(text.replaceAll('_', ''));
      this.#push({ kind: 'duration', value: scale && count * scale });
      return;
    }
    if (following.kind === 'identifier' && this.#tokens.isBeside(number)) {
      throw this.#tokens.unsupported(offset, `The duration or imaginary ${text}${following.text}`);
    }
    const value = Number(text.replaceAll('_', ''));
    if (kind !== 'real' && !Number.isSafeInteger(value)) {
      throw this.#tokens.invalid(offset, 'A whole number exceeds 2^53 in size.');
    }
    this.#push(scalar(kind === 'real' ? 'float' : 'int', value));
  }

  #bitString(text: string): void {
    const digits = text.replaceAll('_', '');
    if (this.#version === 2 || !/^[01]+$/.test(digits) || digits.length > MAX_CLASSICAL_BITS) {
      throw this.#unexpected();
    }
    this.#tokens.next();
    // Constant bits; the text has the most significant one first.
    const bits = [...digits].reverse().map((digit) => (digit === '1' ? ALWAYS : NEVER));
    this.#instructions.push({ kind: 'value', value: { kind: 'bits', bits, isScalar: false } });
  }

  #name(name: string, offset: number): void {
    if (this.#isOfRegisters) {
      this.#instructions.push({ kind: 'operand', operand: this.operand('a register') });
      if (!this.#tokens.isSymbol('(')) return;
      throw this.#tokens.unsupported(offset, `The external function ${quoted(name)}`);
    }
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) {
      this.#tokens.next();
      this.#push(scalar('float', constant));
      return;
    }
    if (this.#version === 3) {
      if (name === 'true' || name === 'false') {
        this.#tokens.next();
        this.#push(scalar('bool', name === 'true' ? 1 : 0));
        return;
      }
      if (isCast(name)) {
        this.#cast(name, offset);
        return;
      }
      if (name === 'measure') {
        this.#tokens.next();
        const from = this.operand('a quantum register');
        this.#instructions.push({ kind: 'measured', from, offset });
        return;
      }
      if (name === 'sizeof') {
        this.#sizeOf(offset);
        return;
      }
    }
    const found = FUNCTIONS.get(name);
    if (found === undefined || (this.#version === 2 && !found.in2)) {
      const operand = this.#version === 2 ? this.#plainName() : this.operand('a value');
      const isCall = this.#version === 3 && operand.selectors.length === 0;
      if (isCall && this.#tokens.isSymbol('(')) this.#invocation(operand);
      else this.#instructions.push({ kind: 'operand', operand });
      return;
    }
    this.#tokens.next();
    this.#call(name, found.arity, offset);
  }

  #plainName(): OperandSyntax {
    const { text: name, offset } = this.#tokens.next();
    return { name, selectors: [], offset };
  }

  #call(name: string, arity: number, offset: number): void {
    this.#tokens.expect('(');
    for (let i = 0; i < arity; i++) {
      if (i > 0) this.#tokens.expect(',');
      this.#nested(() => this.#operation(0));
    }
    if (this.#version === 3) this.#tokens.accept(',');
    this.#tokens.expect(')');
    const operand = arity === 1 ? this.#takeConstant() : undefined;
    if (operand === undefined) this.#instructions.push({ kind: 'call', name, arity, offset });
    else this.#push(this.#fold(offset, () => call(NO_DIAGRAMS, name, [operand])));
  }

  /** Parses `f(q, 3)`, a call of a subroutine, whose arguments may be registers. */
  #invocation({ name, offset }: OperandSyntax): void {
    const args: Expression[] = [];
    this.#tokens.expect('(');
    if (!this.#tokens.isSymbol(')')) {
      this.#tokens.separated(')', () => this.#nested(() => void args.push(this.parse())));
    }
    this.#tokens.expect(')');
    this.#instructions.push({ kind: 'invoke', name, args, offset });
  }

  /** Parses `sizeof(a)` or `sizeof(a, 1)`. */
  #sizeOf(offset: number): void {
    this.#tokens.next();
    this.#tokens.expect('(');
    const operand = this.operand('a register or an array');
    const hasDimension = this.#tokens.accept(',') && !this.#tokens.isSymbol(')');
    const dimension = hasDimension ? this.parse() : undefined;
    this.#tokens.accept(',');
    this.#tokens.expect(')');
    this.#instructions.push({ kind: 'sizeof', operand, dimension, offset });
  }

  #cast(base: ScalarType | 'bit', offset: number): void {
    this.#tokens.next();
    const width = this.width();
    this.#tokens.expect('(');
    this.#nested(() => this.#operation(0));
    this.#tokens.expect(')');
    const type: WrittenType = { base, width };
    this.#instructions.push({ kind: 'cast', type, offset });
  }

  #nested(parse: () => void): void {
    const { offset } = this.#tokens.current;
    if (++this.#depth > MAX_DEPTH) {
      const problem = `Expressions nest at most ${MAX_DEPTH} deep.`;
      throw this.#tokens.pastLimit(offset, problem);
    }
    parse();
    this.#depth--;
  }

  #push(value: Value): void {
    this.#instructions.push({ kind: 'value', value });
  }

  /**
   * Removes the last instruction and returns its value if that is a number, which is then the whole last
   * operand.
   */
  #takeConstant(): Scalar | undefined {
    const last = this.#instructions.at(-1);
    if (last?.kind !== 'value' || last.value.kind !== 'scalar') return undefined;
    this.#instructions.pop();
    return last.value;
  }

  #operate(operator: string, offset: number): void {
    const right = this.#takeConstant();
    const left = right === undefined ? undefined : this.#takeConstant();
    if (left !== undefined && right !== undefined) {
      this.#push(this.#fold(offset, () => binary(NO_DIAGRAMS, operator, left, right)));
      return;
    }
    if (right !== undefined) this.#push(right);
    this.#instructions.push({ kind: 'binary', operator, offset });
  }

  #fold(offset: number, compute: () => Value): Value {
    return withPlace(this.#tokens, offset, compute);
  }

  #unexpected() {
    return this.#tokens.unexpected(this.#version === 2 ? 'an angle' : 'a value');
  }
}
