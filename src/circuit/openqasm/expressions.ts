/**
 * Angles of a program: text → postfix instructions → a number.
 *
 * Postfix rather than a tree: a gate's body is evaluated once a call, and a flat list needs no
 * recursion there. Constants are folded while parsing, so outside gate bodies one number is left.
 */
import type { TokenStream } from './token-stream.ts';

const FUNCTIONS = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  exp: Math.exp,
  ln: Math.log,
  log: Math.log,
  sqrt: Math.sqrt,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  negate: (x: number): number => -x,
} as const;

const OPERATORS = {
  '+': (x: number, y: number): number => x + y,
  '-': (x: number, y: number): number => x - y,
  '*': (x: number, y: number): number => x * y,
  '/': (x: number, y: number): number => x / y,
  '^': (x: number, y: number): number => x ** y,
} as const;

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['π', Math.PI],
  ['tau', 2 * Math.PI],
  ['τ', 2 * Math.PI],
  ['euler', Math.E],
  ['ℇ', Math.E],
]);

type FunctionName = keyof typeof FUNCTIONS;
type OperatorName = keyof typeof OPERATORS;

/** Pushes a number, pushes a parameter, or applies a function or operator to the top of the stack. */
type Instruction =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'parameter'; readonly index: number }
  | { readonly kind: 'function'; readonly name: FunctionName }
  | { readonly kind: 'operator'; readonly name: OperatorName };

/** An angle as a function of a gate's parameters, in postfix order. */
export type Expression = readonly Instruction[];

/** Parameters in scope, by name, with their positions. */
export type Parameters = ReadonlyMap<string, number>;

/** Outside gate definitions. */
export const NO_PARAMETERS: Parameters = new Map();

/** Parentheses, signs and powers inside one another; deeper text is refused before the stack ends. */
const MAX_DEPTH = 256;

/** The value of an expression; not finite where the mathematics is not, as in 1/0 or ln(−1). */
export function evaluate(expression: Expression, values: readonly number[]): number {
  const only = expression[0];
  if (expression.length === 1 && only?.kind === 'number') return only.value;
  const stack: number[] = [];
  const pop = (): number => stack.pop() ?? Number.NaN;
  for (const instruction of expression) {
    switch (instruction.kind) {
      case 'number':
        stack.push(instruction.value);
        break;
      case 'parameter':
        stack.push(values[instruction.index] ?? Number.NaN);
        break;
      case 'function':
        stack.push(FUNCTIONS[instruction.name](pop()));
        break;
      case 'operator': {
        const right = pop();
        stack.push(OPERATORS[instruction.name](pop(), right));
        break;
      }
    }
  }
  return pop();
}

/**
 * Reads one expression.
 *
 * @throws {OpenQasmError} where the text is none, names what is not in scope, or nests too deep.
 */
export function parseExpression(tokens: TokenStream, parameters: Parameters): Expression {
  const parser = new ExpressionParser(tokens, parameters);
  parser.sum();
  return parser.instructions;
}

/** Recursive descent; power binds tighter than a sign before it, and to the right: −2^3^2 = −(2^9). */
class ExpressionParser {
  readonly instructions: Instruction[] = [];
  readonly #tokens: TokenStream;
  readonly #parameters: Parameters;
  #depth = 0;

  constructor(tokens: TokenStream, parameters: Parameters) {
    this.#tokens = tokens;
    this.#parameters = parameters;
  }

  sum(): void {
    this.#product();
    for (;;) {
      if (this.#tokens.accept('+')) {
        this.#product();
        this.#operate('+');
      } else if (this.#tokens.accept('-')) {
        this.#product();
        this.#operate('-');
      } else {
        return;
      }
    }
  }

  #product(): void {
    this.#signed();
    for (;;) {
      if (this.#tokens.accept('*')) {
        this.#signed();
        this.#operate('*');
      } else if (this.#tokens.accept('/')) {
        this.#signed();
        this.#operate('/');
      } else {
        return;
      }
    }
  }

  #signed(): void {
    let isNegative = false;
    for (;;) {
      if (this.#tokens.accept('-')) isNegative = !isNegative;
      else if (!this.#tokens.accept('+')) break;
    }
    this.#power();
    if (isNegative) this.#apply('negate');
  }

  #power(): void {
    this.#primary();
    if (this.#tokens.accept('^') || this.#tokens.accept('**')) {
      this.#nested(() => this.#signed());
      this.#operate('^');
    }
  }

  #primary(): void {
    const { current } = this.#tokens;
    switch (current.kind) {
      case 'integer':
      case 'real':
        this.#tokens.next();
        this.#push(Number(current.text));
        return;
      case 'identifier':
        this.#tokens.next();
        this.#name(current.text, current.offset);
        return;
      case 'symbol':
        if (current.text === '(') {
          this.#tokens.next();
          this.#nested(() => this.sum());
          this.#tokens.expect(')');
          return;
        }
        throw this.#tokens.unexpected('an angle');
      case 'string':
      case 'end':
        throw this.#tokens.unexpected('an angle');
    }
  }

  #name(name: string, offset: number): void {
    const index = this.#parameters.get(name);
    if (index !== undefined) {
      this.instructions.push({ kind: 'parameter', index });
      return;
    }
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) {
      this.#push(constant);
      return;
    }
    if (!isFunctionName(name)) {
      const known = [...this.#parameters.keys(), 'pi'].slice(0, 8).join(', ');
      throw this.#tokens.meaningless(offset, `${name} is not defined here; known are ${known}.`);
    }
    this.#tokens.expect('(');
    this.#nested(() => this.sum());
    this.#tokens.expect(')');
    this.#apply(name);
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

  #push(value: number): void {
    this.instructions.push({ kind: 'number', value });
  }

  #apply(name: FunctionName): void {
    const operand = this.instructions.at(-1);
    if (operand?.kind === 'number') {
      this.instructions.pop();
      this.#push(FUNCTIONS[name](operand.value));
    } else {
      this.instructions.push({ kind: 'function', name });
    }
  }

  #operate(name: OperatorName): void {
    const right = this.instructions.at(-1);
    const left = this.instructions.at(-2);
    // Two numbers at the end are the operands: what precedes an operand ends in an instruction too,
    // but an operand that is a number is that one instruction.
    if (left?.kind === 'number' && right?.kind === 'number') {
      this.instructions.length -= 2;
      this.#push(OPERATORS[name](left.value, right.value));
    } else {
      this.instructions.push({ kind: 'operator', name });
    }
  }
}

/** `negate` is the parser's own: as a word of the text it is no function. */
function isFunctionName(name: string): name is FunctionName {
  return name !== 'negate' && Object.hasOwn(FUNCTIONS, name);
}
